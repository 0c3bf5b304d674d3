"""Reranking: ranks the pool on raw scores, lets the tail follow in fused order, keeps older columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from runner import order
from runner.errors import ComponentError
from runner.reranker.contract import Reranker, Scorer
from runner.text import one_line

Texts = Callable[[Sequence[int]], list[str]]
"""Chunk texts by row number."""


def rerank(
    frame: pl.DataFrame, reranker: Reranker, scorer: Scorer, queries: Sequence[str], texts: Texts
) -> tuple[pl.DataFrame, dict[int, str]]:
    """`frame` with `rerank_score`, `rerank_rank`, `order_score`, `order_rank` (pool, then fused tail).

    Returns:
        The frame, and for each query row whose reranking failed the reason (only under `on_error: fallback`).

    Raises:
        ComponentError: scoring failed or gave no finite number, under `on_error: raise`.
    """
    pool = frame.filter(pl.col("fused_rank") <= reranker.pool).select("query", "chunk").sort("query", "chunk")
    parts: list[pl.DataFrame] = []
    fallbacks: dict[int, str] = {}
    for (query,), group in pool.group_by("query", maintain_order=True):
        try:
            scores = scorer.score(queries[query], texts(group["chunk"].to_list()))
            if np.shape(scores) != (group.height,) or not np.isfinite(scores).all():
                raise ValueError("a score is missing or is no finite number")
        except Exception as e:  # whatever a model raises: the config decides whether it ends the cell
            if reranker.on_error == "raise":
                raise ComponentError(f"reranker {reranker.name}: query {queries[query][:60]!r}: {e}") from e
            # Reasons of a query are joined by "; ", on one line.
            fallbacks[query] = one_line(f"{type(e).__name__}: {e}", 200).replace(";", ",")
            continue
        parts.append(group.with_columns(rerank_score=pl.Series(scores, dtype=pl.Float64)))
    empty = pool.head(0).with_columns(rerank_score=pl.lit(None, pl.Float64))
    scored = frame.join(pl.concat([empty, *parts]), on=["query", "chunk"], how="left")
    ranked = order.ranked(scored, "rerank_score", "rerank_rank")
    # The pool is the first fused ranks, and reranked whole or not at all: whatever follows keeps its rank.
    joined = {f"order_{part}": pl.coalesce(f"rerank_{part}", f"fused_{part}") for part in ("score", "rank")}
    return ranked.with_columns(**joined), fallbacks
