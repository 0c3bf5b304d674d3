"""Which questions a page shows: those on which the cells differ most, by a rule that the page states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from runner.report.glossary import telling
from runner.report.setups import Setup


@dataclass(frozen=True, slots=True)
class Chosen:
    """One question, the set-ups that answered it, and the range of its telling measure."""

    query_id: str
    setups: list[Setup]
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Choice:
    """The questions of a page, in order."""

    measure: str | None
    """The telling measure; None when nothing was measured."""
    total: int
    chosen: list[Chosen]

    @property
    def rule(self) -> str:
        """The rule of the choice, as a sentence."""
        if self.measure is None:
            return "In the order of their ids: nothing was measured."
        return (
            f"First those on which the cells differ most (highest less lowest {self.measure}), "
            "then those with the lowest value, then by id; questions without gold last."
        )


def choose(setups: Sequence[Setup], limit: int) -> Choice:
    """The first `limit` questions by the rule. Questions are compared within one data set."""
    measure = telling(m["measure"] for s in setups for m in s.run.measures)
    if not setups:
        return Choice(None, 0, [])
    order = list(dict.fromkeys(s.data for s in setups))
    asked = pl.concat([_asked(s, order) for s in setups]).unique()
    values = pl.concat([_values(s, order, measure) for s in setups])
    ranges = values.group_by("data", "query_id").agg(
        pl.col("value").min().alias("low"), pl.col("value").max().alias("high")
    )
    ranked = (
        asked.join(ranges, on=["data", "query_id"], how="left")
        # Rounded: two runs may have summed the same question in another order.
        .with_columns(spread=(pl.col("high") - pl.col("low")).round(9))
        .sort("spread", "low", "data", "query_id", descending=[True, False, False, False], nulls_last=True)
    )
    chosen = [
        Chosen(q, [s for s in setups if s.data == order[d]], low, high)
        for d, q, low, high in ranked.head(limit).select("data", "query_id", "low", "high").iter_rows()
    ]
    return Choice(measure, asked.height, chosen)


def _asked(setup: Setup, order: Sequence[str]) -> pl.DataFrame:
    return setup.run.table("queries").select(pl.lit(order.index(setup.data)).alias("data"), "query_id")


def _values(setup: Setup, order: Sequence[str], measure: str | None) -> pl.DataFrame:
    found = setup.run.table("measures").filter(pl.col("measure") == (measure or ""))
    return found.select(pl.lit(order.index(setup.data)).alias("data"), "query_id", "value")
