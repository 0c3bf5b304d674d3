"""The one place that orders hits: score descending, then document order (doc_id, chunk_index) ascending.

Chunk tables are sorted by (doc_id, chunk_index), so the row number of a chunk *is* its place in document
order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from runner.errors import ComponentError

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Hits in score order: `query`, `chunk` (row numbers), `rank` (from 1), sorted by query, rank.

    Measures take this type and no bare frame, so that document order cannot be judged as if it were a
    ranking.
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
    if n > 4 * depth:  # below that, finding the least costs more than sorting all
        least = np.partition(scores, n - depth)[n - depth]
        keep = np.flatnonzero(scores >= least)
    else:
        keep = np.arange(n)
    tie = keep if places is None else places[keep]
    return keep[np.lexsort((tie, -scores[keep]))][:depth]


def places(groups: Ints) -> Ints:
    """1, 2, 3 … within each run of equal values of `groups`, shape (n,)."""
    first = np.ones(len(groups), np.bool_)
    first[1:] = groups[1:] != groups[:-1]
    starts = np.flatnonzero(first)
    here = np.arange(len(groups))
    return here - np.repeat(starts, np.diff(np.append(starts, len(groups)))) + 1


def ranked(frame: pl.DataFrame, score: str, rank: str) -> pl.DataFrame:
    """`frame` with a column `rank`: 1…n within each `query`, for the rows whose `score` is not null.

    Raises:
        ComponentError: a score is NaN or infinite.
    """
    live = np.flatnonzero(frame[score].is_not_null().to_numpy())
    scores = frame[score].to_numpy()[live]
    query, chunk = (frame[c].to_numpy()[live] for c in ("query", "chunk"))
    if not np.isfinite(scores).all():
        raise ComponentError(f"{score}: not a finite number for chunk row {chunk[~np.isfinite(scores)][0]}")
    best = np.lexsort((-scores, query) if _rising(query, chunk) else (chunk, -scores, query))
    ranks = np.zeros(frame.height, np.int64)
    ranks[live[best]] = places(query[best])
    column = pl.Series(rank, ranks)
    return frame.with_columns(pl.when(pl.col(score).is_not_null()).then(column).cast(pl.Int64).alias(rank))


def _rising(query: Ints, chunk: Ints) -> bool:
    """Whether the rows are in order of query and chunk; a stable sort then keeps that order for ties."""
    ahead = query[1:] > query[:-1]
    return bool((ahead | ((query[1:] == query[:-1]) & (chunk[1:] > chunk[:-1]))).all())


def ranking(hits: pl.DataFrame, rank: str = "final_rank") -> Ranking:
    """The `Ranking` of the rows of `hits` that have a `rank`."""
    frame = hits.filter(pl.col(rank).is_not_null()).select("query", "chunk", pl.col(rank).alias("rank"))
    return Ranking(frame.sort("query", "rank"))


def falling(queries: Ints, scores: Floats) -> Floats:
    """Scores for an exported run: strictly falling and distinct as float32 within each query.

    trec_eval breaks ties by document id and holds scores as float32, so equal or nearly equal scores would be
    put in another order than ours. The given scores are kept where they fall already; elsewhere the next
    lower float32 is taken.

    Args:
        queries: shape (n,), the hits of a query together and in rank order.
        scores: shape (n,).
    """
    out = scores.astype(np.float32)
    same = queries[1:] == queries[:-1]
    for start in np.flatnonzero(same & ~(out[1:] < out[:-1])) + 1:
        i = start
        while i < len(out) and same[i - 1] and not out[i] < out[i - 1]:
            out[i] = np.nextafter(out[i - 1], np.float32(-np.inf))
            i += 1
    return out.astype(np.float64)
