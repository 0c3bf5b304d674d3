"""The graph of a data set in the making: mentions, nodes and edges go in and are checked, frames come out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from runner.dataset import _read as read
from runner.dataset._build import Builder, encodable, frame
from runner.dataset._problems import Bad
from runner.dataset._read import Row, field
from runner.dataset.contract import Corpus
from runner.keys import canonical
from runner.records import Edge, Mention, Node
from runner.text import is_blank, one_line

PARTS = ("mentions", "nodes", "edges")
"""Files of a `kg/`, in the order in which they are read: each names only what comes before it."""
Span = tuple[str, int, int]
"""Document, and code points `[start, end)` of it."""


class GraphBuilder:
    """A knowledge graph over the documents of a `Builder`, which notes what is wrong with it.

    Its methods raise `Bad` for a row that cannot be part of the graph.
    """

    def __init__(self, build: Builder) -> None:
        self._build = build
        self._mentions: dict[str, tuple[str, int | None, int | None, str, float]] = {}
        self._nodes: dict[str, tuple[str, str, float]] = {}
        self._edges: dict[tuple[str, str, str], tuple[float, str]] = {}
        self._node_of: dict[str, str] = {}

    def mention(
        self,
        mention_id: str,
        doc_id: str,
        start: int | None,
        end: int | None,
        entity_type: str,
        confidence: float = 1.0,
        text: str | None = None,
    ) -> None:
        """Add an entity named at `[start, end)` of a document, or (both None) somewhere in it.

        `text`, where it is given, must be what stands there.
        """
        self._build.new("mention_id", mention_id)
        found = self._build.part(doc_id, start, end)
        if start is None and text is not None and text not in found:
            raise Bad("wrong text", f"'{one_line(doc_id)}' does not name '{one_line(text)}' anywhere")
        if start is not None and text is not None and text != found:
            where = f"[{start}, {end}) of '{one_line(doc_id)}'"
            raise Bad("wrong text", f"{where} is '{one_line(found)}', not '{one_line(text)}'")
        kept = (doc_id, start, end, _named("entity_type", entity_type), _likely(confidence))
        self._mentions[mention_id] = kept
        self._build.places["mention_id", mention_id] = self._build.problems.place

    def node(
        self, node_id: str, label: str, type: str, mention_ids: Sequence[Any] = (), confidence: float = 1.0
    ) -> None:
        """Add a canonical entity. A mention that cannot be a member is noted; the node stays without it."""
        self._build.new("node_id", node_id)
        self._nodes[node_id] = (_named("label", label), _named("type", type), _likely(confidence))
        problems = self._build.problems
        self._build.places["node_id", node_id] = problems.place
        problems.each(((problems.place, m) for m in mention_ids), lambda m: self._member(m, node_id))

    def _member(self, mention_id: Any, node_id: str) -> None:
        name = field({"mention_ids": mention_id}, "mention_ids", str)
        if name not in self._mentions:
            raise Bad("unknown mention", f"names mention '{one_line(name)}', which there is not")
        if name in self._node_of:
            other = one_line(self._node_of[name])
            raise Bad("mention in two nodes", f"mention '{one_line(name)}' is a member of '{other}' already")
        self._node_of[name] = node_id

    def edge(
        self, source: str, label: str, target: str, confidence: float = 1.0, evidence: Sequence[Span] = ()
    ) -> None:
        """Add a relation `source —label→ target`; the evidence is where it is said."""
        for end in (source, target):
            if end not in self._nodes:
                raise Bad("unknown node", f"names node '{one_line(end)}', which there is not")
        key = (source, _named("label", label), target)
        if key in self._edges:
            said = f"{one_line(source)} —{one_line(label)}→ {one_line(target)}"
            raise Bad("duplicate edge", f"the edge {said} is there already")
        for place in evidence:
            self._build.part(*place)
        spans = [{"doc_id": d, "start": s, "end": e} for d, s, e in sorted(set(evidence))]
        self._edges[key] = (_likely(confidence), canonical(spans))

    def added(self, corpus: Corpus) -> Corpus:
        """`corpus` with this graph."""
        mentions = [(m, *rest, self._node_of.get(m)) for m, rest in self._mentions.items()]
        edges = [(*key, *rest) for key, rest in self._edges.items()]
        parts = (
            frame(Mention, mentions),
            frame(Node, [(n, *rest) for n, rest in self._nodes.items()]),
            frame(Edge, edges),
        )
        sound = [made.sort(made.columns) for made in parts]
        return replace(corpus, mentions=sound[0], nodes=sound[1], edges=sound[2])


def mention(graph: GraphBuilder, row: Row) -> None:
    """Add a row of `mentions`."""
    read.only(row, ("mention_id", "doc_id", "start", "end", "entity_type", "confidence", "text"))
    start, end = (None if row.get(k) is None else field(row, k, int) for k in ("start", "end"))
    text = None if row.get("text") is None else field(row, "text", str)
    mention_id, doc_id, kind = (field(row, k, str) for k in ("mention_id", "doc_id", "entity_type"))
    graph.mention(mention_id, doc_id, start, end, kind, _confidence(row), text)


def node(graph: GraphBuilder, row: Row) -> None:
    """Add a row of `nodes`."""
    read.only(row, ("node_id", "label", "type", "mention_ids", "confidence"))
    node_id, label, type = (field(row, k, str) for k in ("node_id", "label", "type"))
    graph.node(node_id, label, type, field(row, "mention_ids", list, []), _confidence(row))


def edge(graph: GraphBuilder, row: Row) -> None:
    """Add a row of `edges`."""
    read.only(row, ("source", "label", "target", "confidence", "evidence"))
    source, label, target = (field(row, k, str) for k in ("source", "label", "target"))
    evidence = [_span(read.as_object(e)) for e in field(row, "evidence", list, [])]
    graph.edge(source, label, target, _confidence(row), evidence)


def situating(build: Builder, row: Row) -> None:
    """Add a row of `situating`."""
    read.only(row, ("doc_id", "text", "start", "end"))
    start, end = (None if row.get(k) is None else field(row, k, int) for k in ("start", "end"))
    build.situate(field(row, "doc_id", str), field(row, "text", str), start, end)


def _span(row: Row) -> Span:
    read.only(row, ("doc_id", "start", "end"))
    return field(row, "doc_id", str), field(row, "start", int), field(row, "end", int)


def _confidence(row: Row) -> float:
    """A confidence is 1 where it is left out; JSON writes 1.0 as 1 at times."""
    value = row.get("confidence")
    return float(value) if type(value) is int else field(row, "confidence", float, 1.0)


def _likely(confidence: float) -> float:
    if not 0 <= confidence <= 1:  # NaN is not either
        raise Bad("confidence out of range", f"confidence {confidence:g} is not within [0, 1]")
    return confidence


def _named(what: str, value: str) -> str:
    if is_blank(value):
        raise Bad(f"blank {what}", f"`{what}` is blank")
    return encodable(what, value)
