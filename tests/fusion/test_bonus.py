"""`bonus`: max + 0.3 · min of two signals, negatives counted as 0, range [0, 1.3]."""

from __future__ import annotations

import random

import pytest
from fusion.cases import normalized, scores

from runner.errors import RequestError
from runner.fusion.bonus import Bonus
from runner.registry import parse


@pytest.mark.parametrize(
    ("vector", "fts", "right"),
    [
        (0.8, 0.4, 0.8 + 0.3 * 0.4),  # 0.92
        (0.4, 0.8, 0.8 + 0.3 * 0.4),  # 0.92
        (0.9, 0.0, 0.9),
        (0.7, 0.7, 0.7 + 0.3 * 0.7),  # 0.91
        (0.9, 0.9, 0.9 + 0.3 * 0.9),  # 1.17
        (1.0, 1.0, 1.3),
        (0.0, 0.0, 0.0),
        (-0.2, 0.5, 0.5),  # not 0.5 - 0.3 * 0.2 = 0.44
        (0.654, 0.016, 0.654 + 0.3 * 0.016),  # 0.6588
    ],
)
def test_a33_the_stronger_signal_and_a_share_of_the_weaker(vector: float, fts: float, right: float) -> None:
    """Both taken as they are: two legs of similarities."""
    got = scores(Bonus(), similar=("v", "w"), v={7: vector}, w={7: fts})
    assert got == {7: pytest.approx(right, abs=1e-12)}


def test_a33_a_signal_that_is_absent_counts_as_nothing() -> None:
    got = scores(Bonus(), v={1: 0.9, 2: 0.6}, b={2: 4.0, 3: 2.0})
    # b is divided by the query's highest, 4: chunk 2 has 1.0, chunk 3 has 0.5
    assert got == {2: pytest.approx(1.0 + 0.3 * 0.6), 1: pytest.approx(0.9), 3: pytest.approx(0.5)}
    assert list(got) == [2, 1, 3]


def test_a33_bm25_is_divided_by_the_querys_highest_and_a_cosine_is_not() -> None:
    assert normalized(Bonus(), "b", v={1: 0.5}, b={1: 12.0, 2: 3.0, 3: 0.0}) == [1.0, 0.25, 0.0]
    assert normalized(Bonus(), "v", v={1: 0.5, 2: -0.25}, b={3: 1.0}) == [0.5, 0.0, None]


@pytest.mark.parametrize(
    ("found", "right"),
    [
        ([7.0], [1.0]),
        ([2.0, 2.0, 2.0], [1.0, 1.0, 1.0]),
        ([0.0, 0.0], [0.0, 0.0]),
        ([-1.0, -3.0], [0.0, 0.0]),
        ([4.0, -2.0], [1.0, 0.0]),
        ([], []),
        ([1e-300, 5e-301], [1.0, 0.5]),
    ],
)
def test_a34_a_lone_or_all_equal_positive_list_is_one_and_never_nan(
    found: list[float], right: list[float]
) -> None:
    got = normalized(Bonus(), "b", v={99: 0.5}, b=dict(enumerate(found)))
    assert got == [*right, None]


def test_a33_name_version_and_range() -> None:
    assert Bonus().formula() == "max+0.3*min/v1"
    assert Bonus().ceiling(["v", "b"]) == 1.3
    assert Bonus(weight=0.5).formula() == "max+0.5*min/v1"
    assert Bonus(weight=0.0).ceiling(["v", "b"]) == 1.0
    assert scores(Bonus(), v={1: 1.0}, b={1: 3.0}) == {1: 1.3}


def test_only_two_legs() -> None:
    Bonus().check(["v", "b"])
    for legs in (["v"], ["v", "b", "c"]):
        with pytest.raises(ValueError, match="joins two legs"):
            Bonus().check(legs)
    with pytest.raises(RequestError, match=r"fusion\.weight"):
        parse("fusion", {"name": "bonus", "weight": 1.1})


def test_against_brute_force() -> None:
    draw = random.Random(33)
    for _ in range(60):
        v = {c: draw.uniform(-1, 1) for c in draw.sample(range(9), draw.randint(0, 6))}
        b = {c: draw.uniform(0, 20) for c in draw.sample(range(9), draw.randint(0, 6))}
        top = max(b.values(), default=1.0)
        right = {}
        for chunk in v.keys() | b.keys():
            pair = sorted([max(v.get(chunk, 0.0), 0.0), b.get(chunk, 0.0) / top])
            right[chunk] = pair[1] + 0.3 * pair[0]
        got = scores(Bonus(), v=v, b=b)
        assert got == {c: pytest.approx(s, abs=1e-12) for c, s in right.items()}
        assert all(0 <= s <= 1.3 + 1e-12 for s in got.values())
