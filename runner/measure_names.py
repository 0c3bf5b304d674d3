"""What a measure's name says: its token budget, whether it is a cost or a share; the budgets of the curve."""

from __future__ import annotations

from collections.abc import Iterable

BUDGETS = (250, 500, 1000, 2000, 4000, 8000)
"""Tokens at which every run with gold spans is measured: its curve. Raise `CURVE` when they change."""
CURVE = 1
_SHARES = ("SpanR", "R@", "Success", "ChromaR")


def budget_of(measure: str) -> int | None:
    """The token budget of a measure: 1500 of `SpanR@1500t`; None: it has none."""
    cut = measure.rpartition("@")[2]
    return int(cut[:-1]) if cut.endswith("t") and cut[:-1].isdigit() else None


def on_curve(measure: str) -> bool:
    """Whether `measure` is a point of the recorded curve."""
    return measure.startswith("SpanR@") and budget_of(measure) in BUDGETS


def is_cost(measure: str) -> bool:
    """Whether less of it is better: tokens of a context. A cost decides nothing and leads no answer."""
    return measure.startswith("Tokens")


def is_share(measure: str) -> bool:
    """Whether it is a share of something, so that a difference is said in points."""
    return measure.startswith(_SHARES)


def deciding(measures: Iterable[str]) -> list[str]:
    """The measures that are no cost, in their order."""
    return [m for m in measures if not is_cost(m)]


def leading(measures: Iterable[str]) -> str | None:
    """The first measure at equal top_k that is no cost; None: there is none."""
    return next((m for m in deciding(measures) if budget_of(m) is None), None)
