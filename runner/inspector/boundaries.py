"""Boundaries: where the chunks of a document begin and end, and which gold they cut."""

from __future__ import annotations

import polars as pl

from runner import parents
from runner.inspector.chunk_records import Border, Boundaries, GoldView
from runner.inspector.stored import Stored

Returned = tuple[str, int, int]
"""A chunk and the span that it returns."""


def boundaries(stored: Stored, doc_id: str, text: str) -> Boundaries:
    """Borders of the chunks as they are searched; gold held or cut by the spans as they are returned."""
    mine = stored.chunks.filter(pl.col("doc_id") == doc_id)
    returned = list(parents.returned(mine).select("chunk_id", "start", "end").iter_rows())
    asked = dict(stored.run.corpus("queries").select("query_id", "text").iter_rows())
    judged = stored.run.judgments.filter((pl.col("doc_id") == doc_id) & (pl.col("grade") >= 1))
    gold = [
        _gold(row, asked.get(row["query_id"], ""), returned)
        for row in judged.sort("start", "end", "query_id", nulls_last=True).iter_rows(named=True)
    ]
    borders = [Border(*row) for row in mine.select("chunk_id", "start", "end").iter_rows()]
    return Boundaries(text, tuple(borders), tuple(gold))


def _gold(row: dict[str, object], query: str, chunks: list[Returned]) -> GoldView:
    start, end, grade = row["start"], row["end"], row["grade"]
    held: list[str] = []
    best = 0.0
    if isinstance(start, int) and isinstance(end, int):
        held = [c for c, s, e in chunks if s <= start and end <= e]
        shares = [max(0, min(e, end) - max(s, start)) / (end - start) for _, s, e in chunks]
        best = max(shares, default=0.0)
        cut = not held
    else:  # a whole document is found with any of its chunks
        start = end = None
        held, best, cut = [c for c, *_ in chunks], float(bool(chunks)), False
    return GoldView(str(row["query_id"]), query, start, end, int(str(grade)), tuple(held), best, cut)
