"""Reranking: ranks the pool on raw scores, lets the tail follow in fused order, keeps older columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from runner import order
from runner.errors import ComponentError
from runner.reranker.contract import Reranker, Scored, Scorer


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
        return f"{type(e).__name__}: {e}"


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
    return _ordered(order.ranked(scored, "rerank_score", "rerank_rank"))


def _ordered(frame: pl.DataFrame) -> pl.DataFrame:
    """Add the joined order: the reranked by their rerank rank, the others after them by fused rank."""
    size = pl.col("rerank_rank").max().over("query").fill_null(0)
    # Tail places count the tail only: rows of the pool before a tail row are all reranked, so they leave no
    # gap.
    tail = (
        frame.filter(pl.col("rerank_rank").is_null() & pl.col("fused_rank").is_not_null())
        .sort("query", "fused_rank")
        .select(
            "query", "chunk", pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("query").alias("tail_place")
        )
    )
    return (
        frame.join(tail, on=["query", "chunk"], how="left")
        .with_columns(
            order_rank=pl.coalesce("rerank_rank", (size + pl.col("tail_place")).cast(pl.Int32)),
            order_score=pl.coalesce("rerank_score", "fused_score"),
        )
        .drop("tail_place")
    )
