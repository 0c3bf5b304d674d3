"""The surface of neighbor windows as a table of tints: rows are `neighbor_prev`, columns `neighbor_next`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runner.report import numbers
from runner.report.charts import heat


@dataclass(frozen=True, slots=True)
class Window:
    """One place of the surface."""

    run: str
    tint: str
    mean: tuple[str, float]
    tokens: str
    base: bool
    difference: str
    """To the smallest window, with its interval; empty for that window itself."""
    bought: str
    """Per 1,000 added tokens; empty where none were added."""


@dataclass(frozen=True, slots=True)
class Surface:
    """One measure over the windows, at one value of the other axes."""

    measure: str
    rest: str
    nexts: list[int]
    rows: list[tuple[int, list[Window | None]]]
    """By `neighbor_prev`; None: the sweep has no such cell."""


def surface(found: Mapping[str, Any], margin: float) -> Surface:
    """A surface of the comparison record as it is drawn."""
    measure, windows = found["measure"], found["windows"]
    tints = heat.tints([w["mean"] for w in windows], flat=margin)
    made = {(w["prev"], w["next"]): _window(measure, w, tint) for w, tint in zip(windows, tints, strict=True)}
    prevs, nexts = (sorted({k[i] for k in made}) for i in (0, 1))
    rows = [(p, [made.get((p, n)) for n in nexts]) for p in prevs]
    return Surface(measure, found["rest"], nexts, rows)


def _window(measure: str, w: Mapping[str, Any], tint: str) -> Window:
    told = "difference" in w
    ends = (
        f" ({numbers.ends(measure, w['difference'], w['low'], w['high'])})"
        if told and w["low"] is not None
        else ""
    )
    yielded = w.get("yield")
    return Window(
        run=w["run"],
        tint=tint,
        mean=(numbers.measured(measure, w["mean"]), w["mean"]),
        tokens=f"{w['tokens']:,.0f}",
        base=not told,
        difference=f"{numbers.difference(measure, w['difference'])}{ends}" if told else "",
        bought="" if yielded is None else numbers.difference(measure, yielded),
    )
