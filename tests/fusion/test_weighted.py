"""`weighted`: a union, not an inner join; min-max that never divides by zero."""

from __future__ import annotations

import math
import random

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
    with pytest.raises(ComponentError, match="fused_score: not a finite number for chunk row 1"):
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
