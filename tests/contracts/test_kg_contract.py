"""Every graph of the registry: sound, deterministic, the same whatever the order of the documents."""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import pytest
from contracts.components import check_books, check_yaml, component, params
from tokenizer.toys import settings

from runner import registry, tables
from runner.kg import stage
from runner.kg.contract import Graph, KnowledgeGraph
from runner.records import Document, Edge, Mention, Node

WORDS = (
    "Ada Bob Rome NATO BM25 the of and saw is a rank (RRF) fusion `top_k` Owl owl. Said, 1963 北京 Ω".split()
)


def _documents(seed: int, n: int = 12) -> pl.DataFrame:
    draw = random.Random(seed)
    rows = [
        (f"d{i:02d}", " ".join(draw.choices(WORDS, k=draw.randint(1, 60))), draw.choice(["", "Ada"]), "{}")
        for i in range(n)
    ]
    return pl.DataFrame(rows, tables.schema(Document), orient="row")


def _own(documents: pl.DataFrame, seed: int) -> Graph:
    """A graph that a data set might bring: every mention is the whole of a document."""
    draw = random.Random(seed)
    n = documents.height
    lengths = documents["text"].str.len_chars().to_list()
    nodes = [(f"n{i}", f"label {i}", "T", draw.random()) for i in range(5)]
    mentions = [
        (f"m{i}", d, 0, length, "T", draw.random(), draw.choice(["n0", "n1", None]))
        for i, (d, length) in enumerate(zip(documents["doc_id"], lengths, strict=True))
    ]
    edges = [(f"n{i}", "is", f"n{(i + 1) % 5}", draw.random(), "[]") for i in range(min(5, n))]
    rows = {"mentions": mentions, "nodes": nodes, "edges": edges}
    records = {"mentions": Mention, "nodes": Node, "edges": Edge}
    return Graph(**{p: pl.DataFrame(rows[p], tables.schema(r), orient="row") for p, r in records.items()})


@pytest.fixture(params=params("kg"))
def kg(request: pytest.FixtureRequest) -> KnowledgeGraph:
    return registry.as_contract(component("kg", request.param), KnowledgeGraph)


def _made(kg: KnowledgeGraph, documents: pl.DataFrame, own: Graph) -> Graph:
    """Books included: `checked` refuses what is not sound."""
    return stage.checked(kg.graph(documents, own if kg.reads_own else None), documents, kg.name)


def _equal(one: Graph, other: Graph) -> bool:
    return all(getattr(one, part).equals(getattr(other, part)) for part in stage.PARTS)


@pytest.mark.parametrize("name", registry.names("kg"))
def test_yaml(name: str) -> None:
    check_yaml(registry.component_class("kg", name), settings("kg", name))


def test_books(kg: Any) -> None:
    check_books(kg, kg.name)
    assert all(isinstance(v, str) for pair in kg.identity().items() for v in pair)


@pytest.mark.parametrize("seed", range(5))
def test_a_graph_is_sound_and_asked_twice_the_same(kg: KnowledgeGraph, seed: int) -> None:
    documents = _documents(seed)
    made = _made(kg, documents, _own(documents, seed))
    assert made.mentions.height
    assert _equal(made, _made(kg, documents, _own(documents, seed)))
    for part, record in stage.PARTS.items():
        assert dict(getattr(made, part).schema) == tables.schema(record)


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_documents_and_rows_does_not_matter(kg: KnowledgeGraph, seed: int) -> None:
    documents = _documents(seed)
    own = _own(documents, seed)
    turned = Graph(*(getattr(own, part).sample(fraction=1, shuffle=True, seed=seed) for part in stage.PARTS))
    shuffled = documents.sample(fraction=1, shuffle=True, seed=seed)
    assert _equal(_made(kg, documents, own), _made(kg, shuffled, turned))


def test_no_documents_no_mentions(kg: KnowledgeGraph) -> None:
    documents = _documents(0)
    none, own = documents.head(0), _own(documents.head(0), 0)
    assert stage.facts(_made(kg, none, own))["mentions"] == 0
