"""Every leg, as its YAML has it, over small corpora of the form that it reads: what any leg must keep."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import helpers
import numpy as np
import pytest

from runner import registry
from runner.retrieval.contract import Leg, Retrieval, Side
from runner.retrieval.stage import LegHits, search

NAMES = registry.names("retrieval")
MANY, ASKED = 60, 25
Found = list[list[tuple[int, float, int]]]
"""By query: (chunk, score, rank), by rank."""


@pytest.fixture(params=NAMES)
def leg(request: pytest.FixtureRequest) -> Leg:
    choice = registry.parse("retrieval", helpers.choice("retrieval", request.param))
    assert isinstance(choice, Retrieval)
    return choice.legs[request.param]


def side(leg: Leg, n: int, seed: int) -> Side:
    """`n` chunks or queries, all different."""
    return pick(_whole(leg, seed), range(n))


def _whole(leg: Leg, seed: int) -> Side:
    draw, floats = random.Random(seed), np.random.default_rng(seed)
    if leg.reads == "texts":
        words = [f"word{i}" for i in range(30)]
        return Side(texts=[" ".join(draw.choices(words, k=5 + i)) for i in range(MANY)])
    if leg.reads == "vectors":
        raw = floats.standard_normal((MANY, 32)).astype(np.float32)
        return Side(vectors=raw / np.linalg.norm(raw, axis=1, keepdims=True))
    raws = [floats.standard_normal((1 + i % 7, 32)) for i in range(MANY)]
    rows = [(r / np.linalg.norm(r, axis=1, keepdims=True)).astype(np.float16) for r in raws]
    return Side(tokens=rows, tokens_total=np.array([len(r) for r in rows]))


def pick(whole: Side, rows: Sequence[int]) -> Side:
    """Some of a side, in the order of `rows`."""
    return Side(
        texts=None if whole.texts is None else [whole.texts[r] for r in rows],
        vectors=None if whole.vectors is None else whole.vectors[list(rows)],
        tokens=None if whole.tokens is None else [whole.tokens[r] for r in rows],
        tokens_total=None if whole.tokens_total is None else whole.tokens_total[list(rows)],
    )


def index(leg: Leg, chunks: Side) -> Mapping[str, Any]:
    return leg.index(chunks) if leg.keeps_index else {}


def hits(leg: Leg, chunks: Side, queries: Side) -> LegHits:
    """A search as a run does it: of the chunks, only vectors are there beside the index."""
    return search(leg, index(leg, chunks), Side(vectors=chunks.vectors), queries)


def found(leg: Leg, chunks: Side, queries: Side, n: int = ASKED) -> Found:
    out: Found = [[] for _ in range(n)]
    for query, chunk, score, rank in hits(leg, chunks, queries).frame.sort("query", "rank").iter_rows():
        out[query].append((chunk, score, rank))
    return out


def test_what_a_leg_declares(leg: Leg) -> None:
    assert leg.reads in {"texts", "vectors", "tokens"}
    assert leg.search_fields <= set(type(leg).model_fields)
    assert "depth" in leg.search_fields
    assert leg.model_copy(update={"depth": 7}).settings() == {**leg.settings(), "depth": 7}


def test_hits_are_finite_ranked_and_found_once(leg: Leg) -> None:
    some = found(leg.model_copy(update={"depth": 10}), side(leg, MANY, 1), side(leg, ASKED, 2))
    assert any(some)
    for rows in some:
        chunks, scores, ranks = zip(*rows, strict=True) if rows else ((), (), ())
        assert len(set(chunks)) == len(chunks) <= 10
        assert set(chunks) <= set(range(MANY))
        assert np.isfinite(scores).all()
        assert list(ranks) == list(range(1, len(ranks) + 1))
        assert rows == sorted(rows, key=lambda r: (-r[1], r[0]))


def test_an_empty_corpus_and_no_query(leg: Leg) -> None:
    assert found(leg, side(leg, 0, 1), side(leg, 3, 2), 3) == [[], [], []]
    assert found(leg, side(leg, 5, 1), side(leg, 0, 2), 0) == []


def test_a_corpus_of_one(leg: Leg) -> None:
    one = side(leg, 1, 1)
    ((hit,),) = found(leg, one, one, 1)
    assert (hit[0], hit[2]) == (0, 1)


def test_a23_a_depth_beyond_the_corpus_gives_what_there_is(leg: Leg) -> None:
    chunks, queries = side(leg, 7, 1), side(leg, ASKED, 2)
    deep, right = (found(leg.model_copy(update={"depth": d}), chunks, queries) for d in (1000, 7))
    assert deep == right
    assert max(len(rows) for rows in deep) <= 7


def test_a_smaller_depth_is_the_top_of_a_larger(leg: Leg) -> None:
    chunks, queries = side(leg, MANY, 1), side(leg, ASKED, 2)
    whole = found(leg.model_copy(update={"depth": MANY}), chunks, queries)
    for depth in (1, 4):
        some = found(leg.model_copy(update={"depth": depth}), chunks, queries)
        assert some == [rows[:depth] for rows in whole]


def test_a31_repeats_are_identical(leg: Leg) -> None:
    chunks, queries = side(leg, MANY, 1), side(leg, ASKED, 2)
    first, *others = [found(leg, chunks, queries) for _ in range(3)]
    assert others == [first, first]
    one, other = index(leg, chunks), index(leg, chunks)
    assert {k: a.tobytes() for k, a in one.items()} == {k: a.tobytes() for k, a in other.items()}
    assert all(a.dtype != object for a in one.values())


def test_a31_a_query_alone_has_the_very_scores_it_has_in_a_batch(leg: Leg) -> None:
    chunks, whole = side(leg, MANY, 1), side(leg, ASKED, 2)
    together = found(leg, chunks, whole)
    assert [found(leg, chunks, pick(whole, [i]), 1)[0] for i in range(ASKED)] == together
    back = list(range(ASKED))[::-1]
    assert found(leg, chunks, pick(whole, back)) == together[::-1]


def test_the_order_of_the_chunks_moves_no_score(leg: Leg) -> None:
    whole, queries = side(leg, MANY, 1), side(leg, ASKED, 2)
    order = random.Random(3).sample(range(MANY), MANY)
    deep = leg.model_copy(update={"depth": MANY})
    here, there = found(deep, whole, queries), found(deep, pick(whole, order), queries)
    for one, other in zip(here, there, strict=True):
        assert {c: s for c, s, _ in one} == {order[c]: s for c, s, _ in other}


def test_a26_ties_come_in_document_order(leg: Leg) -> None:
    copies = pick(side(leg, MANY, 1), [5] * 9)
    rows = found(leg.model_copy(update={"depth": 4}), copies, pick(side(leg, MANY, 1), [5]), 1)[0]
    assert [c for c, _, _ in rows] == [0, 1, 2, 3]
    assert len({s for _, s, _ in rows}) == 1


def test_recall_is_of_every_query_or_of_none(leg: Leg) -> None:
    got = hits(leg, side(leg, MANY, 1), side(leg, ASKED, 2))
    assert sorted(got.recall) in ([], list(range(ASKED)))
    assert all(0 <= r <= 1 for r in got.recall.values())


def test_similarities_are_cosines(leg: Leg) -> None:
    scores = hits(leg, side(leg, MANY, 1), side(leg, MANY, 1)).frame["score"].to_numpy()
    if leg.similarity:
        assert np.abs(scores).max() <= 1
        assert scores.max() == pytest.approx(1, abs=1e-6)
