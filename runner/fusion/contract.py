"""What a fusion gives: two Polars expressions, one that normalises a leg and one that joins the legs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import polars as pl


@dataclass(frozen=True, slots=True)
class LegColumns:
    """A leg as a fusion sees it: null where the leg did not find (or did not admit) the chunk."""

    name: str
    similarity: bool
    """Scores are cosines in [-1, 1] already."""
    score: pl.Expr
    rank: pl.Expr
    """Counts from 1."""
    normalized: pl.Expr


@runtime_checkable
class Fusion(Protocol):
    """A component of the group `fusion`. With one leg it is not asked: fusion is then the identity."""

    name: str

    def formula(self) -> str:
        """Name and version of the formula, for the trace."""
        ...

    def check(self, legs: Sequence[str]) -> None:
        """Raise ValueError where the formula or its settings do not fit these legs."""
        ...

    def normalized(self, leg: LegColumns) -> pl.Expr:
        """The leg's signal on the fusion's scale, within each `query`; null where `leg.score` is."""
        ...

    def fused(self, legs: Sequence[LegColumns]) -> pl.Expr:
        """The fused score of a row; a leg that is null contributes nothing."""
        ...

    def ceiling(self, legs: Sequence[str]) -> float:
        """The highest fused score the formula can give."""
        ...
