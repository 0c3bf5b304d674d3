"""Conservation: what a run must satisfy whatever it was asked. A breach fails the run; it is a fault of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from runner.errors import RunnerError

_PAIR = ["query", "chunk"]


class ConservationError(RunnerError):
    """The recorded trace contradicts itself."""


def _require(ok: object, what: str) -> None:
    if not ok:
        raise ConservationError(f"conservation: {what}. Nothing was recorded; please report this with the config")


def candidates(frame: pl.DataFrame, legs: Mapping[str, pl.DataFrame]) -> None:
    """Every leg hit is a candidate exactly once, unchanged; every candidate has a final rank xor a drop."""
    _require(not frame.select(_PAIR).is_duplicated().any(), "a candidate appears twice")
    for leg, hits in legs.items():
        mine = frame.filter(pl.col(f"{leg}_rank").is_not_null())
        _require(mine.height == hits.height, f"{leg} found {hits.height} hits, {mine.height} are candidates")
        same = mine.select(*_PAIR, pl.col(f"{leg}_score").alias("score"), pl.col(f"{leg}_rank").alias("rank"))
        _require(same.sort(_PAIR).equals(hits.sort(_PAIR)), f"scores or ranks of {leg} were changed by a later stage")
    fates = frame.select((pl.col("final_rank").is_not_null() ^ pl.col("drop_stage").is_not_null()).all()).item()
    _require(fates, "a candidate has neither or both of a final rank and a drop")
    for rank in [c for c in frame.columns if c.endswith("_rank")]:
        _ranks(frame, rank)


def _ranks(frame: pl.DataFrame, rank: str) -> None:
    some = frame.filter(pl.col(rank).is_not_null())
    gaps = some.group_by("query").agg(
        (pl.col(rank).n_unique() == pl.len()) & (pl.col(rank).max() == pl.len()) & (pl.col(rank).min() == 1)
    )
    _require(gaps[rank].all(), f"{rank} is not 1…n without gaps")


def contexts(expansion: pl.DataFrame, context: pl.DataFrame, hits: pl.DataFrame) -> None:
    """The context is the union of the windows, each chunk once; the hits in it are the hits of the ranking."""
    union = expansion.select(_PAIR).unique().sort(_PAIR)
    _require(context.select(_PAIR).sort(_PAIR).equals(union), "the context is not the union of the windows")
    kept = context.filter(pl.col("role") == "hit").select(_PAIR).sort(_PAIR)
    _require(kept.equals(hits.select(_PAIR).sort(_PAIR)), "the hits of the context are not the hits of the ranking")


def stages(rows: Sequence[Mapping[str, object]]) -> None:
    """For each stage that counts rows: in = out + dropped."""
    for row in rows:
        if "rows_in" in row:
            balance = row["rows_in"] == int(str(row["rows_out"])) + int(str(row["dropped"]))
            _require(balance, f"stage {row['stage']}: {row['rows_in']} in, {row['rows_out']} out, {row['dropped']} dropped")
