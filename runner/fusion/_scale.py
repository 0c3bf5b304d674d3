"""Normalisations of a leg's scores within a query, as Polars expressions."""

from __future__ import annotations

import polars as pl

Q = "query"


def by_max(score: pl.Expr) -> pl.Expr:
    """Score ÷ the query's highest, never below 0. A lone or all-equal positive list gives 1, zeros give 0."""
    best = score.max().over(Q)
    return pl.when(best > 0).then(score.clip(lower_bound=0.0) / best).when(score.is_not_null()).then(0.0)


def min_max(score: pl.Expr) -> pl.Expr:
    """(score − min) ÷ (max − min) within the query.

    Equal positive scores give 1, equal others 0; never NaN.
    """
    low, high = score.min().over(Q), score.max().over(Q)
    return (
        pl.when(high > low)
        .then((score - low) / (high - low))
        .when(score.is_not_null())
        .then(pl.when(score > 0).then(1.0).otherwise(0.0))
    )
