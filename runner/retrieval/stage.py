"""Retrieval: runs one leg for all queries, ranks its hits, and joins the legs into the recorded window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from runner import order
from runner.errors import ComponentError
from runner.retrieval.contract import Leg, Scored, Side


@dataclass(frozen=True, slots=True)
class LegHits:
    """A leg's hits: `query, chunk, score, rank` (row numbers; rank from 1), and why a query has none."""

    frame: pl.DataFrame
    reasons: dict[int, str]


def search(leg: Leg, index: Mapping[str, npt.NDArray[Any]], chunks: Side, queries: Side) -> LegHits:
    """Every query's best `leg.depth` hits.

    Raises:
        ComponentError: the leg gave a score that is no finite number, or a similarity outside [-1, 1].
    """
    parts: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]] = []
    reasons: dict[int, str] = {}
    for query, found in enumerate(leg.search(index, chunks, queries)):
        _check(leg, query, found)
        best = order.top(found.scores, leg.depth, found.chunks)
        parts.append((found.chunks[best], found.scores[best]))
        if found.reason:
            reasons[query] = found.reason
    sizes = [len(c) for c, _ in parts]
    frame = pl.DataFrame(
        {
            "query": np.repeat(np.arange(len(parts), dtype=np.int64), sizes),
            "chunk": np.concatenate([c for c, _ in parts]) if parts else np.zeros(0, np.int64),
            "score": np.concatenate([s for _, s in parts]) if parts else np.zeros(0, np.float64),
            "rank": np.concatenate([np.arange(1, n + 1) for n in sizes]) if parts else np.zeros(0, np.int64),
        },
        schema={"query": pl.Int64, "chunk": pl.Int64, "score": pl.Float64, "rank": pl.Int64},
    )
    return LegHits(frame, reasons)


def _check(leg: Leg, query: int, found: Scored) -> None:
    bad = np.flatnonzero(~np.isfinite(found.scores))
    if len(bad):
        raise ComponentError(
            f"leg {leg.name}: query {query}, chunk {found.chunks[bad[0]]}: score is not a number"
        )
    if leg.similarity and len(found.scores) and float(np.abs(found.scores).max()) > 1 + 1e-6:
        raise ComponentError(f"leg {leg.name}: query {query}: a similarity lies outside [-1, 1]")


def window(legs: Mapping[str, LegHits]) -> pl.DataFrame:
    """The recorded window: a row per (query, chunk) that any leg found, with its score and rank by leg.

    A leg that did not find a chunk has nulls there: absent is not rank last, and not score 0.
    """
    named = [
        hits.frame.lazy().rename({"score": f"{leg}_score", "rank": f"{leg}_rank"})
        for leg, hits in legs.items()
    ]
    out = named[0]
    for frame in named[1:]:
        out = out.join(frame, on=["query", "chunk"], how="full", coalesce=True)
    return out.sort("query", "chunk").collect()
