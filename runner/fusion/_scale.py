"""Normalisations of a leg's scores within a query, as Polars expressions, and how legs are summed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import polars as pl

from runner.fusion.contract import LegColumns

Q = "query"
Normalization = Literal["min_max", "max", "zscore", "theoretical_max", "theoretical_min_max"]
"""The choices of every fusion that has a field `normalization`; `normalized` says what each does."""


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


def zscore(score: pl.Expr, equal: pl.Expr, ddof: int) -> pl.Expr:
    """(score − mean) ÷ standard deviation within the query; `equal` where all scores of the query are equal.

    Args:
        score: null where the leg did not find the chunk.
        equal: the value of a lone hit and of equal scores, which have no deviation.
        ddof: 0: deviation of the hits themselves; 1: of what they are a sample of.
    """
    mean, deviation = score.mean().over(Q), score.std(ddof=ddof).over(Q)
    # Equal scores are recognised as such: their computed deviation may be a rounding error above 0.
    spread = (score.max().over(Q) > score.min().over(Q)) & (deviation > 0)
    return pl.when(spread).then((score - mean) / deviation).when(score.is_not_null()).then(equal)


def _zero_mean(leg: LegColumns) -> pl.Expr:
    return zscore(leg.score, pl.when(leg.score > 0).then(1.0).otherwise(0.0), 0)


def _theoretical_max(leg: LegColumns) -> pl.Expr:
    return leg.score.clip(0.0, 1.0) if leg.similarity else by_max(leg.score)


def _theoretical_min_max(leg: LegColumns) -> pl.Expr:
    low = -1.0 if leg.similarity else 0.0
    best = leg.score.max().over(Q)
    share = (leg.score.clip(lower_bound=low) - low) / (best - low)
    return pl.when(best > low).then(share).when(leg.score.is_not_null()).then(0.0)


_BY_NAME: dict[Normalization, Callable[[LegColumns], pl.Expr]] = {
    "min_max": lambda leg: min_max(leg.score),
    "max": lambda leg: by_max(leg.score),
    "zscore": _zero_mean,
    "theoretical_max": _theoretical_max,
    "theoretical_min_max": _theoretical_min_max,
}


def normalized(leg: LegColumns, normalization: Normalization) -> pl.Expr:
    """The leg's signal; null where its score is.

    - `min_max`: (s − min) ÷ (max − min) of the leg's hits for the query; a lone or all-equal positive list
      gives 1.
    - `max`: s ÷ max of the hits, negatives 0.
    - `zscore`: (s − mean) ÷ standard deviation of the hits (ZMUV in Montague and Aslam, CIKM 2001). Has no
      fixed range, and below the mean it is negative: less than a chunk gets that the leg did not find at all.
      A lone or all-equal positive list gives 1.
    - `theoretical_max`: s ÷ what the leg can attain: 1 for a cosine (negatives 0). BM25 and others have no
      such bound, and are divided by the query's highest.
    - `theoretical_min_max`: (s − m) ÷ (max − m), m the least the leg could ever give: −1 for a cosine, 0 for
      BM25 and others; max of the hits (TM2C2 in Bruch, Gai and Ingber, TOIS 2023).
    """
    return _BY_NAME[normalization](leg)


def highest(normalization: Normalization) -> float:
    """The most a signal can be: 1, but for z-scores, which grow with the number n of hits (to √(n − 1))."""
    return float("inf") if normalization == "zscore" else 1.0


def total(legs: Sequence[LegColumns], signals: Sequence[pl.Expr]) -> pl.Expr:
    """Σ signal, a null adding nothing.

    Added in order of the legs' names: sums of floats depend on order in their last bit, the order in which a
    config lists its legs must decide nothing.
    """
    named = sorted(zip((leg.name for leg in legs), signals, strict=True), key=lambda pair: pair[0])
    return pl.sum_horizontal([signal.fill_null(0.0) for _, signal in named])


def found(legs: Sequence[LegColumns]) -> pl.Expr:
    """How many legs found the chunk."""
    return pl.sum_horizontal([leg.rank.is_not_null().cast(pl.Float64) for leg in legs])
