"""After the last cell: the experiment's record, then the sinks, none of which can fail a run."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from runner import planning, registry, sweep, tracking
from runner.comparison import power, record, said
from runner.config import RunConfig
from runner.errors import RunnerError, StoreError
from runner.keyring import keyring
from runner.ledger import looks
from runner.parts import parts
from runner.report import numbers, site
from runner.request import Request, axes, cell_folder, session
from runner.runs import Experiment, Run
from runner.session import Session
from runner.sweep import Sweep
from runner.tracking.destination import OFF

log = logging.getLogger(__name__)

KNOBS = ("neighbor_prev", "neighbor_next", "threshold.similarity")
"""Values set by hand: that they do nothing matters; that a group is not read is no news."""
_REMARKS = 5
_SHOWN = 6
"""Measures in the table of a terminal; all are in the report."""


@dataclass(frozen=True, slots=True)
class Done:
    """A finished sweep and what the sinks said."""

    sweep: Sweep
    lines: list[str]


def plan_of(request: Request) -> planning.Plan | None:
    """The plan of a request; notes in it the cells whose data or models cannot be had.

    Returns:
        None: the sweeper decides as it goes, or a stage failed while planning. The cells will then say so.

    Raises:
        RequestError: no cell is left.
    """
    if request.cells is None:
        return None
    own = session(request.outside, request.progress)
    request.cells = [(o, _readable(c, own)) for o, c in request.cells]
    request.refuse()
    before = own.counters.texts_embedded
    try:
        return planning.plan([c if isinstance(c, RunConfig) else None for _, c in request.cells], own)
    except Exception as e:  # a cell fails by itself, when its turn comes
        log.warning("no plan (%s: %s); the cells are run without one", type(e).__name__, e)
        return None
    finally:
        request.probed = own.counters.texts_embedded - before


def power_of(request: Request) -> list[str]:
    """What the questions of the sweep can decide, by the variance of earlier runs; a line a measure."""
    configs = [c for _, c in request.cells or [] if isinstance(c, RunConfig)]
    if not configs:
        return []
    prints = keyring(parts(configs[0]), session(request.outside, request.progress)).fingerprints
    found = power.told(Path(request.outside.runtime.outputs), prints, max(1, len(configs) - 1))
    by = "independent units, 80% power, as {} earlier runs vary"
    return [
        f"  {t.measure:<12} differences from about {t.least:.3f} on ({t.units} {by.format(t.runs)})"
        for t in found
    ] or ["  nothing is known of it yet: fewer than two runs over these questions are recorded"]


def _readable(config: RunConfig | RunnerError, own: Session) -> RunConfig | RunnerError:
    """`config`, if its data set and model files are there and sound; otherwise what is wrong with them."""
    if isinstance(config, RunConfig):
        try:
            keyring(parts(config), own)
        except RunnerError as e:
            return e
    return config


def finish(request: Request, command: Sequence[str]) -> Done:
    """Read the cells' status files, record the experiment, deliver it."""
    if request.folder is None:
        raise RuntimeError("a request without a sweep folder has nothing to finish")
    outside = request.outside
    outputs = Path(outside.runtime.outputs)
    if request.cells is None:
        found = sorted(int(p.name) for p in request.folder.glob("cells/*") if p.is_dir())
        named: dict[int, list[str]] = {n: [] for n in found}
    else:
        named = {n: overrides for n, (overrides, _) in enumerate(request.cells)}
    folders = {n: (cell_folder(request.folder, n), overrides) for n, overrides in named.items()}
    safe = tracking.without_credentials  # a tracking URI on the command line may have some
    cells = [replace(c, overrides=safe(c.overrides)) for c in sweep.read_cells(folders)]
    if request.cells is None:
        request.axes = axes([c.overrides for c in cells])
    done = sweep.record(outputs, outside.experiment.name, request.axes, cells, safe(command))
    experiment = Experiment(outputs, done.key)
    lines = [*_searched(request, cells), *_compared(experiment)]
    reports, shown = Path(outside.runtime.reports), outside.report.questions
    path = None
    try:
        pages = site.render(experiment, reports, questions=shown)
        lines += [f"{what}: {where}" for what, where in pages.items()]
        if outside.tracking.uri != OFF:  # what is sent must be one file
            path = site.single(experiment, reports, questions=shown)
    except Exception as e:  # a sink must not fail a finished sweep
        log.error("the report could not be written (%s); the runs are complete", e)
    lines.append(
        tracking.deliver(experiment, outside.tracking, tracking.Files(path, request.folder / "cells"))
    )
    return Done(done, lines)


