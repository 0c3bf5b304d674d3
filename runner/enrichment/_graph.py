"""The graph as columns: which entities a chunk names, and the relations of each, best first."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from runner.enrichment import _places
from runner.kg.contract import Graph


def nodes(graph: Graph) -> pl.DataFrame:
    """All nodes with their place in the order of entities, `node`: confidence falling, label, node id."""
    ordered = graph.nodes.sort("confidence", "label", "node_id", descending=[True, False, False])
    return ordered.with_row_index("node").cast({"node": pl.Int64})


def entities(graph: Graph, known: pl.DataFrame, chunks: pl.DataFrame, least: float) -> pl.DataFrame:
    """The entities of each chunk: `chunk, node`, once each, in that order.

    A mention counts for the chunks that hold all of its span; one without a span for every chunk of its
    document. Mention and node must both have the confidence `least`.
    """
    sure = known.filter(pl.col("confidence") >= least).select("node_id", "node")
    mentions = graph.mentions.filter(pl.col("confidence") >= least).join(sure, on="node_id")
    placed = mentions.filter(pl.col("start").is_not_null())
    found = _places.inside(chunks, placed)
    at = found.select("chunk", placed["node"].gather(found["span"]).alias("node"))
    anywhere = mentions.filter(pl.col("start").is_null()).select("doc_id", "node").unique()
    of_document = chunks.select("chunk", "doc_id").join(anywhere, on="doc_id").select("chunk", "node")
    return pl.concat([at, of_document]).unique().sort("chunk", "node")


@dataclass(frozen=True, slots=True)
class Relations:
    """The relations of some entities."""

    triples: pl.Series
    """`A —label→ B` by row number."""
    kept: pl.DataFrame
    """`node, neighbor, triple, rank`: the best of each entity; `rank` compares across entities."""
    capped: pl.Series
    """The entities that have more."""


def relations(graph: Graph, known: pl.DataFrame, of: pl.Series, least: float, most: int) -> Relations:
    """The best `most` relations of each entity in `of`, in either direction.

    A relation needs the confidence `least`; its other end needs none. Order: confidence falling, label, id of
    the neighbor, source, target. Edges that differ in nothing but evidence or confidence are one, the surer.
    """
    places = known.sort("node_id").with_row_index("id").select("node_id", "node", "label", "id")
    edges = graph.edges.filter(pl.col("confidence") >= least)
    edges = edges.group_by("source", "label", "target").agg(pl.col("confidence").max())
    for end in ("source", "target"):
        names = {"node_id": end, "node": f"{end}_node", "label": f"{end}_label", "id": f"{end}_id"}
        edges = edges.join(places.rename(names), on=end)
    edges = edges.sort("label", "source_id", "target_id").with_row_index("triple").cast({"triple": pl.Int64})
    rendered = pl.format("{} —{}→ {}", "source_label", "label", "target_label")
    out = edges.select(_half("source", "target"))
    back = edges.filter(pl.col("source") != pl.col("target")).select(_half("target", "source"))
    half = pl.concat([out, back]).filter(pl.col("node").is_in(of.implode()))
    # `triple` stands for (label, source, target): its order is theirs.
    half = half.sort("confidence", "label", "neighbor_id", "triple", descending=[True, False, False, False])
    half = half.with_row_index("rank").cast({"rank": pl.Int64})
    nth = pl.int_range(pl.len()).over("node")
    return Relations(
        edges.select(rendered.alias("triple"))["triple"],
        half.filter(nth < most).select("node", "neighbor", "triple", "rank"),
        half.filter(pl.len().over("node") > most)["node"].unique().sort(),
    )


def _half(own: str, other: str) -> list[pl.Expr]:
    named = [pl.col(f"{own}_node").alias("node"), pl.col(f"{other}_node").alias("neighbor")]
    return [*named, pl.col(f"{other}_id").alias("neighbor_id"), pl.col("label", "confidence", "triple")]
