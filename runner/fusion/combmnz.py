"""`combmnz`: CombSUM times the number of legs that found the chunk (Fox and Shaw, TREC-2, 1994)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import polars as pl

from runner.config import Component
from runner.fusion import _scale
from runner.fusion.contract import LegColumns


class CombMNZ(Component):
    """(Σ normalised score) · legs that found the chunk: agreement counts.

    Fox and Shaw count nonzero similarities; here a leg counts when it returned the chunk, also where
    normalisation makes its worst hit 0. With `zscore` a negative sum is multiplied as well.
    """

    version: ClassVar[int] = 1
    name: Literal["combmnz"] = "combmnz"
    normalization: _scale.Normalization = "min_max"

    def formula(self) -> str:
        """For instance `found*sum(min_max)/v1`."""
        return f"found*sum({self.normalization})/v{self.version}"

    def check(self, legs: Sequence[str]) -> None:
        """Any number of legs will do."""

    def normalized(self, leg: LegColumns) -> pl.Expr:
        """See `_scale.normalized`."""
        return _scale.normalized(leg, self.normalization)

    def fused(self, legs: Sequence[LegColumns]) -> pl.Expr:
        """See `Fusion`."""
        return _scale.found(legs) * _scale.total(legs, [leg.normalized for leg in legs])

    def ceiling(self, legs: Sequence[str]) -> float:
        """Best in every leg: their number squared; infinite for z-scores."""
        return len(legs) ** 2 * _scale.highest(self.normalization)
