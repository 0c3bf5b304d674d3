"""`rrf`: reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import ClassVar, Literal

import polars as pl
from pydantic import Field

from runner.config import Component
from runner.fusion import _scale, _weights
from runner.fusion.contract import LegColumns


class RRF(Component):
    """Sum over legs of weight ÷ (constant + rank), ranks from 1.

    A leg that did not find the chunk adds nothing.
    """

    version: ClassVar[int] = 1
    name: Literal["rrf"] = "rrf"
    constant: int = Field(60, ge=0)
    weights: dict[str, float] = Field(default_factory=dict)
    """By leg, each > 0, taken as they are; empty: all 1, the published formula."""

    def formula(self) -> str:
        """For instance `sum(1/(60+rank))/v1`."""
        return f"sum({'w' if self.weights else '1'}/({self.constant}+rank))/v{self.version}"

    def check(self, legs: Sequence[str]) -> None:
        """Any number of legs will do; weights must name exactly the legs, and be positive."""
        _weights.check(self.weights, legs)

    def normalized(self, leg: LegColumns) -> pl.Expr:
        """The leg's own term of the sum."""
        return self.weights.get(leg.name, 1.0) / (self.constant + leg.rank)

    def fused(self, legs: Sequence[LegColumns]) -> pl.Expr:
        """See `Fusion`."""
        return _scale.total(legs, [leg.normalized for leg in legs])

    def ceiling(self, legs: Sequence[str]) -> float:
        """First in every leg."""
        return fsum(self.weights.get(leg, 1.0) for leg in legs) / (self.constant + 1)
