"""The slow and obvious way to a `kg_header`: one chunk, entity and edge after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from runner.enrichment.contract import Material
from runner.kg.contract import Graph

Triple = tuple[str, str, str]
"""Source, label, target."""


@dataclass(frozen=True)
class Caps:
    """As the fields of `KgHeader`."""

    neighbors: int
    triples: int
    budget: int | None
    entity: float = 0.5
    edge: float = 0.5


def plainly(given: Material, caps: Caps) -> dict[int, dict[str, Any]]:
    """What `kg_header` must give each chunk."""
    assert given.graph is not None
    best = _edges(given.graph, caps.edge)
    nodes = {n["node_id"]: n for n in given.graph.nodes.iter_rows(named=True)}
    out = {}
    for chunk in given.chunks.iter_rows(named=True):
        own = _entities(given.graph, nodes, chunk, caps.entity)
        row = _header(given, nodes, best, own, caps)
        if row["entities"] or row["neighbor_triples"]:
            out[chunk["chunk"]] = row
    return out


def _edges(graph: Graph, least: float) -> dict[Triple, float]:
    best: dict[Triple, float] = {}
    for e in graph.edges.iter_rows(named=True):
        if e["confidence"] >= least:
            name = (e["source"], e["label"], e["target"])
            best[name] = max(best.get(name, 0.0), e["confidence"])
    return best


def _entities(graph: Graph, nodes: dict[str, Any], chunk: dict[str, Any], least: float) -> list[str]:
    own = set()
    for m in graph.mentions.iter_rows(named=True):
        here = m["doc_id"] == chunk["doc_id"] and (
            m["start"] is None or (chunk["start"] <= m["start"] and m["end"] <= chunk["end"])
        )
        if here and m["node_id"] and min(m["confidence"], nodes[m["node_id"]]["confidence"]) >= least:
            own.add(m["node_id"])
    return sorted(own, key=lambda n: (-nodes[n]["confidence"], nodes[n]["label"], n))


def _header(
    given: Material, nodes: dict[str, Any], best: dict[Triple, float], own: list[str], caps: Caps
) -> dict[str, Any]:
    places: dict[Triple, tuple[Any, ...]] = {}
    reached: list[tuple[Triple, str]] = []
    capped = []
    for node in own:
        mine = sorted(
            (-c, label, target if source == node else source, source, target)
            for (source, label, target), c in best.items()
            if node in {source, target}
        )
        capped += [node] if len(mine) > caps.neighbors else []
        for place in mine[: caps.neighbors]:
            name = (place[3], place[1], place[4])
            places[name] = min(places.get(name, place), place)
            reached.append((name, place[2]))
    kept = sorted(places, key=places.__getitem__)[: caps.triples]
    said = [f"{nodes[s]['label']} —{label}→ {nodes[t]['label']}" for s, label, t in kept]
    named = [nodes[n]["label"] for n in own]
    while caps.budget is not None and (named or said) and _tokens(given, named, said) > caps.budget:
        (said or named).pop()
    return {
        "entities": named,
        "neighbor_triples": said,
        "kg_node_ids": own,
        "neighbors": {n for name, n in reached if name in kept[: len(said)]},
        "capped_node_ids": capped,
    }


def _tokens(given: Material, named: list[str], said: list[str]) -> int:
    line = " | ".join(part for part in (", ".join(named), "; ".join(said)) if part)
    return int(given.tokens.counts([line])[0])
