"""Every embedding model of the registry: unit float32 rows that depend on their text alone; an identity."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from contracts.components import check_books, check_yaml, component, loaded, params, texts
from tokenizer.toys import settings

from runner import registry
from runner.embedding.contract import Embedding, Encoded, Encoder
from runner.embedding.stage import checked
from runner.errors import RunnerError

TEXTS = [*texts(5, 8), "héllo 😀 wörld", "x" * 300, "cats"]


@pytest.fixture(params=params("embedding"), scope="module")
def embedding(request: pytest.FixtureRequest) -> Embedding:
    made = registry.as_contract(component("embedding", request.param), Embedding)
    try:
        made.identity()
    except RunnerError as e:
        pytest.skip(f"{made.name}: {e}")
    return made


@pytest.fixture(scope="module")
def encoder(embedding: Embedding) -> Encoder:
    made: Encoder = loaded(embedding)
    return made


def _encode(encoder: Encoder, some: list[str]) -> Encoded:
    return encoder.encode(some, lambda done: None)


@pytest.mark.parametrize("name", registry.names("embedding"))
def test_yaml(name: str) -> None:
    check_yaml(registry.component_class("embedding", name), settings("embedding", name))


def test_books(embedding: Any) -> None:
    check_books(embedding, embedding.name)
    assert all(isinstance(n, str) for n in embedding.notes())


def test_identity_is_json_and_stays(embedding: Embedding) -> None:
    first = embedding.identity()
    assert json.loads(json.dumps(first)) == first == embedding.identity()


def test_a_raised_version_moves_the_identity(embedding: Embedding) -> None:
    """Stored vectors are found by it; a component whose output moves must not find the old ones."""
    newer = type(
        "Newer", (type(embedding),), {"version": type(embedding).version + 1, "__module__": __name__}
    )
    made = newer.model_validate(embedding.model_dump())  # type: ignore[attr-defined]
    assert made.identity() != embedding.identity()


def test_prompts_are_not_in_the_identity_for_they_are_in_the_text(embedding: Any) -> None:
    other = embedding.model_copy(update={"query_prompt": "q: ", "document_prompt": "d: "})
    assert other.identity() == embedding.identity()


def test_rows_keep_the_contract(encoder: Encoder) -> None:
    got = checked(TEXTS, _encode(encoder, TEXTS), "this")
    assert got.vectors.any(axis=1).all()
    assert got.tokens_total.dtype == got.tokens_embedded.dtype == np.int32
    assert got.tokens_total.shape == got.tokens_embedded.shape == (len(TEXTS),)
    assert (got.tokens_embedded <= got.tokens_total).all()
    assert (got.tokens_embedded > 0).all()


def test_a_vector_depends_on_its_text_alone(encoder: Encoder) -> None:
    right = _encode(encoder, TEXTS).vectors
    assert np.array_equal(_encode(encoder, TEXTS[::-1]).vectors[::-1], right)
    for i in (0, 4, 9):
        assert np.array_equal(_encode(encoder, [TEXTS[i]]).vectors[0], right[i])
    assert np.array_equal(right[6:8], right[0:2])  # the last two of `texts` equal its first two
    assert len({r.tobytes() for r in right}) == len(set(TEXTS))


def test_no_text_blank_text_and_progress(encoder: Encoder) -> None:
    assert len(_encode(encoder, []).vectors) == 0
    checked(["", " \n"], _encode(encoder, ["", " \n"]), "this")
    told: list[int] = []
    encoder.encode(TEXTS, told.append)
    assert sum(told) == len(TEXTS)
