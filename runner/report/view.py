"""The view model of a sweep's page: all that a template shows, and nothing that it must work out."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from runner.report import caveats, cells, headers, numbers, questions, sources
from runner.report.caveats import Caveat, Note
from runner.report.cells import Table
from runner.report.glossary import Column
from runner.report.setups import Setup, setups
from runner.runs import Experiment

_COUNTED = {"documents": "document", "queries": "question", "judgments": "judgment"}


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set and what is in it."""

    name: str
    counts: list[str]


@dataclass(frozen=True, slots=True)
class Page:
    """One sweep."""

    name: str
    key: str
    version: str
    created: str
    day: str
    command: str
    datasets: list[DataSet]
    axes: list[tuple[str, list[str]]]
    counts: list[tuple[str, int]]
    n_cells: int
    caveats: list[Caveat]
    table: Table
    headers: list[headers.Row]
    header_columns: list[str]
    notes: list[Note]
    glossary: list[Column]
    questions: questions.Section
    textless: str
    """Which cells have no texts any more; empty when all have."""
    pipelines: list[sources.Pipeline]
    provenance: list[sources.Fact]


def page(experiment: Experiment, limit: int) -> Page:
    """The page of an experiment with at most `limit` questions."""
    found, lost = setups(experiment)
    body = experiment.body
    table = cells.table(experiment, found, lost)
    gone = sorted(n for s in found if not s.texts for n in s.nums)
    return Page(
        name=experiment.name,
        key=experiment.key,
        version=str(body.get("version", "")),
        created=body["created"],
        day=numbers.day(body["created"]),
        command=shlex.join(body["command"]),
        datasets=_datasets(found),
        axes=list(body["axes"].items()),
        counts=cells.counts(experiment.cells),
        n_cells=len(experiment.cells),
        caveats=caveats.caveats(found),
        table=table,
        headers=headers.rows(found),
        header_columns=list(headers.COLUMNS.values()),
        notes=caveats.notes(found),
        glossary=table.columns,
        questions=questions.section(found, limit),
        textless=numbers.cells(gone) if gone else "",
        pipelines=[sources.pipeline(s) for s in found],
        provenance=sources.provenance(found),
    )


def _datasets(found: Sequence[Setup]) -> list[DataSet]:
    by = {s.data: s.run for s in found}
    return [
        DataSet(
            run.data,
            [
                numbers.several(run.meta["data"][what], word)
                for what, word in _COUNTED.items()
                if what in run.meta["data"]
            ],
        )
        for run in by.values()
    ]
