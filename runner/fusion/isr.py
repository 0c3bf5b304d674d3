"""`isr`: inverse square rank (Mourão, Martins and Magalhães, Comput. Med. Imaging Graph. 39, 2015)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import polars as pl

from runner.config import Component
from runner.fusion import _scale
from runner.fusion.contract import LegColumns


class ISR(Component):
    """(Σ 1 ÷ rank²) · legs that found the chunk, ranks from 1.

    It drops so steeply (1, ¼, ⅑) that a leg's first place is rarely overruled. Not the paper's logISR, which
    multiplies by the logarithm of the number of legs.
    """

    version: ClassVar[int] = 1
    name: Literal["isr"] = "isr"

    def formula(self) -> str:
        """`found*sum(1/rank^2)/v1`."""
        return f"found*sum(1/rank^2)/v{self.version}"

    def check(self, legs: Sequence[str]) -> None:
        """Any number of legs will do."""

    def normalized(self, leg: LegColumns) -> pl.Expr:
        """The leg's own term of the sum."""
        return 1.0 / (leg.rank * leg.rank)

    def fused(self, legs: Sequence[LegColumns]) -> pl.Expr:
        """See `Fusion`."""
        return _scale.found(legs) * _scale.total(legs, [leg.normalized for leg in legs])

    def ceiling(self, legs: Sequence[str]) -> float:
        """First in every leg: their number squared."""
        return float(len(legs) ** 2)
