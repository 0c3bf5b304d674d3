"""Reranking: ranks the pool on raw scores, lets the tail follow in fused order, keeps older columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from runner import order
from runner.errors import ComponentError
from runner.reranker.contract import Reranker, Scored, Scorer
from runner.text import one_line


def pool(frame: pl.DataFrame, reranker: Reranker) -> pl.DataFrame:
    """The pairs that the reranker sees: `query, chunk` of the first `pool` candidates, sorted."""
    return frame.filter(pl.col("fused_rank") <= reranker.pool).select("query", "chunk").sort("query", "chunk")


def score(reranker: Reranker, scorer: Scorer, query: str, texts: Sequence[str]) -> Scored | str:
    """The scores of one query's texts, checked and complete, or why there are none.

    Returns:
        The scores with token counts (0 where it does not count), or the reason of a failure (only under
        `on_error: fallback`).

    Raises:
        ComponentError: scoring failed or gave no finite number, under `on_error: raise`.
    """
    try:
        return _checked(scorer.score(query, texts), len(texts))
    except Exception as e:  # whatever a model raises: the config decides whether it ends the cell
        if reranker.on_error == "raise":
            raise ComponentError(f"reranker {reranker.name}: query {query[:60]!r}: {e}") from e
        # Reasons of a query are joined by "; ", on one line.
        return one_line(f"{type(e).__name__}: {e}", 200).replace(";", ",")


def _checked(made: Scored, n: int) -> Scored:
    scores = np.asarray(made.scores, np.float64)
    if scores.shape != (n,) or not np.isfinite(scores).all():
        raise ValueError("a score is missing or is no finite number")
    total, read = (_counts(t, n) for t in (made.tokens_total, made.tokens_read))
    if (read > total).any():
        raise ValueError("it says that it read more tokens than there are")
    return Scored(scores, total, read)


def _counts(tokens: npt.NDArray[np.int32] | None, n: int) -> npt.NDArray[np.int32]:
    counts = np.zeros(n, np.int32) if tokens is None else np.asarray(tokens, np.int32)
    if counts.shape != (n,):
        raise ValueError("a count of tokens is missing")
    return counts


def rerank(frame: pl.DataFrame, scores: pl.DataFrame) -> pl.DataFrame:
    """`frame` with `rerank_score`, `rerank_rank`, `order_score`, `order_rank` (reranked, then fused tail).

    Args:
        frame: the fused window.
        scores: `query, chunk, rerank_score`; all of a query's pool or, where it keeps the fused order, none.
    """
    scored = frame.join(scores, on=["query", "chunk"], how="left")
    ranked = order.ranked(scored, "rerank_score", "rerank_rank")
    # The pool is the first fused ranks, and reranked whole or not at all: whatever follows keeps its rank.
    joined = {f"order_{part}": pl.coalesce(f"rerank_{part}", f"fused_{part}") for part in ("score", "rank")}
    return ranked.with_columns(**joined)
