"""Token budgets: where the curve of every run is measured, and which measures are cut at one."""

from __future__ import annotations

BUDGETS = (250, 500, 1000, 2000, 4000, 8000)
"""Tokens at which every run with gold spans is measured: its curve. Raise `CURVE` when they change."""
CURVE = 1


def budget_of(measure: str) -> int | None:
    """The token budget of a measure: 1500 of `SpanR@1500t`; None: it has none."""
    cut = measure.rpartition("@")[2]
    return int(cut[:-1]) if cut.endswith("t") and cut[:-1].isdigit() else None


def on_curve(measure: str) -> bool:
    """Whether `measure` is a point of the recorded curve."""
    return measure.startswith("SpanR@") and budget_of(measure) in BUDGETS
