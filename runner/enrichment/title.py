"""`title`: the title of the document that the chunk is from."""

from __future__ import annotations

from typing import ClassVar, Literal

import polars as pl

from runner.enrichment._text import TextHeader
from runner.enrichment.contract import Material


class Title(TextHeader):
    """The same line for all chunks of a document; none where it has no title."""

    needs: ClassVar[str] = "a document with a title"
    name: Literal["title"] = "title"

    def said(self, material: Material) -> pl.DataFrame:
        """See `TextHeader`."""
        titles = material.documents.filter(pl.col("title") != "").select("doc_id", situating_sentence="title")
        return material.chunks.select("chunk", "doc_id").join(titles, on="doc_id").drop("doc_id")
