"""Fusion: adds normalised, fused score and fused rank columns to the window; removes nothing."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from runner import order
from runner.errors import ComponentError
from runner.fusion.contract import Fusion, LegColumns


def columns(leg: str, *, similarity: bool, admitted: bool) -> LegColumns:
    """The columns of a leg.

    Where a threshold refused its hit (`<leg>_admitted` is false) they read as null.
    """
    alive = pl.col("drop_stage").is_null()
    live = alive & pl.col(f"{leg}_admitted") if admitted else alive
    score, rank, norm = (pl.when(live).then(pl.col(f"{leg}_{part}")) for part in ("score", "rank", "norm"))
    return LegColumns(leg, similarity, score, rank, norm)


def fuse(window: pl.DataFrame, fusion: Fusion, legs: Mapping[str, bool], admitted: set[str]) -> pl.DataFrame:
    """`window` with `<leg>_norm`, `fused_score`, `fused_rank`. Rows already dropped get none.

    Args:
        window: `query, chunk, <leg>_score, <leg>_rank` and the bookkeeping of `selection`.
        fusion: asked only where there are several legs; one leg's scores are the fused scores.
        legs: whether each leg's scores are similarities.
        admitted: the legs that have an `<leg>_admitted` column.

    Raises:
        ComponentError: a leg's or the fused score is NaN or infinite.
    """
    _refuse_nan(window, legs)
    named = [columns(n, similarity=s, admitted=n in admitted) for n, s in legs.items()]
    if len(named) == 1:
        return _identity(window, named[0])
    out = window.with_columns(fusion.normalized(c).cast(pl.Float64).alias(f"{c.name}_norm") for c in named)
    alive = pl.col("drop_stage").is_null()
    fused = pl.when(alive).then(fusion.fused(named)).alias("fused_score")
    return order.ranked(out.with_columns(fused), "fused_score", "fused_rank")


def _refuse_nan(window: pl.DataFrame, legs: Mapping[str, bool]) -> None:
    """Rank-based formulas would not notice, and a mean or maximum would spread it over the query."""
    for leg in legs:
        score = pl.col(f"{leg}_score")
        bad = window.filter(score.is_not_null() & ~score.cast(pl.Float64).is_finite())
        if bad.height:
            value, chunk = bad.select(score, "chunk").row(0)
            raise ComponentError(f"leg {leg}: {value} is no score, for chunk row {chunk}")


def _identity(window: pl.DataFrame, leg: LegColumns) -> pl.DataFrame:
    """One leg: its scores are the fused scores; its ranks the fused ranks, unless a hit was dropped."""
    out = window.with_columns(leg.score.alias(f"{leg.name}_norm"), leg.score.alias("fused_score"))
    if out["fused_score"].null_count():
        return order.ranked(out, "fused_score", "fused_rank")
    return out.with_columns(pl.col(f"{leg.name}_rank").alias("fused_rank"))
