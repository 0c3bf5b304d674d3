"""`late`: MaxSim ÷ tokens of the query, by hand over toy token vectors, and over the real model's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from reranker.models import BI_ENCODER, TEXTS, packaged

from runner.late_interaction import TokenEncoder
from runner.reranker import late
from runner.reranker.contract import Scored, Scorer
from runner.reranker.late import Late

AXES = {"owl": [1.0, 0.0], "sea": [0.0, 1.0], "gull": [0.5**0.5, 0.5**0.5], "not": [-1.0, 0.0]}


class _Toy(TokenEncoder):
    """A token a word, two dimensions, reads three words."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def token_vectors(self, texts: Sequence[str], progress: Callable[[int], None] = lambda done: None) -> Any:
        self.read += texts
        rows = ([AXES[w] for w in t.split()[:3]] for t in texts)
        return [np.array(r, np.float16).reshape(-1, 2) for r in rows]

    def tokens_total(self, texts: Sequence[str]) -> Any:
        return np.array([len(t.split()) for t in texts], np.int64)


def _toy(query: str, *texts: str) -> list[float]:
    return late._LateScorer(_Toy()).score(query, texts).scores.tolist()


def test_by_hand() -> None:
    half = float(np.float16(0.5**0.5))
    got = _toy("owl sea", "owl", "sea owl", "gull", "not", "owl owl owl", "")
    assert got == [(1 + 0) / 2, (1 + 1) / 2, (half + half) / 2, (-1 + 0) / 2, (1 + 0) / 2, 0.0]
    assert _toy("", "owl") == [0.0]
    assert _toy("owl") == []


def test_the_longer_query_is_not_the_higher_score() -> None:
    assert _toy("owl", "owl sea") == _toy("owl sea", "owl sea") == _toy("owl owl owl", "owl") == [1.0]


def test_tokens_are_counted() -> None:
    got = late._LateScorer(_Toy()).score("owl", ["sea sea sea sea", "owl", ""])
    assert got.tokens_total is not None
    assert got.tokens_read is not None
    assert (got.tokens_total.tolist(), got.tokens_read.tolist()) == ([5, 2, 1], [4, 2, 1])


def test_a_chunk_in_many_pools_is_read_once_and_memory_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = _Toy()
    scorer = late._LateScorer(toy)
    for query in ("owl", "sea", "gull"):
        scorer.score(query, ["owl sea", "gull", "owl sea"])
    assert toy.read == ["owl", "owl sea", "gull", "sea", "gull"]
    monkeypatch.setattr(late, "_KEPT", 8)
    first = scorer.score("owl", ["owl sea", "sea sea sea", "gull"])
    assert scorer._bytes == sum(m.nbytes for m in scorer._kept.values()) <= 8
    again = scorer.score("owl", ["owl sea", "sea sea sea", "gull"])
    assert first.scores.tolist() == again.scores.tolist()


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    return Late(model=str(packaged(*BI_ENCODER))).load(2, "cpu")


@pytest.fixture(scope="module")
def right(scorer: Scorer) -> Scored:
    return scorer.score("where owls hunt", TEXTS)


@pytest.mark.model
def test_bit_equal_in_any_order_slice_and_number_of_threads(right: Scored) -> None:
    other = Late(model=str(packaged(*BI_ENCODER))).load(3, "cpu")
    draw = np.random.default_rng(1).permutation(len(TEXTS))
    for order in ([4], range(len(TEXTS))[::-1], draw, [5, 5, 5]):
        got = other.score("where owls hunt", [TEXTS[i] for i in order])
        for part in Scored.__slots__:
            assert np.array_equal(getattr(got, part), getattr(right, part)[list(order)])


@pytest.mark.model
def test_range_sense_and_the_text_itself(scorer: Scorer, right: Scored) -> None:
    assert np.abs(right.scores).max() <= 1 + 1e-3
    assert right.scores[0] > 0.5 > right.scores[1]
    itself, paris, fish = scorer.score(
        "the capital of france",
        ["the capital of france", "Paris is France's capital.", "Fish swim in the sea."],
    ).scores
    assert itself == pytest.approx(1.0, abs=1e-3)
    assert itself > paris > fish


def test_identity_is_of_tokens_and_score() -> None:
    packaged(*BI_ENCODER)
    got = Late().identity()
    assert got["score"] == "maxsim/tokens/v1"
    assert Late(max_length=32).identity() != got
    assert Late(pool=3).identity() == got
