"""Retrieval: runs one leg for all queries, ranks its hits, and joins the legs into the recorded window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from runner import order
from runner.errors import ComponentError
from runner.retrieval.contract import Leg, Side

GOOD_RECALL = 0.99
"""Below it, a difference between two runs may be the index's own; a run says so."""


@dataclass(frozen=True, slots=True)
class LegHits:
    """A leg's hits: `query, chunk, score, rank` (row numbers; rank from 1), and why a query has none."""

    frame: pl.DataFrame
    reasons: dict[int, str]
    recall: dict[int, float] = field(default_factory=dict)
    """Of an approximate search: how much of the exact answer each query got. Empty: the search is exact."""
    notes: list[str] = field(default_factory=list)
    """What a reader of the results must know, one sentence each."""


def search(leg: Leg, index: Mapping[str, npt.NDArray[Any]], chunks: Side, queries: Side) -> LegHits:
    """Every query's best `leg.depth` hits.

    Raises:
        ComponentError: the leg gave a score that is no finite number, or a similarity outside [-1, 1].
    """
    parts: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]] = []
    reasons: dict[int, str] = {}
    recall: dict[int, float] = {}
    for query, found in enumerate(leg.search(index, chunks, queries)):
        if not np.isfinite(found.scores.sum()):  # before the cut, which would hide a NaN
            raise ComponentError(f"leg {leg.name}: query row {query}: a score is not a finite number")
        best = order.top(found.scores, leg.depth, found.chunks)
        parts.append((found.chunks[best], found.scores[best]))
        if found.reason:
            reasons[query] = found.reason
        if found.recall is not None:
            recall[query] = found.recall
    parts = parts or [(np.zeros(0, np.int64), np.zeros(0, np.float64))]
    query_of = np.repeat(np.arange(len(parts), dtype=np.int64), [len(c) for c, _ in parts])
    scores = np.concatenate([s for _, s in parts])
    if leg.similarity and np.abs(scores).max(initial=0.0) > 1 + 1e-6:
        raise ComponentError(f"leg {leg.name}: a similarity lies outside [-1, 1]")
    frame = pl.DataFrame(
        {
            "query": query_of,
            "chunk": np.concatenate([c for c, _ in parts]),
            "score": scores,
            "rank": order.places(query_of),
        }
    )
    return LegHits(frame, reasons, recall, leg.notes(index) + _poor(recall, leg.depth))


def recall_facts(recall: Mapping[int, float], depth: int) -> dict[str, Any]:
    """The roll-up of a leg's recall over the run's queries, for the record; nothing where it was exact."""
    if not recall:
        return {}
    values = list(recall.values())
    short = sum(v < 1 for v in values)
    mean = fmean(values)
    return {"recall": {"at": depth, "mean": mean, "least": min(values), "n": len(values), "short": short}}


def _poor(recall: Mapping[int, float], depth: int) -> list[str]:
    if not recall or fmean(recall.values()) >= GOOD_RECALL:
        return []
    mean, least = fmean(recall.values()), min(recall.values())
    return [
        f"recall@{depth} against exact search is {mean:.4f} over the run's queries (least {least:.4f}); "
        f"below {GOOD_RECALL} a difference between runs may be the index's own: raise `expansion_search`, or "
        "use the leg `vector`"
    ]


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
