"""The books of the graph: what a component gave is sound (ids, places, confidences), and in one order."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from runner import tables
from runner.errors import ComponentError
from runner.kg.contract import Graph
from runner.records import Edge, Mention, Node

PARTS: Mapping[str, type] = {"mentions": Mention, "nodes": Node, "edges": Edge}


def checked(graph: Graph, documents: pl.DataFrame, name: str) -> Graph:
    """`graph` with the columns of the records, sorted by all of them.

    Raises:
        ComponentError: an id twice, a reference to what there is not, a span outside its document, a
            confidence outside [0, 1]; names the component and the first row at fault.
    """
    parts = {p: tables.conform(getattr(graph, p), r).select(list(tables.schema(r))) for p, r in PARTS.items()}
    lengths = documents.select("doc_id", pl.col("text").str.len_chars().cast(pl.Int64).alias("length"))
    start, end = pl.col("start"), pl.col("end")
    placed = parts["mentions"].join(lengths, on="doc_id", how="left")
    inside = (start.is_null() & end.is_null()) | ((start >= 0) & (start < end) & (end <= pl.col("length")))
    known = parts["nodes"]["node_id"].implode()
    faults = {
        "a mention_id twice": parts["mentions"].filter(pl.col("mention_id").is_duplicated()),
        "a node_id twice": parts["nodes"].filter(pl.col("node_id").is_duplicated()),
        "a mention of an unknown document": placed.filter(pl.col("length").is_null()),
        "a mention outside its document": placed.filter(~inside.fill_null(False)),
        "a mention of an unknown node": placed.filter(~pl.col("node_id").is_in(known)),
        "an edge from an unknown node": parts["edges"].filter(~pl.col("source").is_in(known)),
        "an edge to an unknown node": parts["edges"].filter(~pl.col("target").is_in(known)),
        **{f"a confidence outside [0, 1] among the {p}": _unlikely(frame) for p, frame in parts.items()},
    }
    for what, rows in faults.items():
        if rows.height:
            raise ComponentError(f"kg {name}: {what}, first {rows.row(0)[:3]}")
    return Graph(**{p: frame.sort(frame.columns) for p, frame in parts.items()})


def _unlikely(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(
        ~pl.col("confidence").is_between(0, 1).fill_null(False) | pl.col("confidence").is_nan()
    )


def facts(graph: Graph) -> dict[str, int]:
    """How many nodes, edges and mentions."""
    return {p: getattr(graph, p).height for p in PARTS}
