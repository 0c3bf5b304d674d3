"""Documents for tests of the graph."""

from __future__ import annotations

import polars as pl

from runner import tables
from runner.kg.contract import Graph
from runner.records import Document


def documents(*texts: str, titles: tuple[str, ...] = ()) -> pl.DataFrame:
    """`d0`, `d1` … with these texts."""
    title = [*titles, *[""] * (len(texts) - len(titles))]
    rows = [(f"d{i}", text, title[i], "{}") for i, text in enumerate(texts)]
    return pl.DataFrame(rows, tables.schema(Document), orient="row")


def named(graph: Graph, frame: pl.DataFrame) -> list[tuple[str, str | None]]:
    """The text of every mention and its node, in the order of the texts."""
    texts = dict(frame.select("doc_id", "text").iter_rows())
    rows = graph.mentions.sort("doc_id", "start").select("doc_id", "start", "end", "node_id").iter_rows()
    return [(texts[d][s:e], node) for d, s, e, node in rows]
