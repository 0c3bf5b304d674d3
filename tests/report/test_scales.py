"""Scales: ticks against lists made by hand, axes that hold their values, and what cannot be drawn."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.report.charts._scale import Scale, axis, bound, ticks


@pytest.mark.parametrize(
    ("low", "high", "want", "expected"),
    [
        (0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0.61, 0.85, 5, [0.65, 0.7, 0.75, 0.8, 0.85]),  # 0.24 / 5 = 0.048, so steps of 0.05
        (0, 3658, 6, [0, 1000, 2000, 3000]),  # 609.7, so steps of 1,000
        (0, 12, 5, [0, 2.5, 5, 7.5, 10]),  # 2.4, so steps of 2.5
        (0, 23, 5, [0, 5, 10, 15, 20]),
        (-0.03, 0.02, 5, [-0.03, -0.02, -0.01, 0, 0.01, 0.02]),
        (-1, 1, 4, [-1, -0.5, 0, 0.5, 1]),
        (7, 7, 5, [7]),
        (0.1, 0.7, 3, [0.2, 0.4, 0.6]),
        (3e-5, 9e-5, 3, [4e-5, 6e-5, 8e-5]),
        (1e6, 9e6, 4, [2e6, 4e6, 6e6, 8e6]),
    ],
)
def test_ticks_are_round(low: float, high: float, want: int, expected: list[float]) -> None:
    assert ticks(low, high, want) == expected


@pytest.mark.parametrize(
    ("values", "most"),
    [
        ((0.082, 0.138), 0.15),
        ((-0.16,), 0.2),
        ((0.9, -1.0), 1.0),
        ((1308,), 1500),
        ((0.0061,), 0.0075),
        ((0.15,), 0.15),
        ((0.0, 0.0), 1.0),
        ((), 1.0),
    ],
)
def test_the_bound_of_a_column_is_the_next_round_number(values: tuple[float, ...], most: float) -> None:
    assert bound(*values) == most


def test_a_scale_is_a_line() -> None:
    x = Scale(0, 200, 48, 620)
    assert [x(0), x(50), x(200)] == [48, 48 + 572 / 4, 620]
    assert Scale(0, 1, 300, 20)(0.25) == 300 - 280 / 4


def test_an_axis_ends_at_ticks_and_names_them_alike() -> None:
    found = axis(0.639, 0.85, 336, 14)
    assert found.ticks == [0.6, 0.65, 0.7, 0.75, 0.8, 0.85]
    assert [found.label(t) for t in found.ticks] == ["0.60", "0.65", "0.70", "0.75", "0.80", "0.85"]
    assert [found.scale(0.6), found.scale(0.85)] == [336, 14]
    signs = axis(-2000, 1000, 0, 1)
    assert [signs.label(t) for t in signs.ticks] == ["−2,000", "−1,000", "0", "1,000"]
    one = axis(0.5, 0.5, 100, 0)
    assert one.ticks[0] < 0.5 < one.ticks[-1]
    assert axis(0, 0, 1, 0).ticks[0] < 0


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused(bad: float) -> None:
    for call in (lambda: ticks(0, bad), lambda: bound(bad), lambda: axis(bad, 1, 0, 1)):
        with pytest.raises(ValueError, match="a chart cannot show"):
            call()


spans = st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)).map(sorted)


@given(spans, st.integers(2, 8))
def test_an_axis_holds_its_values(span: list[float], want: int) -> None:
    low, high = span
    if high - low < 1e-9 * max(1, abs(low), abs(high)):
        return
    found = axis(low, high, 0, 100, want)
    slack = 1e-6 * (high - low)
    assert found.ticks[0] <= low + slack
    assert found.ticks[-1] >= high - slack
    assert len(found.ticks) <= want + 2
    assert found.ticks == sorted(set(found.ticks))
    assert len({found.label(t) for t in found.ticks}) == len(found.ticks)
    inside = ticks(low, high, want)
    assert all(low - slack <= t <= high + slack for t in inside)