def _searched(request: Request, cells: Sequence[sweep.Cell]) -> list[str]:
    """What a sweeper that decides as it goes left out."""
    if request.cells is not None or request.grid is None:
        return []
    made = len({tuple(c.overrides) for c in cells})
    return [f"searched: {made} of {request.grid} combinations ({request.grid - made} evaluations saved)"]


def _compared(experiment: Experiment) -> list[str]:
    """Write the comparison record of a sweep; its answers, one a data set."""
    if not any(c["run"] for c in experiment.cells):
        return []
    try:
        groups = record.of_experiment(experiment)
        answers = said.answers(groups)
        record.write(experiment, groups)
    except Exception as e:  # neither can this
        log.error("the runs could not be compared (%s: %s); they are complete", type(e).__name__, e)
        return []
    return answers


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
        values = [numbers.tabled(m, means[m]) if m in means else numbers.MISSING for m in names]
        shown = [o for o in cell.overrides if o.partition("=")[0] in done.axes] or cell.overrides
        rows.append([str(cell.num), " ".join(shown) or "(defaults)", badge, status, *values])
        if cell.reason and cell.same_as is None:
            rows.append(["", f"  at {cell.stage or 'start'}: {cell.reason}", "", "", *[""] * len(names)])
    if names:
        head[4] = f"{names[0]} (n {n})"
    return head, rows, list(range(4, 4 + len(names)))


def remarks(done: Sweep, outputs: Path) -> list[str]:
    """What a reader of the table must know: knobs that do nothing, warnings of the runs; each once."""
    reasons = {k: sorted({c.not_applied[k] for c in done.cells if k in c.not_applied}) for k in KNOBS}
    idle = [f"not applied: {k}: {_together(whys)}" for k, whys in reasons.items() if whys]
    runs = {c.run: Run(outputs, c.run) for c in done.cells if c.run}
    told: dict[str, list[int]] = {}
    for cell in done.cells:
        for warning in runs[cell.run].meta["warnings"] if cell.run else ():
            told.setdefault(warning, []).append(cell.num)
    everyone = sum(c.run is not None for c in done.cells)
    warned = [
        f"note: {w}" if len(nums) == everyone else f"note: {numbers.cells(nums)}: {w}"
        for w, nums in told.items()
    ]
    few = warned[:_REMARKS]
    more = [f"note: {len(warned) - len(few)} more in the report"] if len(warned) > len(few) else []
    worn = {
        r.meta["fingerprints"]["queries"]: r.data for r in runs.values() if r.config.get("split") == "test"
    }
    looked = [_worn(outputs, q, data) for q, data in worn.items()]
    return [*idle, *_units(done, runs), *few, *more, *looked]


def _together(reasons: Sequence[str]) -> str:
    """Reasons that differ in one word as one: `strategy heading and parent has no windows to widen`."""
    columns = list(zip(*(r.split() for r in reasons), strict=False))
    differ = [i for i, column in enumerate(columns) if len(set(column)) > 1]
    if len(differ) != 1 or len({len(r.split()) for r in reasons}) > 1:
        return "; ".join(reasons)
    said = [column[0] for column in columns]
    said[differ[0]] = numbers.listed(columns[differ[0]])
    return " ".join(said)


def _units(done: Sweep, runs: Mapping[str, Run]) -> list[str]:
    """That one number on an axis of sizes is not one length, where strategies count different things."""
    if not {"strategy.size", "strategy"} <= set(done.axes):
        return []
    by_unit: dict[str, dict[str, None]] = {}
    for run in runs.values():
        chosen = registry.parse_run(run.config)[0].strategy
        if hasattr(chosen, "size"):
            unit = str(getattr(chosen, "unit", getattr(chosen, "counts", "tokens")))
            by_unit.setdefault(unit, {})[chosen.name] = None
    said = "; ".join(f"{unit} in {numbers.listed(list(names))}" for unit, names in by_unit.items())
    return [f"note: strategy.size counts {said}: one number is not one length"] if len(by_unit) > 1 else []


def _worn(outputs: Path, questions: str, data: str) -> str:
    try:
        return f"note: {data}: {looks(outputs, questions).said}"
    except StoreError as e:  # the sweep is finished all the same
        return f"note: {data}: how often this test half was looked at is not known: {e}"
