"""Every enrichment provider of the registry: a header or None per chunk, deterministic, off means absent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest
from contracts.components import check_books, check_yaml, component, params, texts
from tokenizer.toys import settings, words

from runner import registry
from runner.embedding.stage import inputs
from runner.enrichment.contract import Enrichment
from runner.errors import RunnerError
from runner.records import ContextHeader
from runner.strategy.contract import Tools
from runner.strategy.fixed_size import FixedSize
from runner.strategy.stage import chunk

DOCUMENTS = pl.DataFrame(
    {"doc_id": [f"d{i}" for i in range(8)], "text": texts(9, 8), "title": [""] * 8, "metadata": ["{}"] * 8}
)


@pytest.fixture(params=params("enrichment"))
def enrichment(request: pytest.FixtureRequest) -> Enrichment:
    return registry.as_contract(component("enrichment", request.param), Enrichment)


def _chunks() -> pl.DataFrame:
    return chunk(DOCUMENTS, FixedSize(size=4), Tools(words())).chunks


def _headers(
    made: Enrichment, documents: pl.DataFrame, chunks: pl.DataFrame
) -> Sequence[ContextHeader | None]:
    try:
        return made.headers(documents, chunks)
    except RunnerError as e:
        pytest.skip(f"{made.name}: {e}")


@pytest.mark.parametrize("name", registry.names("enrichment"))
def test_yaml(name: str) -> None:
    check_yaml(registry.component_class("enrichment", name), settings("enrichment", name))


def test_books(enrichment: Any) -> None:
    check_books(enrichment, enrichment.name)
    assert enrichment.off == (enrichment.name == "none")


def test_a_header_or_none_per_chunk(enrichment: Enrichment) -> None:
    chunks = _chunks()
    got = _headers(enrichment, DOCUMENTS, chunks)
    assert len(got) == chunks.height
    assert all(h is None or isinstance(h, ContextHeader) for h in got)
    assert _headers(enrichment, DOCUMENTS.head(0), chunks.head(0)) == []


def test_the_order_of_the_documents_behind_it_does_not_matter(enrichment: Enrichment) -> None:
    chunks = _chunks()
    assert list(_headers(enrichment, DOCUMENTS, chunks)) == list(
        _headers(enrichment, DOCUMENTS.reverse(), chunks)
    )


def test_off_changes_no_input(enrichment: Enrichment) -> None:
    if enrichment.off:
        headers = _headers(enrichment, DOCUMENTS, _chunks())
        some = ["text"] * len(headers)
        assert inputs(some, "p: ", headers) == inputs(some, "p: ")
