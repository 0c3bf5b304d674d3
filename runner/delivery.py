"""After the last cell: the experiment's record, then the sinks, none of which can fail a run."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runner import planning, sweep, tracking
from runner.config import RunConfig
from runner.report.page import render
from runner.request import Request, cell_folder, session
from runner.runs import Experiment, Run
from runner.sweep import Sweep

log = logging.getLogger(__name__)

_SHOWN = 6
"""Measures in the table of a terminal; all are in the report."""


@dataclass(frozen=True, slots=True)
class Done:
    """A finished sweep and what the sinks said."""

    sweep: Sweep
    lines: list[str]


def plan_of(request: Request) -> planning.Plan | None:
    """The plan of a request, and the status of the cells that are invalid already."""
    if request.cells is None:
        return None
    own = session(request.outside, request.progress)
    configs = [c if isinstance(c, RunConfig) else None for _, c in request.cells]
    return planning.plan(configs, own)


def finish(request: Request, command: Sequence[str]) -> Done:
    """Read the cells' status files, record the experiment, deliver it."""
    if request.folder is None:
        raise RuntimeError("a request without a sweep folder has nothing to finish")
    outside = request.outside
    outputs = Path(outside.runtime.outputs)
    if request.cells is None:
        found = sorted(int(p.name) for p in (request.folder / "cells").iterdir() if p.is_dir())
        named: dict[int, list[str]] = {n: [] for n in found}
    else:
        named = {n: overrides for n, (overrides, _) in enumerate(request.cells)}
    folders = {n: (cell_folder(request.folder, n), overrides) for n, overrides in named.items()}
    done = sweep.record(outputs, outside.experiment.name, request.axes, sweep.read_cells(folders), command)
    experiment = Experiment(outputs, done.key)
    lines = []
    path = None
    try:
        path = render(experiment, Path(outside.runtime.reports), questions=outside.report.questions)
        lines.append(f"report: {path}")
    except Exception as e:  # a sink must not fail a finished sweep
        log.error("the report could not be written (%s); the runs are complete", e)
    lines.append(
        tracking.deliver(experiment, outside.tracking, tracking.Files(path, request.folder / "cells"))
    )
    return Done(done, lines)


def table_of(done: Sweep, outputs: Path) -> tuple[list[str], list[list[str]], list[int]]:
    """Head, rows and right-aligned columns of the table of a sweep: a row per cell."""
    runs = {c.run: Run(outputs, c.run) for c in done.cells if c.run}
    measures = next((list(r.measures)[:_SHOWN] for r in runs.values()), [])
    names = [m["measure"] for m in measures]
    n = measures[0]["n"] if measures else 0
    head = ["cell", "overrides", "badge", "status", *names]
    rows = []
    for cell in done.cells:
        run = runs.get(cell.run) if cell.run else None
        status = cell.status if cell.same_as is None else f"same as {cell.same_as}"
        badge = "" if run is None else run.badge.text if run.badge.applied else f"({run.badge.text})"
        means = {m["measure"]: m["mean"] for m in run.measures} if run else {}
        values = [_shown(m, means.get(m)) for m in names]
        shown = [o for o in cell.overrides if o.partition("=")[0] in done.axes] or cell.overrides
        rows.append([str(cell.num), " ".join(shown) or "(defaults)", badge, status, *values])
        if cell.reason and cell.same_as is None:
            rows.append(["", f"  at {cell.stage or 'start'}: {cell.reason}", "", "", *[""] * len(names)])
    if names:
        head[4] = f"{names[0]} (n {n})"
    return head, rows, list(range(4, 4 + len(names)))


def _shown(measure: str, value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if measure.startswith("Tokens") else f"{value:.4f}"
