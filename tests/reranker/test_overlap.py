"""`overlap`: shared words ÷ √(words of the query · words of the chunk)."""

from __future__ import annotations

import numpy as np
import pytest

from runner.errors import RequestError
from runner.registry import parse
from runner.reranker.overlap import Overlap


def _score(query: str, *texts: str) -> list[float]:
    got = Overlap().load(1, "cpu").score(query, list(texts)).scores
    assert got.dtype == np.float64
    return got.tolist()


def test_by_hand() -> None:
    got = _score(
        "red owl", "red owl", "a red fox and an owl", "RED, red: Red!", "blue bat", "red owl hunts mice"
    )
    assert got == [
        pytest.approx(2 / (2 * 2) ** 0.5),
        pytest.approx(2 / (2 * 5) ** 0.5),  # red fox and an owl; `a` has one character
        pytest.approx(1 / (2 * 1) ** 0.5),
        0.0,
        pytest.approx(2 / (2 * 4) ** 0.5),
    ]


def test_a_side_without_words_is_zero() -> None:
    assert _score("", "red") == [0.0]
    assert _score("a !", "red", "a !") == [0.0, 0.0]
    assert _score("red", "", " \n") == [0.0, 0.0]
    assert _score("red") == []


def test_a_pair_alone_has_the_score_it_has_in_a_batch() -> None:
    texts = ["red owl", "owl", "blue", "red red fox"]
    assert [_score("red owl fox", t)[0] for t in texts] == _score("red owl fox", *texts)


def test_identity_and_settings() -> None:
    assert Overlap().identity() == {"model": "overlap", "version": 1, "activation": "none"}
    for wrong in ({"pool": 0}, {"on_error": "ignore"}, {"pol": 5}):
        with pytest.raises(RequestError, match=r"reranker\."):
            parse("reranker", {"name": "overlap"} | wrong)
