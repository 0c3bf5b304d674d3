"""`precomputed`: the situating texts that the data set brings along."""

from __future__ import annotations

from typing import ClassVar, Literal

import polars as pl

from runner.enrichment import _places
from runner.enrichment._text import TextHeader
from runner.enrichment.contract import Material
from runner.errors import ComponentError


class Precomputed(TextHeader):
    """The text whose span covers most of the chunk, else the one of the whole document.

    Of several that cover as much, the shorter span counts, then the earlier, then the text that comes first
    in the order of code points. A chunk for which there is none has no header.
    """

    reads_situating: ClassVar[bool] = True
    needs: ClassVar[str] = "a situating text for its place or document"
    name: Literal["precomputed"] = "precomputed"

    def said(self, material: Material) -> pl.DataFrame:
        """See `TextHeader`."""
        if material.situating is None:
            raise ComponentError("enrichment precomputed: the data set brings no situating texts")
        placed = material.situating.filter(pl.col("start").is_not_null())
        found = _places.overlapping(material.chunks, placed)
        spans = placed.select("start", (pl.col("end") - pl.col("start")).alias("length"), "text")
        near = pl.concat([found.select("chunk", "shared"), spans[found["span"]]], how="horizontal")
        near = near.sort("chunk", "shared", "length", "start", "text", descending=[False, True, *[False] * 3])
        near = near.unique("chunk", keep="first", maintain_order=True).select("chunk", "text")
        of_document = material.situating.filter(pl.col("start").is_null()).group_by("doc_id")
        wide = material.chunks.select("chunk", "doc_id").join(
            of_document.agg(pl.col("text").min()), on="doc_id"
        )
        rest = wide.join(near, on="chunk", how="anti").select("chunk", "text")
        return pl.concat([near, rest]).rename({"text": "situating_sentence"})
