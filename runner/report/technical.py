"""What every cell measured and how each came to it: the part of a page that needs no comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runner.report import caveats, cells, headers, numbers, sources
from runner.report.caveats import Caveat, Note
from runner.report.cells import Table
from runner.report.setups import Setup, setups
from runner.runs import Experiment

_COUNTED = {"documents": "document", "queries": "question", "judgments": "judgment"}


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set and what is in it."""

    name: str
    counts: list[str]


@dataclass(frozen=True, slots=True)
class Technical:
    """All cells of one sweep."""

    datasets: list[DataSet]
    axes: list[tuple[str, list[str]]]
    counts: list[tuple[str, int]]
    n_cells: int
    caveats: list[Caveat]
    table: Table
    headers: list[headers.Row]
    header_columns: list[str]
    notes: list[Note]
    textless: str
    """Which cells have no texts any more; empty when all have."""
    pipelines: list[sources.Pipeline]
    provenance: list[sources.Fact]


def technical(experiment: Experiment) -> Technical:
    """All cells of an experiment."""
    found, lost = setups(experiment)
    gone = sorted(n for s in found if not s.texts for n in s.nums)
    return Technical(
        datasets=_datasets(found),
        axes=list(experiment.body["axes"].items()),
        counts=cells.counts(experiment.cells),
        n_cells=len(experiment.cells),
        caveats=caveats.caveats(found),
        table=cells.table(experiment, found, lost),
        headers=headers.rows(found),
        header_columns=list(headers.COLUMNS.values()),
        notes=caveats.notes(found),
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
