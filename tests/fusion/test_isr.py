"""`isr`: inverse square ranks, times the number of legs that found the chunk."""

from __future__ import annotations

import pytest
from fusion.cases import normalized, scores

from runner.fusion.isr import ISR

V = {1: 0.9, 2: 0.8, 3: 0.7}


def test_inverse_square_ranks_times_legs() -> None:
    got = scores(ISR(), v=V, b={3: 9.0, 4: 5.0})
    assert got == {
        3: pytest.approx(2 * (1 / 3**2 + 1 / 1**2), abs=1e-15),
        1: 1 * (1 / 1**2),
        2: 1 * (1 / 2**2),
        4: 1 * (1 / 2**2),
    }
    assert list(got) == [3, 1, 2, 4]


def test_an_empty_leg_takes_nothing_away() -> None:
    assert scores(ISR(), v=V, b={}) == {1: 1.0, 2: 1 / 4, 3: pytest.approx(1 / 9)}


def test_scores_do_not_matter_ranks_do() -> None:
    assert scores(ISR(), v={1: 0.9, 2: 0.1}, b={2: 1e6, 3: 1e-6}) == scores(
        ISR(), v={1: 0.5, 2: 0.4}, b={2: -3.0, 3: -4.0}
    )


def test_signal_ceiling_and_formula() -> None:
    assert normalized(ISR(), "v", v=V, b={4: 1.0}) == [1.0, 1 / 4, 1 / 9, None]
    assert ISR().ceiling(["a", "b", "c"]) == 3 * (1 + 1 + 1)
    assert scores(ISR(), v={1: 0.9}, b={1: 7.0}) == {1: ISR().ceiling(["v", "b"])}
    assert ISR().formula() == "found*sum(1/rank^2)/v1"
    ISR().check(["a", "b", "c"])
