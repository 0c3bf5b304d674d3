"""What an enrichment provider gives: a header per chunk, or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol, runtime_checkable

import polars as pl

from runner.records import ContextHeader


@runtime_checkable
class Enrichment(Protocol):
    """A component of the group `enrichment`; `none` is off: no header, no file, no other byte changes."""

    name: str
    off: ClassVar[bool]

    def headers(self, documents: pl.DataFrame, chunks: pl.DataFrame) -> Sequence[ContextHeader | None]:
        """One header or None per row of `chunks`, deterministic, whatever the order of the rows behind it."""
        ...
