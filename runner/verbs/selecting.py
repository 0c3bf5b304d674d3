"""Selection: every cell on the dev half, the best of them, and one look at it on the test half."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from runner import delivery, ledger, pipeline, sweep
from runner.budgets import BUDGETS
from runner.comparison import choosing, record, said, standing
from runner.comparison.scores import scores
from runner.config import Outside, RunConfig
from runner.errors import RequestError, RunnerError
from runner.keyring import corpus_meta
from runner.parts import parts
from runner.report import site
from runner.report.selection import FILE
from runner.request import Request, axes, cell_folder, session
from runner.runs import Experiment, Run
from runner.session import Progress

FORMAT = 1
Cell = tuple[list[str], RunConfig]


@dataclass(frozen=True, slots=True)
class Asked:
    """What to choose by."""

    measure: str
    budget: int | None
    """Tokens of the context, a question on average; None: any."""
    baseline: int
    """Place of the cell that the choice is compared with."""
    halving: bool
    margin: float


@dataclass(frozen=True, slots=True)
class Halves:
    """Where and for whom the cells are run."""

    outside: Outside
    command: list[str]
    progress: Progress

    def runs(self, cells: Sequence[Cell]) -> list[Run]:
        """The run of each cell. Raises RunnerError where one cannot be had."""
        own = session(self.outside, self.progress)
        return [Run(own.outputs, pipeline.run(config, own).run_key) for _, config in cells]

    def experiment(self, half: str, cells: Sequence[Cell]) -> Experiment:
        """The cells as a recorded sweep, with its comparison and report.

        Raises:
            RunnerError: a cell failed.
        """
        name = self.outside.experiment.model_copy(update={"name": f"{self.outside.experiment.name}-{half}"})
        outside = self.outside.model_copy(update={"experiment": name})
        own = session(outside, self.progress)
        request = Request(lambda _: None, self.progress, outside=outside)
        request.cells = list(cells)
        request.axes = axes([overrides for overrides, _ in cells])
        folder = own.outputs / "sweeps" / f"select-{uuid.uuid4().hex[:12]}"
        request.open(folder)
        for num, (overrides, config) in enumerate(cells):
            sweep.run_cell(num, overrides, config, cell_folder(folder, num), own)
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
    planned = choosing.rounds(len(cells), n) if asked.halving else [n]
    left, rounds = list(range(len(cells))), []
    for questions in planned[:-1]:
        found = halves.runs([_half(cells[i], "dev", questions) for i in left])
        rounds.append({"questions": questions, "cells": len(left)})
        left = _kept(left, found, asked)
    rounds.append({"questions": n, "cells": len(left)})
    dev = halves.experiment("dev", [_half(cells[i], "dev") for i in left])
    run_of = {left[num]: run.key for num, run in dev.runs.items()}
    cell_of = {key: cell for cell, key in reversed(run_of.items())}  # the first of those that are one run
    table = scores(_distinct(dev.runs.values()))
    order = choosing.places(table, asked.measure, asked.budget)
    if not order[0].within:
        least = min(p.tokens for p in order)
        raise RequestError(
            f"--budget: the smallest context has {least:.0f} tokens, {asked.budget} were asked"
        )
    within = {p.run for p in order if p.within}
    chosen = cell_of[order[0].run]
    body: dict[str, Any] = {
        "format": FORMAT,
        "asked": asdict(asked),
        "seed": cells[0][1].seed,
        "data": table.runs[0].data,
        "dev": dev.key,
        "rounds": rounds,
        "evaluations": {"made": sum(r["questions"] * r["cells"] for r in rounds), "all": n * len(cells)},
        "cells": [
            {"cell": cell_of[p.run], "overrides": _told(cells, cell_of[p.run]), **asdict(p)} for p in order
        ],
        "first": standing.first(scores([r for r in table.runs if r.key in within]), asked.measure),
        "chosen": chosen,
        "test": None,
    }
    if order[0].run != run_of[asked.baseline]:
        body["test"] = _confirmed([cells[asked.baseline], cells[chosen]], asked, halves)
    sweep.replace_json(dev.path / FILE, body)
    reports, shown = Path(halves.outside.runtime.reports), halves.outside.report.questions
    site.render(dev, reports, questions=shown)  # again, with what was chosen
    return body


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
    declared = [parts(config).measures for _, config in cells]
    shared = [m for m in declared[0] if all(m in others for others in declared)]
    choosing.must_have([*shared, *(f"SpanR@{b}t" for b in BUDGETS)], measure)


def _questions(cells: Sequence[Cell], halves: Halves) -> int:
    """How many questions the dev half has; the same for all cells."""
    own = session(halves.outside, halves.progress)
    found = [corpus_meta(parts(_half(c, "dev")[1]), own)[1] for c in cells]
    if len({m["fingerprints"]["queries"] for m in found}) > 1:
        raise RequestError("select: the cells ask different questions; choose within one data set")
    return int(found[0]["queries"])


def _kept(left: Sequence[int], found: Sequence[Run], asked: Asked) -> list[int]:
    """The cells that go on."""
    baseline = found[list(left).index(asked.baseline)].key
    order = choosing.places(scores(_distinct(found)), asked.measure, asked.budget)
    going = choosing.kept(order, baseline)
    return [num for num, run in zip(left, found, strict=True) if run.key in going]


def _told(cells: Sequence[Cell], num: int) -> list[str]:
    """The overrides of a cell that tell it from the others."""
    varied = axes([overrides for overrides, _ in cells])
    return [o for o in cells[num][0] if o.partition("=")[0] in varied] or cells[num][0]


def _distinct(found: Iterable[Run]) -> list[Run]:
    return list({run.key: run for run in found}.values())


def _half(cell: Cell, part: Literal["dev", "test"], questions: int | None = None) -> Cell:
    overrides, config = cell
    more = [] if questions is None else [f"questions={questions}"]
    update = {"split": part, "questions": questions or config.questions}
    return [*overrides, f"split={part}", *more], config.model_copy(update=update)
