"""`weighted`: a union, not an inner join; min-max that never divides by zero."""

from __future__ import annotations

import math
import random
from math import sqrt

import pytest
from fusion.cases import frame, hits, normalized, scores

from runner.errors import ComponentError, RequestError
from runner.fusion.weighted import Weighted
from runner.registry import parse


@pytest.mark.parametrize(
    ("found", "right"),
    [
        ([7.0], [1.0]),
        ([2.0, 2.0, 2.0], [1.0, 1.0, 1.0]),
        ([0.0, 0.0], [0.0, 0.0]),
        ([-2.0], [0.0]),
        ([], []),
        ([12.1, 11.9, 0.3], [1.0, (11.9 - 0.3) / (12.1 - 0.3), 0.0]),  # 0.98305
        ([3.0, -1.0], [1.0, 0.0]),
    ],
)
def test_a34_min_max(found: list[float], right: list[float]) -> None:
    got = normalized(Weighted(), "b", v={99: 0.5}, b=dict(enumerate(found)))
    assert got == [*(pytest.approx(x, abs=1e-12) for x in right), None]


def test_a34_nan_is_an_error_that_names_the_chunk() -> None:
    legs = {"v": hits({7: 0.5}), "b": hits({0: 1.0, 1: math.nan, 2: 3.0})}
    with pytest.raises(ComponentError, match="leg b: nan is no score, for chunk row 1"):
        frame(Weighted(), legs)


def test_a35_what_one_leg_found_alone_is_not_lost() -> None:
    """Dense: a 0.9, b 0.5; sparse: c 8, d 2; a, b, c, d are chunks 0 to 3."""
    fusion = Weighted(weights={"v": 0.5, "b": 0.5})
    got = scores(fusion, v={0: 0.9, 1: 0.5}, b={2: 8.0, 3: 2.0})
    assert list(got.items()) == [(0, 0.5), (2, 0.5), (1, 0.0), (3, 0.0)]


def test_weights_are_divided_by_their_sum() -> None:
    legs = {"v": {0: 0.9, 1: 0.1}, "b": {1: 8.0, 2: 2.0}}
    right = {1: 3 / 4, 0: 1 / 4, 2: 0.0}
    assert scores(Weighted(weights={"v": 1.0, "b": 3.0}), **legs) == right
    assert scores(Weighted(weights={"v": 0.25, "b": 0.75}), **legs) == right
    assert scores(Weighted(), **legs) == {0: 0.5, 1: 0.5, 2: 0.0}


def test_weights_name_the_legs() -> None:
    Weighted().check(["a", "b", "c"])
    Weighted(weights={"a": 1.0, "b": 2.0}).check(["b", "a"])
    with pytest.raises(
        ValueError, match=r"fusion\.weights name \['a', 'x'\], retrieval has the legs \['a', 'b'\]"
    ):
        Weighted(weights={"a": 1.0, "x": 2.0}).check(["a", "b"])
    with pytest.raises(ValueError, match="must be above 0"):
        Weighted(weights={"a": 1.0, "b": 0.0}).check(["a", "b"])
    with pytest.raises(RequestError, match=r"fusion\.normalization"):
        parse("fusion", {"name": "weighted", "normalization": "l2"})


LEGS = {"v": {0: 0.6, 1: 0.2, 2: -0.4}, "b": {1: 8.0, 2: 6.0, 3: 1.0}}


def test_max() -> None:
    fusion = Weighted(normalization="max")
    assert normalized(fusion, "v", **LEGS) == [1.0, pytest.approx(0.2 / 0.6), 0.0, None]
    assert normalized(fusion, "b", **LEGS) == [None, 1.0, 6 / 8, 1 / 8]


