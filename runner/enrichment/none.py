"""`none`: no enrichment; the embedding input is prompt + text."""

from __future__ import annotations

from typing import ClassVar, Literal

import polars as pl

from runner.enrichment.contract import Enrichment, Material


class NoEnrichment(Enrichment):
    """Off."""

    off: ClassVar[bool] = True
    name: Literal["none"] = "none"

    def headers(self, material: Material) -> pl.DataFrame:
        """No header for any chunk."""
        return material.chunks.select("chunk").clear()
