"""`bonus`: the stronger signal, and a share of the weaker one on top."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import polars as pl
from pydantic import Field

from runner.config import Component
from runner.fusion import _scale
from runner.fusion.contract import LegColumns


class Bonus(Component):
    """max + 0.3 · min of two signals in [0, 1], negatives counted as 0, a missing one as 0. Range [0, 1.3].

    A similarity is taken as it is; any other score is divided by the query's highest.
    """

    version: ClassVar[int] = 1
    name: Literal["bonus"] = "bonus"
    weight: float = Field(0.3, ge=0, le=1)

    def formula(self) -> str:
        """`max+0.3*min/v1` at the default weight."""
        return f"max+{self.weight:g}*min/v{self.version}"

    def check(self, legs: Sequence[str]) -> None:
        """Refuse other than two legs: the formula knows a stronger and a weaker one."""
        if len(legs) != 2:
            raise ValueError(f"fusion bonus joins two legs, retrieval has {len(legs)} ({', '.join(legs)})")

    def normalized(self, leg: LegColumns) -> pl.Expr:
        """See `Fusion`."""
        return leg.score.clip(lower_bound=0.0) if leg.similarity else _scale.by_max(leg.score)

    def fused(self, legs: Sequence[LegColumns]) -> pl.Expr:
        """See `Fusion`."""
        signals = [leg.normalized.fill_null(0.0) for leg in legs]
        return pl.max_horizontal(signals) + self.weight * pl.min_horizontal(signals)

    def ceiling(self, legs: Sequence[str]) -> float:
        """1 + weight."""
        return 1.0 + self.weight
