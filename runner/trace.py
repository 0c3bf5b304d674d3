"""The trace: what the stages of a run returned, on its way into the run folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl

from runner.attribution import Attributed
from runner.judge import Judgement


@dataclass(slots=True)
class Trace:
    """Frames and notes of one run, filled stage by stage and read by whoever records it."""

    legs: dict[str, pl.DataFrame] = field(default_factory=dict)
    recall: dict[str, dict[int, float]] = field(default_factory=dict)
    """By approximate leg and query: how much of the exact answer was found."""
    reasons: dict[int, list[str]] = field(default_factory=dict)
    candidates: pl.DataFrame = field(default_factory=pl.DataFrame)
    expansion: pl.DataFrame = field(default_factory=pl.DataFrame)
    context: pl.DataFrame = field(default_factory=pl.DataFrame)
    judgement: Judgement | None = None
    attribution: Attributed | None = None
    curve: pl.DataFrame = field(default_factory=pl.DataFrame)
    """Measures at token budgets, `query, measure, value`; empty without gold spans."""
    stages: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    enrichment: dict[str, Any] = field(default_factory=dict)
    """The roll-up of enrichment, counts only; empty where it is off."""
    work: dict[str, int] = field(default_factory=dict)
    """What was computed and what was reused: seconds mean nothing without it."""
    fallbacks: dict[int, str] = field(default_factory=dict)

    def explain(self, query: int, reason: str) -> None:
        """Note why something did not happen for a query."""
        self.reasons.setdefault(query, []).append(reason)

    def stage(self, name: str, component: str, **facts: object) -> None:
        """Note what a stage did: component, rows in, out and dropped, its parameters."""
        self.stages.append({"stage": name, "component": component, **facts})
