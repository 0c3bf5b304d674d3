"""`combsum`: normalised scores added; every normalisation is written out in test_weighted.py."""

from __future__ import annotations

import math

import pytest
from fusion.cases import normalized, scores

from runner.errors import RequestError
from runner.fusion.combsum import CombSUM
from runner.registry import parse

V = {1: 0.9, 2: 0.5, 3: 0.1}
B = {2: 12.0, 4: 9.0, 3: 2.0}


def test_the_sum_of_min_max() -> None:
    right = {
        1: (0.9 - 0.1) / (0.9 - 0.1),
        2: (0.5 - 0.1) / (0.9 - 0.1) + (12 - 2) / (12 - 2),
        3: 0.0 + 0.0,
        4: (9 - 2) / (12 - 2),
    }
    got = scores(CombSUM(), v=V, b=B)
    assert got == {c: pytest.approx(s, abs=1e-12) for c, s in right.items()}
    assert list(got) == [2, 1, 4, 3]


def test_the_sum_of_shares_of_the_highest() -> None:
    got = scores(CombSUM(normalization="max"), v=V, b=B)
    right = {1: 1.0, 2: 0.5 / 0.9 + 1.0, 3: 0.1 / 0.9 + 2 / 12, 4: 9 / 12}
    assert got == {c: pytest.approx(s, abs=1e-12) for c, s in right.items()}


def test_a_leg_that_did_not_find_a_chunk_adds_nothing() -> None:
    assert scores(CombSUM(), v={1: 0.9, 2: 0.4}, b={}) == {1: 1.0, 2: 0.0}
    assert normalized(CombSUM(), "b", v={1: 0.9}, b={2: 3.0}) == [None, 1.0]


def test_ceiling_and_formula() -> None:
    assert CombSUM().ceiling(["a", "b", "c"]) == 3.0
    assert scores(CombSUM(), v={1: 0.9, 2: 0.1}, b={1: 7.0}) == {1: CombSUM().ceiling(["v", "b"]), 2: 0.0}
    assert math.isinf(CombSUM(normalization="zscore").ceiling(["v", "b"]))
    assert CombSUM(normalization="zscore").formula() == "sum(zscore)/v1"
    CombSUM().check(["a", "b", "c", "d"])
    with pytest.raises(RequestError, match=r"fusion\.normalization"):
        parse("fusion", {"name": "combsum", "normalization": "sum"})
