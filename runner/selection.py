"""Selection: filter, thresholds, one per parent, cut; each marks with stage, reason, value and limit."""

from __future__ import annotations

import polars as pl

from runner.config import Threshold

_FREE = pl.col("drop_stage").is_null()


def opened(window: pl.DataFrame) -> pl.DataFrame:
    """`window` with the four columns of a fate that is still open."""
    return window.with_columns(
        pl.lit(None, pl.String).alias("drop_stage"),
        pl.lit(None, pl.String).alias("drop_reason"),
        pl.lit(None, pl.Float64).alias("drop_value"),
        pl.lit(None, pl.Float64).alias("drop_limit"),
    )


def _drop(
    frame: pl.DataFrame,
    which: pl.Expr,
    stage: str,
    reason: str,
    value: pl.Expr | None = None,
    limit: float | None = None,
) -> pl.DataFrame:
    """Mark the rows `which` that are not marked yet. Their number is unchanged."""
    hit = (_FREE & which).fill_null(value=False)
    new = {
        "drop_stage": pl.lit(stage),
        "drop_reason": pl.lit(reason),
        "drop_value": pl.lit(None) if value is None else value,
        "drop_limit": pl.lit(limit),
    }
    return frame.with_columns(
        pl.when(hit).then(e).otherwise(pl.col(c)).alias(c) for c, e in new.items()
    ).cast({"drop_value": pl.Float64, "drop_limit": pl.Float64})


def by_filter(frame: pl.DataFrame, allowed: pl.Series) -> pl.DataFrame:
    """Mark the candidates whose chunk is not `allowed` (a bool per chunk row)."""
    outside = ~pl.col("chunk").replace_strict(
        pl.int_range(len(allowed), eager=True), allowed, return_dtype=pl.Boolean
    )
    return _drop(frame, outside, "filter", "metadata does not match the filter")


def by_similarity(frame: pl.DataFrame, leg: str, threshold: Threshold) -> pl.DataFrame:
    """Withhold from fusion the hits of a similarity leg below `threshold.similarity` (>= passes).

    A candidate that another leg found as well, and did not withhold itself, stays on that leg's account; any
    other is marked.
    """
    limit = threshold.similarity
    if limit is None:
        return frame
    score = pl.col(f"{leg}_score")
    others = [c.removesuffix("_rank") for c in frame.columns if c.endswith("_rank") and c != f"{leg}_rank"]
    alone = pl.all_horizontal(pl.lit(value=True), *(_without(frame, o) for o in others))
    marked = _drop(
        frame, (score < limit) & alone, "threshold", f"{leg} similarity below the threshold", score, limit
    )
    return marked.with_columns((score >= limit).alias(f"{leg}_admitted"))


def _without(frame: pl.DataFrame, leg: str) -> pl.Expr:
    """Whether a leg did not find the row, or withholds it."""
    withheld = ~pl.col(f"{leg}_admitted") if f"{leg}_admitted" in frame.columns else pl.lit(value=False)
    return pl.col(f"{leg}_rank").is_null() | withheld


def by_score(frame: pl.DataFrame, threshold: Threshold) -> pl.DataFrame:
    """Mark the candidates whose fused score is below `threshold.score` (>= passes)."""
    if threshold.score is None:
        return frame
    score = pl.col("fused_score")
    return _drop(
        frame, score < threshold.score, "threshold", "fused score below the threshold", score, threshold.score
    )


def by_parent(frame: pl.DataFrame, rank: str, unit: pl.Series) -> pl.DataFrame:
    """Mark the candidates that would return a span again; `order_parent_rank` ranks the others without gaps.

    Args:
        frame: candidates.
        rank: the final order, 1…n without gaps among the rows that are not marked yet.
        unit: for each chunk row what it returns; the value of a mark is the rank of the one that returns it.
    """
    frame = frame.with_columns(unit.gather(frame["chunk"]).alias("unit"))
    live = pl.when(_FREE).then(pl.col(rank))
    first = live == live.min().over("query", "unit")
    place = pl.when(first).then(live).rank("ordinal").over("query").cast(pl.Int64)
    frame = frame.with_columns(place.alias("order_parent_rank"))
    value = pl.col("order_parent_rank").max().over("query", "unit")
    return _drop(
        frame, ~first, "parent", "its parent is returned at a better rank", value.cast(pl.Float64)
    ).drop("unit")


def cut(frame: pl.DataFrame, score: str, rank: str, top_k: int) -> pl.DataFrame:
    """Give the best `top_k` by `rank` their final rank and score, mark the rest; every row has one fate.

    `rank` must be 1…n without gaps among the rows that are not marked yet.
    """
    beyond = pl.col(rank) > top_k
    out = _drop(frame, beyond, "cut", "beyond top_k", pl.col(rank).cast(pl.Float64), float(top_k))
    return out.with_columns(
        pl.when(_FREE).then(pl.col(score)).alias("final_score"),
        pl.when(_FREE).then(pl.col(rank)).alias("final_rank"),
        pl.when(_FREE).then(pl.lit("hit")).otherwise(pl.lit("dropped")).alias("fate"),
    )
