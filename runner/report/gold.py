"""Gold of the questions of a page: quotes with their places, spans to mark, and where each item ended up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl
from markupsafe import Markup

from runner.report import prose
from runner.report.prose import Span
from runner.report.setups import Setup

QUOTES = 12
"""Gold items shown of a question."""


@dataclass(frozen=True, slots=True)
class Item:
    """One positive judgment: a span with its quote, or a whole document."""

    doc_id: str
    title: str
    start: int | None
    end: int | None
    grade: int
    quote: Markup | None

    @property
    def place(self) -> str:
        """`characters 8,412 to 8,551`."""
        return (
            "the whole document" if self.start is None else f"characters {self.start:,} to {self.end or 0:,}"
        )

    def meets(self, doc_id: str, start: int, end: int) -> bool:
        """Whether it shares a character with a span (or its document, when it is one)."""
        if doc_id != self.doc_id:
            return False
        return self.start is None or self.end is None or (start < self.end and end > self.start)


@dataclass(frozen=True, slots=True)
class Gold:
    """The gold of one question."""

    items: list[Item] = field(default_factory=list)
    spans: dict[str, list[Span]] = field(default_factory=dict)
    """By document, merged, ascending."""

    def marks(self, doc_id: str, start: int, end: int) -> list[Span]:
        """What to mark in the text of `[start, end)`, counted from `start`."""
        return prose.inside(self.spans.get(doc_id, []), start, end)


def gold_of(setup: Setup, query_ids: Sequence[str]) -> dict[str, Gold]:
    """The gold of these questions; every table is read once."""
    wanted = pl.col("query_id").is_in(list(query_ids)) & (pl.col("grade") >= 1)
    rows = setup.run.judgments.filter(wanted).sort("query_id", "doc_id", "start", "end").to_dicts()
    ids = list({r["doc_id"] for r in rows})
    documents = setup.run.corpus("documents").filter(pl.col("doc_id").is_in(ids))
    texts = {d: (text, title) for d, text, title in documents.select("doc_id", "text", "title").iter_rows()}
    out: dict[str, Gold] = {}
    for row in rows:
        text, title = texts.get(row["doc_id"], ("", ""))
        start, end = row["start"], row["end"]
        quote = None if start is None else prose.passage(text[start:end], [(0, end - start)])
        item = Item(row["doc_id"], title, start, end, row["grade"], quote)
        gold = out.setdefault(row["query_id"], Gold())
        gold.items.append(item)
        if start is not None:
            gold.spans[row["doc_id"]] = prose.union([*gold.spans.get(row["doc_id"], []), (start, end)])
    return out
