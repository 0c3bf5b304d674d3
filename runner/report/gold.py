"""Gold of the questions of a page: quotes with their places, spans to mark, and where each item ended up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl
from markupsafe import Markup

from runner.records import QueryTrace
from runner.report import numbers, prose
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


def chunks_near(setup: Setup, golds: Mapping[str, Gold]) -> dict[str, list[tuple[str, int, int]]]:
    """`chunk_id, start, end` of the chunks of every document that holds gold, by document."""
    ids = list({item.doc_id for g in golds.values() for item in g.items})
    found = setup.run.chunks.filter(pl.col("doc_id").is_in(ids))
    out: dict[str, list[tuple[str, int, int]]] = {}
    for doc_id, *place in found.select("doc_id", "chunk_id", "start", "end").iter_rows():
        out.setdefault(doc_id, []).append((place[0], place[1], place[2]))
    return out


def whereabouts(item: Item, trace: QueryTrace, near: Mapping[str, list[tuple[str, int, int]]]) -> str:
    """Where an item ended up for a question: in which hits and windows, or how near it came."""
    at = _in_context(item, trace)
    if at:
        return "in " + numbers.listed(at)
    holding = {c for c, start, end in near.get(item.doc_id, []) if item.meets(item.doc_id, start, end)}
    if not holding:
        return "in no chunk: this chunking left it out"
    reached = [c for c in trace.candidates if c.chunk_id in holding]
    if not reached:
        return f"not in the context; no chunk with it is among the {len(trace.candidates):,} candidates"
    best = min(reached, key=lambda c: (c.fused_rank is None, c.fused_rank or 0))
    rank = "not fused" if best.fused_rank is None else f"fused rank {best.fused_rank:,}"
    return f"not in the context; its best chunk came to {rank}: {best.drop_reason or best.fate}"


def _in_context(item: Item, trace: QueryTrace) -> list[str]:
    hits = [h.rank for h in trace.expansion_tree if item.meets(h.hit.doc_id, h.hit.start, h.hit.end)]
    around = [
        h.rank
        for h in trace.expansion_tree
        for m in (*h.neighbors_prev, *h.neighbors_next)
        if m.role == "neighbor" and item.meets(m.doc_id, m.start, m.end)
    ]
    out = [f"{'hit' if len(hits) == 1 else 'hits'} {numbers.listed(hits)}"] if hits else []
    if around:
        distinct = list(dict.fromkeys(around))
        out.append(f"the neighbors of {'hit' if len(distinct) == 1 else 'hits'} {numbers.listed(distinct)}")
    return out
