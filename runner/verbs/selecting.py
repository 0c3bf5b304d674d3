"""Selection: every cell on the dev half, the best of them, and one look at it on the test half."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from runner import delivery, ledger, pipeline, sweep
from runner.comparison import choosing, record, said, standing
from runner.comparison.choosing import Place
from runner.comparison.scores import scores
from runner.config import Outside, RunConfig
from runner.errors import RequestError, RunnerError
from runner.keyring import corpus_meta, keyring
from runner.measure_names import BUDGETS
from runner.parts import parts
from runner.report import site
from runner.report.selection import FILE, FORMAT
from runner.request import Request, axes, cell_folder, session
from runner.runs import Experiment, Run
from runner.session import Progress

log = logging.getLogger(__name__)


class Cell(NamedTuple):
    """A cell of what is chosen from."""

    num: int
    """In the sweep it comes from: there it stands beside cells that cannot be run."""
    overrides: list[str]
    config: RunConfig


@dataclass(frozen=True, slots=True)
class Asked:
    """What to choose by."""

    measure: str
    budget: int | None
    """Tokens of the context, a question on average; None: any."""
    baseline: int
    """Number of the cell that the choice is compared with."""
    halving: bool
    margin: float


@dataclass(frozen=True, slots=True)
class Halves:
    """Where and for whom the cells are run."""

    outside: Outside
    command: list[str]
    progress: Progress

    @property
    def outputs(self) -> Path:
        """The folder of runs."""
        return Path(self.outside.runtime.outputs)

    def runs(self, cells: Sequence[Cell]) -> list[Run]:
        """The run of each cell. Raises RunnerError where one cannot be had."""
        own = session(self.outside, self.progress)
        return [Run(own.outputs, pipeline.run(c.config, own).run_key) for c in cells]

    def experiment(self, half: str, cells: Sequence[Cell]) -> Experiment:
        """The cells as a recorded sweep, with its comparison and report.

        Raises:
            RunnerError: a cell failed.
        """
        name = self.outside.experiment.model_copy(update={"name": f"{self.outside.experiment.name}-{half}"})
        outside = self.outside.model_copy(update={"experiment": name})
        own = session(outside, self.progress)
        request = Request(lambda _: None, self.progress, outside=outside)
        request.cells = [(c.overrides, c.config) for c in cells]
        request.axes = axes([c.overrides for c in cells])
        folder = own.outputs / "sweeps" / f"select-{uuid.uuid4().hex[:12]}"
        request.open(folder)
        for place, cell in enumerate(cells):
            sweep.run_cell(place, cell.overrides, cell.config, cell_folder(folder, place), own)
        done = delivery.finish(request, self.command).sweep
        if done.failed:
            bad = next(c for c in done.cells if c.run is None)
            raise RunnerError(f"select: cell {bad.num} ({' '.join(bad.overrides)}) failed: {bad.reason}")
        return Experiment(own.outputs, done.key)


def select(cells: Sequence[Cell], asked: Asked, halves: Halves) -> dict[str, Any]:
    """Choose among `cells` on dev, confirm on test; what came of it, as it is written beside the experiment.

    Raises:
        RequestError: the cells ask different questions, none is within the budget, or no run has the measure.
        RunnerError: a cell failed.
    """
    _measured(cells, asked.measure)
    n = _questions(cells, halves)
    ledger.looks(halves.outputs, "")  # one that is damaged is named before a look is spent
    distinct = _distinct_cells(cells, asked, halves)
    left, rounds = _narrowed(distinct, asked, halves, n)
    dev = halves.experiment("dev", [_half(c, "dev") for c in left])
    cell_of = {run.key: left[place] for place, run in sorted(dev.runs.items(), reverse=True)}
    table = scores(_distinct(dev.runs.values()))
    order = choosing.places(table, asked.measure, asked.budget)
    _affordable(order, asked)
    within = [r for r in table.runs if any(p.run == r.key and p.within for p in order)]
    chosen, baseline = cell_of[order[0].run], _numbered(cells, asked.baseline)
    body: dict[str, Any] = {
        "format": FORMAT,
        "asked": asdict(asked),
        "seed": cells[0].config.seed,
        "data": table.runs[0].data,
        "dev": dev.key,
        "rounds": rounds,
        "evaluations": {"made": sum(r["questions"] * r["cells"] for r in rounds), "all": n * len(distinct)},
        "cells": [
            {"cell": cell_of[p.run].num, "overrides": _told(cells, cell_of[p.run]), **asdict(p)}
            for p in order
        ],
        "first": standing.first(scores(within), asked.measure),
        "chosen": {"cell": chosen.num, "overrides": _told(cells, chosen)},
        "baseline": {"cell": baseline.num, "overrides": _told(cells, baseline)},
        "test": None,
    }
    if order[0].run != dev.runs[left.index(baseline)].key:
        body["test"] = _confirmed([baseline, chosen], asked, halves)
    sweep.replace_json(dev.path / FILE, body)
    reports, shown = Path(halves.outside.runtime.reports), halves.outside.report.questions
    try:
        site.render(dev, reports, questions=shown)  # again, with what was chosen
    except Exception as e:  # a sink must not lose what was chosen
        log.error("the report could not be written (%s); the selection is complete", e)
    return body


def _distinct_cells(cells: Sequence[Cell], asked: Asked, halves: Halves) -> list[Cell]:
    """The cells without those that are the same run as another, whose work would count twice."""
    own, kept = session(halves.outside, halves.progress), dict[str, Cell]()
    for cell in sorted(cells, key=lambda c: c.num != asked.baseline):  # the baseline stands for its like
        kept.setdefault(keyring(parts(_half(cell, "dev").config), own).run, cell)
    return sorted(kept.values(), key=lambda c: c.num)


def _narrowed(
    cells: Sequence[Cell], asked: Asked, halves: Halves, n: int
) -> tuple[list[Cell], list[dict[str, int]]]:
    """The cells that are left for all `n` questions of dev, and what each round asked."""
    left, rounds = list(cells), []
    for questions in choosing.rounds(len(cells), n)[:-1] if asked.halving else ():
        found = halves.runs([_half(c, "dev", questions) for c in left])
        rounds.append({"questions": questions, "cells": len(left)})
        baseline = found[left.index(_numbered(cells, asked.baseline))].key
        order = choosing.places(scores(_distinct(found)), asked.measure, asked.budget)
        _affordable(order, asked)
        going = choosing.kept(order, baseline)
        left = [cell for cell, run in zip(left, found, strict=True) if run.key in going]
    return left, [*rounds, {"questions": n, "cells": len(left)}]


def _confirmed(pair: Sequence[Cell], asked: Asked, halves: Halves) -> dict[str, Any]:
    """The one look at the test half: the chosen cell against the baseline."""
    test = halves.experiment("test", [_half(c, "test") for c in pair])
    group = record.of_experiment(test, margin=asked.margin)[0]
    row = group.row(test.runs[1].key, asked.measure)
    if row is None:  # both are one run, on these questions
        raise RequestError("select: the chosen cell and the baseline are the same run")
    looks = ledger.looks(test.outputs, group.runs[0].meta["fingerprints"]["queries"])
    answer = said.headline(group)
    return {
        "experiment": test.key,
        **asdict(row),
        "answer": answer.sentence if answer else "",
        "looks": looks.said,
        "times": looks.times,
        "setups": looks.setups,
    }


def _measured(cells: Sequence[Cell], measure: str) -> None:
    """Refuse a measure that the runs will not have, before anything is run."""
    declared = [parts(cell.config).measures for cell in cells]
    shared = [m for m in declared[0] if all(m in others for others in declared)]
    choosing.may_choose([*shared, *(f"SpanR@{b}t" for b in BUDGETS)], measure)


def _questions(cells: Sequence[Cell], halves: Halves) -> int:
    """How many questions the dev half has; the same for all cells."""
    own = session(halves.outside, halves.progress)
    found = [corpus_meta(parts(_half(c, "dev").config), own)[1] for c in cells]
    if len({m["fingerprints"]["queries"] for m in found}) > 1:
        raise RequestError("select: the cells ask different questions; choose within one data set")
    return int(found[0]["queries"])


def _affordable(order: Sequence[Place], asked: Asked) -> None:
    """Refuse a budget that no cell keeps to."""
    if not order[0].within:
        least = min(p.tokens for p in order)
        raise RequestError(
            f"--budget: the smallest context has {least:.0f} tokens, {asked.budget} were asked"
        )


def _numbered(cells: Sequence[Cell], num: int) -> Cell:
    return next(cell for cell in cells if cell.num == num)


def _told(cells: Sequence[Cell], cell: Cell) -> list[str]:
    """The overrides of a cell that tell it from the others."""
    varied = axes([c.overrides for c in cells])
    return [o for o in cell.overrides if o.partition("=")[0] in varied] or cell.overrides


def _distinct(found: Iterable[Run]) -> list[Run]:
    return list({run.key: run for run in found}.values())


def _half(cell: Cell, part: Literal["dev", "test"], questions: int | None = None) -> Cell:
    more = [] if questions is None else [f"questions={questions}"]
    update = {"split": part, "questions": questions or cell.config.questions}
    return Cell(cell.num, [*cell.overrides, f"split={part}", *more], cell.config.model_copy(update=update))
