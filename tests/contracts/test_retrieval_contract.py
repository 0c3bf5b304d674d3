"""Every leg of the registry: what it matches; scores depend on query and chunk; no state is kept."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
import yaml
from contracts.components import check_books, check_yaml, texts
from helpers import CONF
from tokenizer.toys import settings

from runner import registry
from runner.embedding.hashing import Hashing
from runner.retrieval.contract import Leg, Retrieval, Side
from runner.retrieval.stage import search

CHUNKS = texts(1, 60)
QUERIES = [*texts(2, 20), "", "?!", "zzz", "the of a"]
Pair = tuple[int, int]


NAMES = registry.names("retrieval")
WITHOUT_MODEL = [
    n for n in NAMES if getattr(registry.component_class("retrieval", n), "reads", "") != "tokens"
]
"""Legs that search what a test can make; those over a model's token vectors are in test_leg_laws."""


@pytest.fixture(params=WITHOUT_MODEL)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _leg(name: str, **changes: Any) -> Leg:
    raw = settings("retrieval", name)["legs"][name]
    made = registry.parse_component("retrieval", {"name": name, **raw, **changes})
    assert isinstance(made, Leg)
    return made


def _side(leg: Leg, some: Sequence[str]) -> Side:
    if leg.reads == "texts":
        return Side(texts=list(some))
    return Side(vectors=Hashing(dimensions=64).load(1, "cpu").encode(some, lambda done: None).vectors)


def _through_file(array: Any) -> Any:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    file.seek(0)
    return np.load(file, allow_pickle=False)


def _found(leg: Leg, chunks: Sequence[str], queries: Sequence[str]) -> pl.DataFrame:
    """The hits, from an index that went through files, with no more of the chunks than a leg is given."""
    side = _side(leg, chunks)
    index = {k: _through_file(a) for k, a in leg.index(side).items()} if leg.keeps_index else {}
    return search(leg, index, side if leg.reads == "vectors" else Side(), _side(leg, queries)).frame


def _scores(frame: pl.DataFrame) -> dict[Pair, float]:
    return {(q, c): s for q, c, s in frame.select("query", "chunk", "score").iter_rows()}


@pytest.mark.parametrize("name", NAMES)
def test_books_and_yaml(name: str) -> None:
    leg = _leg(name)
    check_books(leg, name)
    written = settings("retrieval", name)
    assert written["name"] == name
    check_yaml(type(leg), written["legs"][name])
    assert leg.reads in {"texts", "vectors", "tokens"}
    assert json.loads(json.dumps(leg.identity())) == leg.identity()


@pytest.mark.parametrize("path", sorted((CONF / "retrieval").glob("*.yaml")), ids=lambda p: p.stem)
def test_a_yaml_is_a_choice_whose_legs_are_at_their_defaults(path: Any) -> None:
    written = yaml.safe_load(path.read_text("utf-8"))
    made = registry.parse("retrieval", written)
    assert isinstance(made, Retrieval)
    assert made.name == path.stem
    for leg in made.legs.values():
        assert leg == type(leg)()


def test_hits_are_within_the_corpus_once_each_and_ranked(name: str) -> None:
    leg = _leg(name, depth=7)
    got = _found(leg, CHUNKS, QUERIES)
    assert got["chunk"].is_between(0, len(CHUNKS) - 1).all()
    assert got.select("query", "chunk").is_unique().all()
    assert got["score"].is_finite().all()
    if leg.similarity:
        assert got["score"].is_between(-1, 1).all()
    for (_,), rows in got.group_by("query", maintain_order=True):
        assert rows["rank"].to_list() == list(range(1, rows.height + 1))
        assert rows.height <= 7
        pairs = list(rows.select("score", "chunk").iter_rows())
        assert pairs == sorted(pairs, key=lambda p: (-p[0], p[1]))


def test_one_answer_per_query_in_order(name: str) -> None:
    leg = _leg(name)
    side = _side(leg, CHUNKS)
    index = leg.index(side) if leg.keeps_index else {}
    answers = list(leg.search(index, side if leg.reads == "vectors" else Side(), _side(leg, QUERIES)))
    assert len(answers) == len(QUERIES)
    for found in answers:
        assert found.chunks.dtype == np.int64
        assert found.scores.dtype == np.float64
        assert found.chunks.shape == found.scores.shape
        assert len(found.chunks) or found.reason, "a query without hits says why"
        assert not (len(found.chunks) and found.reason)


def test_an_index_is_plain_arrays_with_the_same_bytes_each_time(name: str) -> None:
    leg = _leg(name)
    if not leg.keeps_index:
        return
    one, other = (leg.index(_side(leg, CHUNKS)) for _ in range(2))
    assert all(a.dtype != object for a in one.values())
    assert {k: a.tobytes() for k, a in one.items()} == {k: a.tobytes() for k, a in other.items()}


def test_a_score_depends_on_query_and_chunk(name: str) -> None:
    """Neither on the batch a query is asked in, nor on the depth, nor on what was asked or indexed before."""
    leg = _leg(name)
    right = _scores(_found(leg, CHUNKS, QUERIES))
    _found(leg, ["another corpus", "of two"], ["another"])
    assert _scores(_found(leg, CHUNKS, QUERIES)) == right
    for i in range(0, len(QUERIES), 4):
        alone = _scores(_found(leg, CHUNKS, [QUERIES[i]]))
        assert {(i, c): s for (_, c), s in alone.items()} == {k: s for k, s in right.items() if k[0] == i}
    shallow = _scores(_found(_leg(name, depth=3), CHUNKS, QUERIES))
    assert shallow.items() <= right.items()


def test_equal_chunks_have_equal_scores(name: str) -> None:
    """The last two texts equal the first two."""
    scores = _scores(_found(_leg(name), CHUNKS, QUERIES))
    last = len(CHUNKS) - 2
    for query in range(len(QUERIES)):
        for i in (0, 1):
            assert scores.get((query, i)) == scores.get((query, last + i))


def test_a_text_finds_itself(name: str) -> None:
    distinct = list(dict.fromkeys(t for t in CHUNKS if len(set(t.split())) > 6))
    got = _found(_leg(name), distinct, distinct).filter(rank=1)
    assert (got["query"] == got["chunk"]).mean() > 0.9


def test_a23_a24_small_and_empty_sides(name: str) -> None:
    leg = _leg(name, depth=50)
    assert _found(leg, ["owl hunt"], ["owl hunt"]).height == 1
    assert _found(leg, CHUNKS, []).height == 0
    assert _found(leg, CHUNKS, ["", "?!"]).height == 0
    assert _found(leg, ["?!", "..."], ["?!"]).height == 0
