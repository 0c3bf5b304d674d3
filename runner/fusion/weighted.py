"""`weighted`: a weighted sum of normalised scores (Bruch, Gai and Ingber, TOIS 2023)."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import ClassVar, Literal

import polars as pl
from pydantic import Field

from runner.config import Component
from runner.fusion import _scale, _weights
from runner.fusion.contract import LegColumns


class Weighted(Component):
    """Σ weight · normalised score.

    Weights sum to 1 after division by their sum; a missing leg adds nothing. With
    `normalization: theoretical_min_max` this is the paper's TM2C2.
    """

    version: ClassVar[int] = 1
    name: Literal["weighted"] = "weighted"
    weights: dict[str, float] = Field(default_factory=dict)
    """By leg, each > 0; empty: all equal."""
    normalization: _scale.Normalization = "min_max"

    def formula(self) -> str:
        """For instance `sum(w*min_max)/v1`."""
        return f"sum(w*{self.normalization})/v{self.version}"

    def check(self, legs: Sequence[str]) -> None:
        """Weights must name exactly the legs, and be positive."""
        _weights.check(self.weights, legs)

    def _share(self, leg: str, legs: Sequence[str]) -> float:
        return self.weights[leg] / fsum(self.weights.values()) if self.weights else 1.0 / len(legs)

    def normalized(self, leg: LegColumns) -> pl.Expr:
        """See `_scale.normalized`."""
        return _scale.normalized(leg, self.normalization)

    def fused(self, legs: Sequence[LegColumns]) -> pl.Expr:
        """See `Fusion`."""
        names = [leg.name for leg in legs]
        return _scale.total(legs, [self._share(leg.name, names) * leg.normalized for leg in legs])

    def ceiling(self, legs: Sequence[str]) -> float:
        """Best in every leg: 1; infinite for z-scores."""
        return _scale.highest(self.normalization)
