"""`weighted`: a weighted sum of min-max normalised scores (Bruch, Gai and Ingber, TOIS 2023)."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import ClassVar, Literal

import polars as pl
from pydantic import Field

from runner.config import Component
from runner.fusion import _scale
from runner.fusion.contract import LegColumns


class Weighted(Component):
    """Σ weight · normalised score.

    Weights sum to 1 after division by their sum; a missing leg adds nothing.
    """

    version: ClassVar[int] = 1
    name: Literal["weighted"] = "weighted"
    weights: dict[str, float] = Field(default_factory=dict)
    """By leg, each > 0; empty: all equal."""
    normalization: Literal["min_max"] = "min_max"

    def formula(self) -> str:
        """For instance `sum(w*min_max)/v1`."""
        return f"sum(w*{self.normalization})/v{self.version}"

    def check(self, legs: Sequence[str]) -> None:
        """Weights must name exactly the legs, and be positive."""
        if self.weights and set(self.weights) != set(legs):
            raise ValueError(
                f"fusion.weights name {sorted(self.weights)}, retrieval has the legs {sorted(legs)}"
            )
        if any(w <= 0 for w in self.weights.values()):
            raise ValueError("fusion.weights: a weight must be above 0; leave the leg out instead")

    def _share(self, leg: str, legs: Sequence[str]) -> float:
        return self.weights[leg] / fsum(self.weights.values()) if self.weights else 1.0 / len(legs)

    def normalized(self, leg: LegColumns) -> pl.Expr:
        """See `Fusion`."""
        return _scale.min_max(leg.score)

    def fused(self, legs: Sequence[LegColumns]) -> pl.Expr:
        """See `Fusion`."""
        names = [leg.name for leg in legs]
        return pl.sum_horizontal(
            [self._share(leg.name, names) * leg.normalized.fill_null(0.0) for leg in legs]
        )

    def ceiling(self, legs: Sequence[str]) -> float:
        """Best in every leg."""
        return 1.0
