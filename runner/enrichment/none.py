"""`none`: no enrichment; the embedding input is prompt + text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import polars as pl

from runner.config import Component
from runner.records import ContextHeader


class NoEnrichment(Component):
    """Off."""

    off: ClassVar[bool] = True
    name: Literal["none"] = "none"

    def headers(self, documents: pl.DataFrame, chunks: pl.DataFrame) -> Sequence[ContextHeader | None]:
        """None for every chunk."""
        return [None] * chunks.height
