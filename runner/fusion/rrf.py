"""`rrf`: reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import polars as pl
from pydantic import Field

from runner.config import Component
from runner.fusion.contract import LegColumns


class RRF(Component):
    """Sum over legs of 1 ÷ (constant + rank), ranks from 1.

    A leg that did not find the chunk adds nothing.
    """

    version: ClassVar[int] = 1
    name: Literal["rrf"] = "rrf"
    constant: int = Field(60, ge=0)

    def formula(self) -> str:
        """For instance `sum(1/(60+rank))/v1`."""
        return f"sum(1/({self.constant}+rank))/v{self.version}"

    def check(self, legs: Sequence[str]) -> None:
        """Any number of legs will do."""

    def normalized(self, leg: LegColumns) -> pl.Expr:
        """The leg's own term of the sum."""
        return 1.0 / (self.constant + leg.rank)

    def fused(self, legs: Sequence[LegColumns]) -> pl.Expr:
        """See `Fusion`."""
        return pl.sum_horizontal([leg.normalized.fill_null(0.0) for leg in legs])

    def ceiling(self, legs: Sequence[str]) -> float:
        """First in every leg."""
        return len(legs) / (self.constant + 1)
