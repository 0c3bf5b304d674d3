"""The table of cells: one row each, with its badge, its status and its measures, or why it has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runner.report import badge, numbers
from runner.report.glossary import Column, Group, grouped
from runner.report.setups import Setup, shown
from runner.runs import Experiment

_STATUS = {"finished": "run", "found": "found finished"}


@dataclass(frozen=True, slots=True)
class Value:
    """A number on the page and the number behind it."""

    measure: str
    text: str
    raw: float
    std_text: str = ""
    std: float | None = None
    n: int | None = None
    first: bool = False
    """Whether a group of columns starts here."""


@dataclass(frozen=True, slots=True)
class Row:
    """One cell."""

    num: int
    overrides: tuple[str, ...]
    status: str
    run: str | None
    badge: badge.Shown | None
    values: list[Value | None]
    """One per column, None where the run did not measure it; empty for a row that only says something."""
    says: str = ""
    """Instead of values: the reason of a cell without a result, or which cell it is the same run as."""
    stage: str = ""
    same_as: int | None = None
    knobs: tuple[str, ...] = ()
    """Choices that do nothing in this cell, and why."""


@dataclass(frozen=True, slots=True)
class Table:
    """All cells and the columns of their measures."""

    groups: list[Group]
    n: dict[str, int | None]
    """Questions behind the means of a measure; None when cells differ."""
    common_n: int | None
    """Questions behind every mean of the table; None when columns or cells differ."""
    rows: list[Row]

    @property
    def columns(self) -> list[Column]:
        """The columns, from left to right."""
        return [c for g in self.groups for c in g.columns]


def table(experiment: Experiment, setups: Sequence[Setup], lost: Mapping[int, str]) -> Table:
    """The table of an experiment's cells."""
    measured = [m for s in setups for m in s.run.measures]
    groups = grouped(m["measure"] for m in measured)
    seen: dict[str, set[int]] = {}
    for m in measured:
        seen.setdefault(m["measure"], set()).add(m["n"])
    n = {name: next(iter(found)) if len(found) == 1 else None for name, found in seen.items()}
    by_cell = {num: s for s in setups for num in s.nums}
    every = set(n.values())
    rows = [
        _row(cell, by_cell.get(cell["num"]), groups, lost, experiment.body["axes"])
        for cell in experiment.cells
    ]
    return Table(groups, n, next(iter(every)) if len(every) == 1 else None, rows)


def _row(
    cell: Mapping[str, Any],
    setup: Setup | None,
    groups: Sequence[Group],
    lost: Mapping[int, str],
    axes: Mapping[str, object],
) -> Row:
    num, overrides = cell["num"], shown(cell["overrides"], axes)
    knobs = tuple(f"{k}: {why}" for k, why in cell["not_applied"].items())
    if setup is None:
        says = lost.get(num) or cell["reason"] or "no reason was recorded"
        return Row(
            num, overrides, cell["status"], cell["run"], None, [], says, cell["stage"] or "", knobs=knobs
        )
    shows, key = badge.badges([badge.setting(setup.run)])[0], setup.run.key
    status = _STATUS.get(cell["status"], cell["status"])
    if cell["same_as"] is not None:
        return Row(num, overrides, "same run", key, shows, [], same_as=cell["same_as"], knobs=knobs)
    means = {m["measure"]: m for m in setup.run.measures}
    values = [_value(means.get(c.measure), c is g.columns[0]) for g in groups for c in g.columns]
    return Row(num, overrides, status, key, shows, values, knobs=knobs)


def _value(found: Mapping[str, Any] | None, first: bool) -> Value | None:
    if found is None:
        return None
    name, mean, std = found["measure"], found["mean"], found["std"]
    return Value(
        name, numbers.measured(name, mean), mean, numbers.measured(name, std), std, found["n"], first
    )


def counts(cells: Sequence[Mapping[str, Any]]) -> list[tuple[str, int]]:
    """How many cells ran, were found finished, failed, and are the same run as another."""
    own = [c["status"] for c in cells if c["same_as"] is None]
    same = len(cells) - len(own)
    done = {"run": own.count("finished"), "found finished": own.count("found")}
    failed = {s: own.count(s) for s in ("failed", "invalid", "not started")}
    always = {"run", "found finished", "failed"}
    every = {**done, **failed, "the same run as another": same}
    return [(what, n) for what, n in every.items() if n or what in always]
