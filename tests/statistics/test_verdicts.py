"""Verdicts: one rule for the words and one for the gate, on both sides of every edge."""

from __future__ import annotations

import pytest

from runner.statistics.verdicts import Interval, passes, standing, verdict


@pytest.mark.parametrize(
    ("interval", "margin", "said"),
    [
        ((0.01, 0.05), 0.0, "better"),
        ((-0.05, -0.01), 0.0, "worse"),
        ((-0.01, 0.05), 0.0, "undecided"),
        ((0.0, 0.05), 0.0, "undecided"),  # 0 is in it
        ((-0.05, 0.0), 0.0, "undecided"),
        ((-0.009, 0.009), 0.01, "equivalent"),
        ((0.001, 0.009), 0.01, "equivalent"),  # there is a difference, and it does not matter
        ((-0.01, 0.01), 0.01, "equivalent"),
        ((0.001, 0.011), 0.01, "better"),
        ((-0.011, 0.009), 0.01, "undecided"),
        ((0.0, 0.0), 0.0, "equivalent"),
        (None, 0.1, "undecided"),
    ],
)
def test_words(interval: Interval | None, margin: float, said: str) -> None:
    assert verdict(interval, margin) == said


@pytest.mark.parametrize(
    ("mean", "interval", "found", "opens", "opens_strictly"),
    [
        (-0.05, (-0.08, -0.02), "inferior", False, False),
        (-0.02, (-0.035, -0.005), "inferior", False, False),  # below 0, and by more than the margin
        (-0.008, (-0.015, -0.001), "not shown", True, False),  # significantly worse, not materially
        (-0.03, (-0.07, 0.01), "not shown", True, False),  # materially worse, not significantly
        (0.0, (-0.03, 0.03), "not shown", True, False),
        (-0.002, (-0.006, 0.002), "non-inferior", True, True),
        (-0.005, (-0.008, -0.002), "non-inferior", True, True),  # worse by what does not matter
        (0.04, (0.02, 0.06), "non-inferior", True, True),
        (0.0, (0.0, 0.0), "non-inferior", True, True),  # unchanged
        (-0.3, None, "not shown", True, False),  # too few queries
    ],
)
def test_gate(mean: float, interval: Interval | None, found: str, opens: bool, opens_strictly: bool) -> None:
    said = standing(mean, interval, 0.01)
    assert said == found
    assert passes(said, strict=False) == opens
    assert passes(said, strict=True) == opens_strictly


def test_unchanged_passes_without_a_margin() -> None:
    assert standing(0.0, (0.0, 0.0), 0.0) == "non-inferior"


def test_inferior_implies_worse() -> None:
    ends = [-0.03, -0.02, -0.011, -0.01, -0.005, 0.0, 0.005, 0.02]
    for low in ends:
        for high in (e for e in ends if e >= low):
            for mean in (low, (low + high) / 2, high):
                if standing(mean, (low, high), 0.01) == "inferior":
                    assert verdict((low, high), 0.01) == "worse"
