"""Many runs: each cell leaves a status file and never raises; the end of a sweep reads files."""

from __future__ import annotations

import json
import logging
import re
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from runner import keys, tables
from runner.config import RunConfig
from runner.errors import DataError, RequestError, RunnerError
from runner.measure_names import deciding
from runner.pipeline import run
from runner.session import Session, stage_of
from runner.store import publish_file

log = logging.getLogger(__name__)

STATUS = "cell.json"
_OUTSIDE = re.compile(r"[+~]*(tracking|report|runtime)\b")
"""Overrides that change no result: sent elsewhere or shown otherwise, a sweep is the same experiment."""
Status = Literal["finished", "found", "failed", "invalid", "not started"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination of a sweep and what became of it."""

    num: int
    overrides: list[str]
    status: Status
    run: str | None = None
    stage: str | None = None
    reason: str | None = None
    counters: dict[str, int] = field(default_factory=dict)
    not_applied: dict[str, str] = field(default_factory=dict)
    same_as: int | None = None
    """The first cell of the sweep that is the same run."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """A finished sweep: `outputs/experiments/<key>/experiment.json`."""

    key: str
    name: str
    axes: dict[str, list[str]]
    cells: list[Cell]
    created: str
    command: list[str]

    @property
    def failed(self) -> bool:
        """Whether any cell has no result."""
        return any(c.run is None or c.status in {"failed", "invalid", "not started"} for c in self.cells)

    def totals(self) -> dict[str, int]:
        """The counters of all cells, and how many cells ran, were found finished, or failed."""
        out = {"cells_run": 0, "cells_found": 0, "cells_same": 0, "cells_failed": 0}
        for cell in self.cells:
            kind = {"finished": "cells_run", "found": "cells_found"}.get(cell.status, "cells_failed")
            out["cells_same" if cell.same_as is not None else kind] += 1
            for name, n in cell.counters.items():
                out[name] = out.get(name, 0) + n
        return out


def run_cell(num: int, overrides: Sequence[str], config: RunConfig, folder: Path, session: Session) -> Cell:
    """Run one cell and write its status into `folder`. Only an interrupt passes through."""
    try:
        outcome = run(config, session)
        cell = Cell(
            num, list(overrides), "found" if outcome.found else "finished", outcome.run_key,
            counters=outcome.counters, not_applied=outcome.not_applied,
        )  # fmt: skip
    except Exception as e:  # the others must finish: whatever happened becomes this cell's status
        cell = failed_cell(num, overrides, e, folder)
    write_status(folder, cell)
    return cell


def failed_cell(num: int, overrides: Sequence[str], error: Exception, folder: Path) -> Cell:
    """The status of a cell that raised; its traceback goes into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "traceback.txt").write_text("".join(traceback.format_exception(error)), "utf-8")
    status: Status = "invalid" if isinstance(error, RequestError) else "failed"
    reason = str(error) if isinstance(error, RunnerError) else f"{type(error).__name__}: {error}"
    log.error("cell %d (%s) %s: %s", num, " ".join(overrides) or "no overrides", status, reason)
    stage = stage_of(error) or ("dataset" if isinstance(error, DataError) else None)
    return Cell(num, list(overrides), status, stage=stage, reason=reason)


def write_status(folder: Path, cell: Cell) -> None:
    """Write a cell's status so that a reader sees all of it or nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    replace_json(folder / STATUS, asdict(cell))


def replace_json(path: Path, value: Any) -> None:
    """Write JSON under a name that may exist already, in one step."""
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
    publish_file(path, lambda draft: draft.write_text(text, "utf-8"))


def read_cells(folders: Mapping[int, tuple[Path, list[str]]]) -> list[Cell]:
    """The cells of a sweep by number, from what each left in its folder."""
    cells = []
    first: dict[str, int] = {}
    for num, (folder, overrides) in sorted(folders.items()):
        path = folder / STATUS
        if path.is_file():
            cell = Cell(**json.loads(path.read_text("utf-8")))
        else:
            cell = Cell(
                num, overrides, "not started", reason="no status was left: stopped before or during this cell"
            )
        if cell.run is not None:
            same = first.setdefault(cell.run, cell.num)
            if same != cell.num:
                cell = Cell(**{**asdict(cell), "same_as": same})
        cells.append(cell)
    return cells


def record(
    outputs: Path, name: str, axes: dict[str, list[str]], cells: list[Cell], command: Sequence[str]
) -> Sweep:
    """Write the experiment of these cells; the same cells of the same name give the same experiment."""
    said = [[[o for o in c.overrides if not _OUTSIDE.match(o)], c.run] for c in cells]
    key = keys.digest(["experiment", name, axes, said])
    sweep = Sweep(key, name, axes, cells, datetime.now(UTC).isoformat(timespec="seconds"), list(command))
    folder = outputs / "experiments" / key
    folder.mkdir(parents=True, exist_ok=True)
    replace_json(folder / "experiment.json", asdict(sweep))
    return sweep


def objective(session: Session, cell: Cell, *, several: bool = False) -> float | tuple[float, float] | None:
    """What a sweeper that searches for the best is told of a cell; None: it has no result.

    Returns:
        The mean of the first measure that is no cost; with `several` beside it the mean tokens of a context.
    """
    if cell.run is None:
        return None
    folder = session.run_folder(cell.run)
    meta = json.loads((folder / "run.json").read_text("utf-8"))
    means = {m["measure"]: float(m["mean"]) for m in meta["measures"]}
    if not means:
        return None
    mean = means[[*deciding(means), *means][0]]
    if not several:
        return mean
    spent = tables.read(folder / "context.parquet", ["tokens"])["tokens"].sum()
    return mean, float(spent) / int(meta["data"]["queries"])
