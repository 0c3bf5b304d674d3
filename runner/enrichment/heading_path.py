"""`heading_path`: the headings above the chunk, `Guide > Search > BM25`, where the strategy knows them."""

from __future__ import annotations

from typing import ClassVar, Literal

import polars as pl

from runner.enrichment._text import TextHeader
from runner.enrichment.contract import Material


class HeadingPath(TextHeader):
    """As the strategies `heading` and `notes` find it; others know none, and a warning says so."""

    needs: ClassVar[str] = "a heading (only the strategies heading and notes know any)"
    name: Literal["heading_path"] = "heading_path"

    def said(self, material: Material) -> pl.DataFrame:
        """See `TextHeader`."""
        if "heading" not in material.chunks.columns:
            return material.chunks.select("chunk").clear()
        known = material.chunks.filter(pl.col("heading").fill_null("") != "")
        return known.select("chunk", situating_sentence="heading")
