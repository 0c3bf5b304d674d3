"""`combmnz`: the sum, times the number of legs that found the chunk."""

from __future__ import annotations

import math

import pytest
from fusion.cases import scores

from runner.fusion.combmnz import CombMNZ

V = {1: 0.9, 2: 0.5, 3: 0.1}
B = {2: 12.0, 4: 9.0, 3: 2.0}


def test_agreement_counts_twice() -> None:
    right = {
        1: 1 * 1.0,
        2: 2 * ((0.5 - 0.1) / (0.9 - 0.1) + 1.0),
        3: 2 * 0.0,  # both found it, both put it last
        4: 1 * (9 - 2) / (12 - 2),
    }
    got = scores(CombMNZ(), v=V, b=B)
    assert got == {c: pytest.approx(s, abs=1e-12) for c, s in right.items()}
    assert list(got) == [2, 1, 4, 3]


def test_a_last_hit_counts_as_found() -> None:
    """Its share of min-max is 0, but the leg did return it: 2 · (1 + 0), not 1 · 1."""
    assert scores(CombMNZ(), v={1: 0.9, 2: 0.1}, b={2: 9.0, 1: 3.0}) == {1: 2.0, 2: 2.0}


def test_max_and_zscore() -> None:
    got = scores(CombMNZ(normalization="max"), v=V, b=B)
    assert got[2] == pytest.approx(2 * (0.5 / 0.9 + 1))
    assert got[3] == pytest.approx(2 * (0.1 / 0.9 + 2 / 12))
    negative = scores(CombMNZ(normalization="zscore"), v={1: 0.9, 2: 0.1}, b={1: 3.0, 2: 1.0})
    assert negative == {1: pytest.approx(2 * (1 + 1)), 2: pytest.approx(2 * (-1 - 1))}


def test_ceiling_and_formula() -> None:
    assert CombMNZ().ceiling(["a", "b", "c"]) == 3 * 3.0
    assert scores(CombMNZ(), v={1: 0.9}, b={1: 7.0}) == {1: CombMNZ().ceiling(["v", "b"])}
    assert math.isinf(CombMNZ(normalization="zscore").ceiling(["v", "b"]))
    assert CombMNZ().formula() == "found*sum(min_max)/v1"
    CombMNZ().check(["a", "b", "c"])
