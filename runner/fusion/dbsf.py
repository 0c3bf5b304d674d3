"""`dbsf`: distribution-based score fusion (Mazzeschi 2023; the variant of Qdrant's query API)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import polars as pl

from runner.config import Component
from runner.fusion import _scale
from runner.fusion.contract import LegColumns


class DBSF(Component):
    """Σ (score − low) ÷ (high − low), low and high being mean ∓ 3 standard deviations of the leg's hits.

    The deviation is that of a sample (n − 1), as in Qdrant. A lone hit and equal scores are their own mean
    and give 0.5, as there: with another value a hit could fall when its score rises a little. Scores beyond
    3 deviations are cut off at 0 and 1, which Qdrant does not do, so that the formula has a ceiling.
    """

    version: ClassVar[int] = 1
    name: Literal["dbsf"] = "dbsf"

    def formula(self) -> str:
        """`sum(mean±3sd)/v1`."""
        return f"sum(mean±3sd)/v{self.version}"

    def check(self, legs: Sequence[str]) -> None:
        """Any number of legs will do."""

    def normalized(self, leg: LegColumns) -> pl.Expr:
        """(s − (mean − 3σ)) ÷ 6σ, which is z ÷ 6 + ½."""
        return (_scale.zscore(leg.score, pl.lit(0.0), 1) / 6.0 + 0.5).clip(0.0, 1.0)

    def fused(self, legs: Sequence[LegColumns]) -> pl.Expr:
        """See `Fusion`."""
        return _scale.total(legs, [leg.normalized for leg in legs])

    def ceiling(self, legs: Sequence[str]) -> float:
        """Three deviations above the mean in every leg: their number."""
        return float(len(legs))
