"""The one place that orders hits: score descending, then document order (doc_id, chunk_index) ascending.

Chunk tables are sorted by (doc_id, chunk_index), so the row number of a chunk *is* its place in document order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Hits in score order: a frame with `query`, `chunk` (row numbers), `rank` (from 1), sorted by query, rank.

    Measures take this type and no bare frame, so that document order cannot be judged as if it were a ranking.
    """

    frame: pl.DataFrame


def top(scores: Floats, depth: int, places: Ints | None = None) -> Ints:
    """Indices into `scores` (finite, shape (n,)) of the best `depth`, best first.

    Args:
        scores: higher is better.
        depth: how many to keep; fewer come back when there are fewer.
        places: place of each entry in document order, shape (n,), for ties; None: its index.

    Returns:
        Indices, shape (min(n, depth),).
    """
    n = len(scores)
    if n > depth:
        least = np.partition(scores, n - depth)[n - depth]
        keep = np.flatnonzero(scores >= least)
    else:
        keep = np.arange(n)
    tie = keep if places is None else places[keep]
    return keep[np.lexsort((tie, -scores[keep]))][:depth]


def ranked(frame: pl.DataFrame, score: str, rank: str) -> pl.DataFrame:
    """`frame` with a column `rank`: 1…n within each `query`, for the rows whose `score` is not null.

    Rows keep no particular order; a null score gives a null rank.
    """
    some = (
        frame.lazy()
        .filter(pl.col(score).is_not_null())
        .sort("query", score, "chunk", descending=[False, True, False])
        .select("query", "chunk", pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("query").alias(rank))
    )
    return frame.lazy().join(some, on=["query", "chunk"], how="left").collect()


def ranking(hits: pl.DataFrame, rank: str = "final_rank") -> Ranking:
    """The `Ranking` of the rows of `hits` that have a `rank`."""
    frame = hits.filter(pl.col(rank).is_not_null()).select("query", "chunk", pl.col(rank).alias("rank"))
    return Ranking(frame.sort("query", "rank"))


def falling(ranks: Ints, scores: Floats) -> Floats:
    """Scores for an exported run, strictly falling and distinct as float32, in the order of `ranks`.

    trec_eval breaks ties by document id and holds scores as float32, so equal or nearly equal scores would be
    put in another order than ours. The given scores are kept where they fall already; elsewhere the next lower
    float32 is taken.
    """
    out = scores.astype(np.float32)
    for i in range(1, len(out)):
        if ranks[i] > ranks[i - 1] and not out[i] < out[i - 1]:
            out[i] = np.nextafter(out[i - 1], np.float32(-np.inf))
    return out.astype(np.float64)
