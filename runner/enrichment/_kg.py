"""What the providers that read the knowledge graph share: gates, caps, a budget, and the header they make."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import polars as pl
from pydantic import Field

from runner.enrichment import _budget, _graph
from runner.enrichment._budget import ENTITY, TRIPLE
from runner.enrichment.contract import Enrichment, Material
from runner.errors import ComponentError


class Caps(NamedTuple):
    """Gates and caps, as the fields of `GraphHeader` say them."""

    min_entity_confidence: float
    min_edge_confidence: float
    max_neighbors_per_entity: int
    max_triples: int
    max_header_tokens: int | None


class GraphHeader(Enrichment):
    """The knobs of a header made of entities and triples; see `header`."""

    reads_graph: ClassVar[bool] = True
    min_entity_confidence: float = Field(0.5, ge=0, le=1)
    """Least confidence of a mention, and of the node it names."""
    min_edge_confidence: float = Field(0.5, ge=0, le=1)
    """Least confidence of a relation; the node at its other end needs none."""
    max_neighbors_per_entity: int = Field(3, gt=0)
    """Relations that one entity contributes, in either direction."""
    max_triples: int = Field(8, gt=0)
    """Relations in a header."""
    max_header_tokens: int | None = Field(64, gt=0)
    """Tokens of a header, in the run's tokenizer; null: no limit."""

    def caps(self) -> Caps:
        """The fields."""
        return Caps(
            self.min_entity_confidence,
            self.min_edge_confidence,
            self.max_neighbors_per_entity,
            self.max_triples,
            self.max_header_tokens,
        )


def header(material: Material, caps: Caps, *, entities: bool = True, triples: bool = True) -> pl.DataFrame:
    """Headers that name the entities of a chunk and their best relations (or only one of the two).

    An entity is one that a mention wholly inside the chunk names (a mention without a span: anywhere in its
    document). Entities stand in the order of confidence (falling), label, node id; triples in that of
    confidence (falling), label, id of the neighbor, source, target. A triple reached from two entities counts
    once. What does not fit into the budget is left out whole: triples from the weakest up, then entities.

    `kg_node_ids` has all entities of the chunk, those that the header names first; `neighbor_node_ids` the
    nodes that its triples reach; `capped_node_ids` the entities with more relations than one may contribute.
    """
    if material.graph is None:
        raise ComponentError("this enrichment reads a knowledge graph, and was given none")
    nodes = _graph.nodes(material.graph)
    own = _graph.entities(material.graph, nodes, material.chunks, caps.min_entity_confidence)
    names = own.select("chunk", kind=ENTITY, item="node", text=nodes["label"].gather(own["node"]))
    out = own.select("chunk").unique(maintain_order=True)
    parts = [names] if entities else []
    if triples:
        related = _graph.relations(
            material.graph,
            nodes,
            own["node"].unique(),
            caps.min_edge_confidence,
            caps.max_neighbors_per_entity,
        )
        reached = own.join(related.kept, on="node").sort("chunk", "rank")
        best = reached.unique(["chunk", "triple"], keep="first", maintain_order=True)
        best = best.filter(_nth() < caps.max_triples)
        said = related.triples.gather(best["triple"])
        parts.append(best.select("chunk", kind=TRIPLE, item="triple", text=said))
    pieces = pl.concat(parts).with_columns(_nth("chunk", "kind").alias("nth")).sort("chunk", "kind", "nth")
    kept = _budget.within(pieces, caps.max_header_tokens, material.tokens)
    typed = kept.filter(pl.col("kind") == ENTITY)
    typed = typed.with_columns(nodes["type"].gather(typed["item"]).alias("text"))
    columns = [
        _ids(own, "node", nodes, "kg_node_ids"),
        _budget.lists(kept, ENTITY, "entities"),
        _budget.lists(typed, ENTITY, "entity_types"),
    ]
    if triples:
        ends = kept.filter(pl.col("kind") == TRIPLE).select("chunk", "nth", triple="item")
        near = reached.join(ends, on=["chunk", "triple"]).sort("chunk", "nth", "neighbor")
        near = near.unique(["chunk", "neighbor"], keep="first", maintain_order=True)
        hubs = own.filter(pl.col("node").is_in(related.capped.implode()))
        columns += [
            _budget.lists(kept, TRIPLE, "neighbor_triples"),
            _ids(near, "neighbor", nodes, "neighbor_node_ids"),
            _ids(hubs, "node", nodes, "capped_node_ids"),
        ]
    for column in columns:
        out = out.join(column, on="chunk", how="left", maintain_order="left")
    return out


def _nth(*by: str) -> pl.Expr:
    return pl.int_range(pl.len()).over(by or ("chunk",))


def _ids(rows: pl.DataFrame, column: str, nodes: pl.DataFrame, name: str) -> pl.DataFrame:
    named = rows.select("chunk", nodes["node_id"].gather(rows[column]).alias(name))
    return named.group_by("chunk", maintain_order=True).agg(name)