def test_zscore() -> None:
    """v: mean 2/15, b: mean 5; deviations of the hits themselves (n, not n - 1)."""
    fusion = Weighted(normalization="zscore")
    mean, deviation = 0.4 / 3, sqrt(((0.6 - 0.4 / 3) ** 2 + (0.2 - 0.4 / 3) ** 2 + (-0.4 - 0.4 / 3) ** 2) / 3)
    right = [(s - mean) / deviation for s in (0.6, 0.2, -0.4)]
    assert normalized(fusion, "v", **LEGS) == [*(pytest.approx(x, abs=1e-12) for x in right), None]
    b = sqrt((3**2 + 1**2 + 4**2) / 3)
    got = scores(fusion, **LEGS)
    assert got[3] == pytest.approx(0.5 * -4 / b)
    assert got[2] == pytest.approx(0.5 * right[2] + 0.5 * 1 / b)
    assert math.isinf(fusion.ceiling(["v", "b"]))


@pytest.mark.parametrize(
    ("found", "right"),
    [([7.0], [1.0]), ([0.1, 0.1, 0.1], [1.0, 1.0, 1.0]), ([0.0, 0.0], [0.0, 0.0]), ([-2.0], [0.0]), ([], [])],
)
def test_zscore_of_a_lone_or_all_equal_list(found: list[float], right: list[float]) -> None:
    got = normalized(Weighted(normalization="zscore"), "b", v={99: 0.5}, b=dict(enumerate(found)))
    assert got == [*right, None]


def test_theoretical_max_takes_a_cosine_as_it_is() -> None:
    fusion = Weighted(normalization="theoretical_max")
    assert normalized(fusion, "v", **LEGS) == [0.6, 0.2, 0.0, None]
    assert normalized(fusion, "b", **LEGS) == [None, 1.0, 6 / 8, 1 / 8]  # no bound: ÷ the query's highest


def test_theoretical_min_max_is_tm2c2() -> None:
    """(s - least possible) ÷ (max of the hits - least possible): -1 for a cosine, 0 for BM25."""
    fusion = Weighted(normalization="theoretical_min_max", weights={"v": 0.8, "b": 0.2})
    v = [(0.6 + 1) / (0.6 + 1), (0.2 + 1) / (0.6 + 1), (-0.4 + 1) / (0.6 + 1)]
    assert normalized(fusion, "v", **LEGS) == [*(pytest.approx(x, abs=1e-12) for x in v), None]
    assert normalized(fusion, "b", **LEGS) == [None, 1.0, 6 / 8, 1 / 8]
    right = {0: 0.8 * 1, 1: 0.8 * v[1] + 0.2 * 1, 2: 0.8 * v[2] + 0.2 * 6 / 8, 3: 0.2 * 1 / 8}
    assert scores(fusion, **LEGS) == {c: pytest.approx(s, abs=1e-12) for c, s in right.items()}
    assert normalized(fusion, "v", v={0: -1.0}, b={1: 0.0}) == [0.0, None]


def test_the_ceiling_is_best_in_every_leg() -> None:
    fusion = Weighted(weights={"v": 0.2, "b": 0.7})
    assert fusion.ceiling(["v", "b"]) == 1.0
    assert scores(fusion, v={0: 0.9, 1: 0.1}, b={0: 8.0, 1: 1.0}) == {0: pytest.approx(1.0), 1: 0.0}
    assert fusion.formula() == "sum(w*min_max)/v1"


def test_against_brute_force() -> None:
    draw = random.Random(35)
    for _ in range(60):
        legs = {
            leg: {
                c: draw.choice([0.0, 0.5, 0.5, draw.uniform(-3, 9)])
                for c in draw.sample(range(9), draw.randint(0, 6))
            }
            for leg in ("v", "b")
        }
        right: dict[int, float] = {}
        for leg, weight in (("v", 0.25), ("b", 0.75)):
            found = legs[leg]
            low, high = min(found.values(), default=0), max(found.values(), default=0)
            for c, s in found.items():
                share = (s - low) / (high - low) if high > low else float(s > 0)
                right[c] = right.get(c, 0.0) + weight * share
        got = scores(Weighted(weights={"v": 1.0, "b": 3.0}), **legs)
        assert got == {c: pytest.approx(s, abs=1e-12) for c, s in right.items()}
        assert list(got.values()) == sorted(got.values(), reverse=True)
