"""The heat map is a table: which of seven tints each of its values has."""

from __future__ import annotations

from collections.abc import Sequence

from runner.report.charts._scale import finite

STEPS = 7


def tints(values: Sequence[float | None], flat: float = 0.0) -> list[str]:
    """A class `h0` … `h6` per value, from lowest to highest in equal steps; empty where there is none.

    Args:
        values: of the cells.
        flat: if highest less lowest is at most this (the margin), all have the middle tint.

    Raises:
        ValueError: a value is not finite.
    """
    finite(*values)
    there = [v for v in values if v is not None]
    low, high = min(there, default=0.0), max(there, default=0.0)
    if high - low <= flat:
        return ["" if v is None else f"h{STEPS // 2}" for v in values]
    return ["" if v is None else f"h{min(STEPS - 1, int((v - low) / (high - low) * STEPS))}" for v in values]
