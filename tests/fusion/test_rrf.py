"""`rrf`: ranks from 1, nothing for what a leg did not find."""

from __future__ import annotations

import random

import pytest
from fusion.cases import frame, hits, normalized, scores

from runner.errors import RequestError
from runner.fusion.rrf import RRF
from runner.registry import parse

A = {1: 0.9, 2: 0.8, 3: 0.7}
"""Chunks d1, d2, d3 at ranks 1, 2, 3."""


def test_a32_ranks_from_one_and_absent_is_nothing() -> None:
    got = scores(RRF(), v=A, b={3: 9.0, 4: 5.0})
    assert got == {
        3: pytest.approx(1 / (60 + 3) + 1 / (60 + 1), abs=1e-15),  # 0.0322665
        1: 1 / (60 + 1),  # 0.0163934
        2: 1 / (60 + 2),  # 0.0161290
        4: 1 / (60 + 2),  # a tie with d2: document order decides
    }
    assert list(got) == [3, 1, 2, 4]


def test_a32_an_empty_leg_takes_nothing_away() -> None:
    assert scores(RRF(), v=A, b={}) == {1: 1 / 61, 2: 1 / 62, 3: 1 / 63}


def test_the_constant() -> None:
    assert scores(RRF(constant=0), v=A, b={1: 1.0}) == {1: 1 / 1 + 1 / 1, 2: 1 / 2, 3: 1 / 3}
    assert RRF(constant=7).formula() == "sum(1/(7+rank))/v1"
    with pytest.raises(RequestError, match=r"fusion\.constant"):
        parse("fusion", {"name": "rrf", "constant": -1})


def test_weights_are_taken_as_they_are() -> None:
    fusion = RRF(constant=1, weights={"v": 3.0, "b": 0.5})
    assert scores(fusion, v={1: 0.9, 2: 0.8}, b={2: 5.0}) == {
        1: 3 / (1 + 1),
        2: 3 / (1 + 2) + 0.5 / (1 + 1),
    }
    assert fusion.ceiling(["v", "b"]) == (3 + 0.5) / (1 + 1)
    assert fusion.formula() == "sum(w/(1+rank))/v1"
    fusion.check(["b", "v"])
    with pytest.raises(ValueError, match=r"name \['b', 'v'\], retrieval has the legs \['v'\]"):
        fusion.check(["v"])
    with pytest.raises(ValueError, match="must be above 0"):
        RRF(weights={"v": 0.0}).check(["v"])
    assert scores(RRF(weights={"v": 1.0, "b": 1.0}), v=A, b={3: 9.0}) == scores(RRF(), v=A, b={3: 9.0})


def test_the_signal_of_a_leg_is_its_term_of_the_sum() -> None:
    assert normalized(RRF(), "v", v=A, b={4: 1.0}) == [1 / 61, 1 / 62, 1 / 63, None]
    assert normalized(RRF(), "b", v=A, b={4: 1.0}) == [None, None, None, 1 / 61]


def test_scores_do_not_matter_ranks_do() -> None:
    assert scores(RRF(), v={1: 0.9, 2: 0.1}, b={2: 1e6, 3: 1e-6}) == scores(
        RRF(), v={1: 0.5, 2: 0.4}, b={2: -3.0, 3: -4.0}
    )


def test_a36_the_ceiling_is_first_in_every_leg() -> None:
    assert RRF().ceiling(["v", "b"]) == pytest.approx(0.0327869, abs=1e-7)
    assert scores(RRF(), v={1: 0.9}, b={1: 7.0}) == {1: RRF().ceiling(["v", "b"])}
    assert RRF(constant=9).ceiling(["a", "b", "c"]) == 3 / 10


def test_against_brute_force() -> None:
    draw = random.Random(32)
    for _ in range(40):
        legs = {
            leg: [
                {c: draw.choice([0.1, 0.2, 0.3]) for c in draw.sample(range(12), draw.randint(0, 8))}
                for _ in "xyz"
            ]
            for leg in ("a", "b", "v")
        }
        got = frame(RRF(constant=5), {n: hits(*some) for n, some in legs.items()})
        for query in range(3):
            right: dict[int, float] = {}
            for some in legs.values():
                ordered = sorted(some[query], key=lambda c, found=some[query]: (-found[c], c))
                for rank, chunk in enumerate(ordered, 1):
                    right[chunk] = right.get(chunk, 0.0) + 1 / (5 + rank)
            mine = dict(got.filter(query=query).select("chunk", "fused_score").iter_rows())
            assert mine == {c: pytest.approx(s, abs=1e-15) for c, s in right.items()}
