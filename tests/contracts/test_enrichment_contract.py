"""Every enrichment provider of the registry: headers keep the books, in any order of rows; off is absent."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import polars as pl
import pytest
from contracts.components import check_books, check_yaml, component, texts
from enrichment.answers import Kept, answer
from enrichment.graphs import graph, shuffled_rows
from service import serving
from tokenizer.toys import settings, words

from runner import keys, registry, tables
from runner.embedding.stage import inputs
from runner.enrichment.contract import Enrichment, Material
from runner.enrichment.stage import SCHEMA, checked, facts
from runner.records import SituatingText
from runner.strategy.contract import Tools
from runner.strategy.fixed_size import FixedSize
from runner.strategy.stage import chunk

SAID = texts(9, 8)
DOCUMENTS = pl.DataFrame(
    {
        "doc_id": [f"d{i}" for i in range(8)],
        "text": SAID,
        "title": [f"On {t.split()[0]}" for t in SAID],
        "metadata": ["{}"] * 8,
    }
)
NODES = [(w, w.title(), 0.5 + i / 30) for i, w in enumerate(sorted({w for t in SAID for w in t.split()}))]
GRAPH = graph(
    [(f"d{i}", t.index(w), t.index(w) + len(w), w, 0.9) for i, t in enumerate(SAID) for w in set(t.split())],
    NODES,
    [(a, "precedes", b, 0.6 + i / 40) for i, ((a, *_), (b, *_)) in enumerate(pairwise(NODES))],
)
SITUATING = pl.DataFrame(
    [(f"d{i}", f"Note {i}.", None, None) for i in range(8)], schema=tables.schema(SituatingText), orient="row"
)


@pytest.fixture(params=registry.names("enrichment"))
def enrichment(request: pytest.FixtureRequest) -> Iterator[Enrichment]:
    """As its YAML has it; one that asks a service asks one on this machine."""
    cls = registry.component_class("enrichment", request.param)
    assert issubclass(cls, Enrichment)
    if not cls.asks:
        yield registry.as_contract(component("enrichment", request.param), Enrichment)
        return
    with serving() as service:
        service.otherwise = answer
        reach: dict[str, Any] = {"base_url": service.url, "model": "m-1", "key_env": None}
        yield registry.as_contract(component("enrichment", request.param, **reach), Enrichment)


def _material(made: Enrichment, *, n: int = 100, seed: int | None = None) -> Material:
    """What this provider says that it reads, for the first `n` chunks; rows in another order for a `seed`."""
    cuts = chunk(DOCUMENTS, FixedSize(size=4), Tools(words())).chunks.head(n)
    whole = dict(DOCUMENTS.select("doc_id", "text").iter_rows())
    said = [whole[d][s:e] for d, s, e in cuts.select("doc_id", "start", "end").iter_rows()]
    chunks = cuts.with_row_index("chunk").cast({"chunk": pl.Int64}).with_columns(heading=pl.lit("A > B"))
    turned = (lambda f: f) if seed is None else (lambda f: f.sample(fraction=1.0, shuffle=True, seed=seed))
    found = GRAPH if seed is None else shuffled_rows(GRAPH, random.Random(seed))
    return Material(
        turned(DOCUMENTS),
        chunks,
        said,
        words(),
        graph=found if made.reads_graph else None,
        situating=turned(SITUATING) if made.reads_situating else None,
        answers=Kept() if made.asks else None,
    )


def _headers(made: Enrichment, **how: Any) -> pl.DataFrame:
    given = _material(made, **how)
    return checked(made.headers(given), given, made.name)


@pytest.mark.parametrize("name", registry.names("enrichment"))
def test_yaml(name: str) -> None:
    check_yaml(registry.component_class("enrichment", name), settings("enrichment", name))


def test_books(enrichment: Any) -> None:
    check_books(enrichment, enrichment.name)
    assert enrichment.off == (enrichment.name == "none")
    assert keys.digest(enrichment.identity()) == keys.digest(enrichment.identity())
    assert all(isinstance(note, str) for note in enrichment.notes())
    assert enrichment.needs


def test_headers_keep_the_books_and_somebody_has_one(enrichment: Enrichment) -> None:
    got = _headers(enrichment)
    assert got.schema == pl.Schema(SCHEMA)
    assert enrichment.off == got.is_empty()
    assert all(t and "\n" not in t for t in got["text"])
    assert facts(got, 30)["chunks_enriched"] == got.height


def test_no_chunk_no_header(enrichment: Enrichment) -> None:
    assert _headers(enrichment, n=0).is_empty()


def test_the_order_of_rows_behind_it_does_not_matter(enrichment: Enrichment) -> None:
    once = _headers(enrichment)
    assert once.equals(_headers(enrichment))
    for seed in range(3):
        assert once.equals(_headers(enrichment, seed=seed))


def test_off_changes_no_input(enrichment: Enrichment) -> None:
    got = _headers(enrichment)
    lines = [""] * 40
    for row, line in got.select("chunk", "text").iter_rows():
        lines[row] = line
    said = ["text"] * 40
    changed = [a != b for a, b in zip(inputs(said, "p: ", lines), inputs(said, "p: "), strict=True)]
    assert changed == [bool(line) for line in lines]
    assert any(changed) != enrichment.off
