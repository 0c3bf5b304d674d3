"""`combsum`: the sum of the legs' normalised scores (Fox and Shaw, TREC-2, 1994)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import polars as pl

from runner.config import Component
from runner.fusion import _scale
from runner.fusion.contract import LegColumns


class CombSUM(Component):
    """Σ normalised score; a leg that did not find the chunk adds nothing.

    Fox and Shaw added the raw similarities of runs of one system. Legs of different scales have to be
    normalised first, which is why that is a field here.
    """

    version: ClassVar[int] = 1
    name: Literal["combsum"] = "combsum"
    normalization: _scale.Normalization = "min_max"

    def formula(self) -> str:
        """For instance `sum(min_max)/v1`."""
        return f"sum({self.normalization})/v{self.version}"

    def check(self, legs: Sequence[str]) -> None:
        """Any number of legs will do."""

    def normalized(self, leg: LegColumns) -> pl.Expr:
        """See `_scale.normalized`."""
        return _scale.normalized(leg, self.normalization)

    def fused(self, legs: Sequence[LegColumns]) -> pl.Expr:
        """See `Fusion`."""
        return _scale.total(legs, [leg.normalized for leg in legs])

    def ceiling(self, legs: Sequence[str]) -> float:
        """Best in every leg: their number; infinite for z-scores."""
        return len(legs) * _scale.highest(self.normalization)
