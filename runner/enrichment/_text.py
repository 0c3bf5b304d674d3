"""What the providers share whose header is a text that was there, or was asked for: one line, perhaps cut."""

from __future__ import annotations

import polars as pl
from pydantic import Field

from runner.enrichment.contract import Enrichment, Material, line
from runner.tokenizer.contract import Tokens


class TextHeader(Enrichment):
    """A header that is one text, the `situating_sentence`."""

    max_header_tokens: int | None = Field(None, gt=0)
    """Tokens of a header, in the run's tokenizer; a longer one ends after a token; null: no limit."""

    def said(self, material: Material) -> pl.DataFrame:
        """`chunk, situating_sentence`, and other columns of a header; a row per chunk that has a text."""
        raise NotImplementedError

    def headers(self, material: Material) -> pl.DataFrame:
        """See `Enrichment`."""
        frame = self.said(material)
        if self.max_header_tokens is None or frame.is_empty():
            return frame
        lines = frame.select(line(frame.columns).alias("text"))["text"].fill_null("")
        short = cut(lines, self.max_header_tokens, material.tokens)
        return frame.with_columns(pl.Series("situating_sentence", short, pl.String))


def cut(texts: pl.Series, limit: int, tokens: Tokens) -> list[str]:
    """`texts`, each of at most `limit` tokens."""
    distinct = texts.unique(maintain_order=True).to_list()
    counts = tokens.counts(distinct).tolist()
    short = {
        t: t if n <= limit else _beginning(t, limit, tokens) for t, n in zip(distinct, counts, strict=True)
    }
    return [short[t] for t in texts]


def _beginning(text: str, limit: int, tokens: Tokens) -> str:
    ends = tokens.offsets(text)[:, 1]
    for n in range(limit, 0, -1):  # a part by itself may have more tokens than it had in the whole
        part = text[: ends[n - 1]].rstrip()
        if int(tokens.counts([part])[0]) <= limit:
            return part
    return ""
