"""The badge `±P/N`: how many chunks before and after a hit were added, in one of four forms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from runner.runs import Run

Form = Literal["on", "off", "muted", "range"]

_ONE_BY_ONE = 3
"""So many different values are shown each; more are one range."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What one run did with its neighbors."""

    prev: int
    following: int
    applied: bool
    strategy: str


def setting(run: Run) -> Setting:
    """What a recorded run did with its neighbors."""
    said = run.badge
    return Setting(said.prev, said.following, said.applied, run.config["strategy"]["name"])


@dataclass(frozen=True, slots=True)
class Shown:
    """A badge as a page shows it."""

    form: Form
    """A class of the style sheet: accent, outline, dashed grey, accent."""
    text: str
    tooltip: str
    label: str
    """The accessible name where the text does not say all; else empty."""
    most: int
    """What a column of badges is sorted by: the widest window, 0 where none was added."""


def badges(settings: Sequence[Setting]) -> list[Shown]:
    """The badges of a run or of an experiment's runs: one per value, or one range from four values on.

    A value is muted if no run applied it, because only `fixed_size` expands.
    """
    values: dict[tuple[int, int], list[Setting]] = {}
    for s in sorted(settings, key=lambda s: (s.prev + s.following, s.prev, s.strategy)):
        values.setdefault((s.prev, s.following), []).append(s)
    if len(values) > _ONE_BY_ONE:
        return [_range(list(values), [s for group in values.values() for s in group])]
    return [_one(p, n, group) for (p, n), group in values.items()]


def _one(prev: int, following: int, group: Sequence[Setting]) -> Shown:
    text = f"\u00b1{prev}/{following}"
    knobs = f"neighbor_prev {prev} \u00b7 neighbor_next {following}"
    if not any(s.applied for s in group):
        tooltip = f"{knobs} \u00b7 not applied: fixed_size was not in this run"
        return Shown("muted", text, tooltip, f"Neighbors {text}, not applied", 0)
    without = _without(group)
    tooltip = f"{knobs} \u00b7 not applied to {without}" if without and prev + following else knobs
    return Shown("on" if prev + following else "off", text, tooltip, "", prev + following)


def _range(values: Sequence[tuple[int, int]], settings: Sequence[Setting]) -> Shown:
    """The least and the widest window; the tooltip lists what each knob took."""
    (p1, n1), (p2, n2) = values[0], values[-1]
    text = f"\u00b1{p1}/{n1} \u2026 \u00b1{p2}/{n2}"
    prevs, nexts = (sorted({v[i] for v in values}) for i in (0, 1))
    tooltip = (
        f"neighbor_prev {_listed(prevs)} \u00b7 neighbor_next {_listed(nexts)} \u00b7 {len(values)} values"
    )
    if not any(s.applied for s in settings):
        tooltip += "; not applied: fixed_size was not in these runs"
        return Shown("muted", text, tooltip, f"Neighbors {text}, not applied", 0)
    without = _without(settings)
    widest = max(s.prev + s.following for s in settings if s.applied)
    return Shown("range", text, f"{tooltip}; not applied to {without}" if without else tooltip, "", widest)


def _without(settings: Sequence[Setting]) -> str:
    return ", ".join(sorted({s.strategy for s in settings if not s.applied}))


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
