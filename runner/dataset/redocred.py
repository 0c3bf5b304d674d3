"""Re-DocRED, dev split: 500 Wikipedia texts with a gold graph, and questions made from its triples."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from runner.config import Component
from runner.dataset import _read as read
from runner.dataset._build import Builder
from runner.dataset._graph import GraphBuilder
from runner.dataset._problems import Bad
from runner.dataset._read import Row
from runner.dataset._relations import RELATIONS
from runner.dataset.contract import Corpus, OnBad, locate

NOTES = (
    "redocred: the questions are templated, one sentence a relation filled in from the triples of its graph; "
    "nobody asked them, and their gold is the evidence sentences that annotators noted. Headers made of that "
    "graph know what was asked: read their gain beside that of enrichment=shuffled",
)
Span = tuple[str, int, int]
"""Document, and code points `[start, end)` of it."""


@dataclass(slots=True)
class _Asked:
    """A question in the making: the same words about another document are the same question."""

    relation: str
    gold: set[Span] = field(default_factory=set)


class Redocred(Component):
    """The text of a document is its tokens, joined by one blank within and between sentences, and no more.

    So every span is exact. Entities stay apart by document, as they were annotated: `Paris` of two texts may
    be two towns, and a merge by name would be a guess of ours in a gold graph. An entity is called by its
    longest mention. All confidences are 1.

    A question is made of a head and a relation: `questions` of those that some triple has evidence sentences
    for, which are its gold as spans; those of the same words in several documents are one question. They are
    chosen by the digest of their words, so a larger number keeps those of a smaller one.
    """

    name: Literal["redocred"] = "redocred"
    path: str = "redocred"
    """The folder: absolute, or under the data root."""
    questions: int = Field(500, gt=0)
    """How many questions at most."""
    on_bad: OnBad = "error"
    """What a bad entry does: fail the data set with its place, or be left out and counted."""

    def sources(self) -> list[Path]:
        """The one file."""
        return [read.one_of(read.is_folder(locate(self.path)), ["dev_revised.json"])]

    def load(self) -> Corpus:
        """Read and check everything."""
        (path,) = self.sources()
        build = Builder(self.on_bad)
        graph = GraphBuilder(build)
        asked: dict[str, _Asked] = {}
        build.problems.each(
            read.entries(path, "document"), lambda row: _Document(build, graph, row).add(asked)
        )
        digests = {hashlib.sha256(text.encode()).hexdigest(): text for text in asked}
        for digest in sorted(digests)[: self.questions]:
            text = digests[digest]
            relation = asked[text].relation
            query_id = f"{relation}-{digest[:10]}"
            build.query(query_id, text, ["templated", RELATIONS[relation].words])
            for span in sorted(asked[text].gold):
                build.judge(query_id, *span)
        return replace(graph.added(build.corpus(path)), notes=NOTES)


class _Document:
    """One entry of the file."""

    def __init__(self, build: Builder, graph: GraphBuilder, row: Row) -> None:
        self.build = build
        self.graph = graph
        self.title = read.field(row, "title", str)
        self.sentences = [_tokens(s) for s in read.field(row, "sents", list)]
        lengths = [sum(map(len, s)) + len(s) for s in self.sentences]  # with a blank behind every token
        self.starts = list(accumulate(lengths, initial=0))
        self.entities = read.field(row, "vertexSet", list)
        self.triples = read.field(row, "labels", list)
        self.labels: dict[int, str] = {}

    def add(self, asked: dict[str, _Asked]) -> None:
        """Add the document, its part of the graph and what can be asked about it."""
        self.build.document(self.title, " ".join(t for s in self.sentences for t in s), self.title)
        problems = self.build.problems
        place = problems.place
        entities = [(f"{place}, entity {n}", (n, e)) for n, e in enumerate(self.entities)]
        problems.each(entities, lambda pair: self._entity(*pair))
        triples = [(f"{place}, label {n}", triple) for n, triple in enumerate(self.triples)]
        problems.each(triples, lambda triple: self._triple(read.as_object(triple), asked))

    def _entity(self, number: int, mentions: Any) -> None:
        name = self._name(number)
        if not isinstance(mentions, list) or not mentions:
            raise Bad("not a list", f"expected a list of mentions, found {read.describe(mentions)}")
        found: list[tuple[str, str]] = []
        for n, mention in enumerate(map(read.as_object, mentions)):
            kind, (_, start, end) = read.field(mention, "type", str), self._mentioned(mention)
            self.graph.mention(f"{name}.{n}", self.title, start, end, kind)
            found.append((" ".join(self.build.part(self.title, start, end).split()), kind))
        label, _ = max(found, key=lambda f: (len(f[0]), f[0]))
        kinds = [kind for _, kind in found]
        kind = max(sorted(set(kinds)), key=kinds.count)
        self.graph.node(name, label, kind, [f"{name}.{n}" for n in range(len(found))])
        self.labels[number] = label

    def _triple(self, row: Row, asked: dict[str, _Asked]) -> None:
        relation = read.field(row, "r", str)
        if relation not in RELATIONS:
            raise Bad(
                "unknown relation", f"there is no relation '{relation}' in runner/dataset/_relations.py"
            )
        head, tail = (read.field(row, k, int) for k in ("h", "t"))
        evidence = [self._sentence(n) for n in read.field(row, "evidence", list)]
        words, question = RELATIONS[relation]
        self.graph.edge(self._name(head), words, self._name(tail), evidence=evidence)
        if evidence:
            text = question.format(self.labels[head])
            asked.setdefault(text, _Asked(relation)).gold.update(evidence)

    def _name(self, number: int) -> str:
        return f"{self.title}#{number:02d}"

    def _mentioned(self, mention: Row) -> Span:
        number, (first, last) = read.field(mention, "sent_id", int), _pair(mention.get("pos"))
        start, _ = self._bounds(number)
        tokens = self.sentences[number]
        if not 0 <= first < last <= len(tokens):
            raise Bad("span out of range", f"tokens {first} to {last} are not in sentence {number}")
        start += sum(map(len, tokens[:first])) + first
        return self.title, start, start + len(" ".join(tokens[first:last]))

    def _sentence(self, number: Any) -> Span:
        return self.title, *self._bounds(read.field({"evidence": number}, "evidence", int))

    def _bounds(self, number: int) -> tuple[int, int]:
        """Start and end of a sentence; the blank behind it is not part of it."""
        if not 0 <= number < len(self.sentences):
            raise Bad("unknown sentence", f"names sentence {number} of {len(self.sentences)}")
        return self.starts[number], self.starts[number + 1] - 1


def _tokens(sentence: Any) -> Sequence[str]:
    if not isinstance(sentence, list) or not all(isinstance(t, str) for t in sentence):
        raise Bad("not a list", f"expected a list of tokens, found {read.describe(sentence)}")
    return sentence


def _pair(value: Any) -> tuple[int, int]:
    if not (isinstance(value, list) and len(value) == 2 and all(type(v) is int for v in value)):
        raise Bad("wrong type of pos", f"`pos` must be two whole numbers, found {read.describe(value)}")
    return value[0], value[1]
