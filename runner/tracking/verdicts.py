"""What the comparison record says of each cell, in the words of the report and as the table `summary.csv`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from runner.comparison.record import read
from runner.errors import StoreError
from runner.report import numbers
from runner.report.wording import outcome
from runner.runs import Experiment, Run
from runner.tracking import contents

_SUMMARY = {
    "cell": pl.Int64, "what": pl.String, "neighbors": pl.String, "status": pl.String, "run": pl.String,
    "measure": pl.String, "main": pl.Boolean, "n": pl.Int64, "mean": pl.Float64, "baseline_mean": pl.Float64,
    "difference": pl.Float64, "low": pl.Float64, "high": pl.Float64, "level": pl.Float64,
    "p_corrected": pl.Float64, "verdict": pl.String, "note": pl.String,
}  # fmt: skip
_COMPARED = ("baseline_mean", "difference", "low", "high", "level", "p_corrected", "verdict", "note")
Row = Mapping[str, Any]


class Verdicts:
    """The comparison of a sweep by run; empty where nothing was compared."""

    def __init__(self, experiment: Experiment) -> None:
        recorded = read(experiment)
        self.groups: list[dict[str, Any]] = recorded[0]["groups"] if recorded else []
        several = [g for g in self.groups if len(g["runs"]) > 1]  # a run alone is compared with nothing
        self._group = {r["run"]: g for g in several for r in g["runs"]}
        self._rows: dict[tuple[str, str], dict[str, Any]] = {}
        for row in recorded[1].iter_rows(named=True) if recorded else ():
            group = self._group.get(row["candidate"])
            if group is not None and row["baseline"] == group["baseline"]:
                self._rows[row["candidate"], row["measure"]] = row

    def group(self, run: str) -> Mapping[str, Any]:
        """What the record says of the data set of a run; nothing where the run is alone in it."""
        return self._group.get(run, {})

    def main(self, run: str) -> list[Row]:
        """The differences of a run to its baseline in the measures of the headline."""
        found = (self._rows.get((run, m)) for m in self.group(run).get("main", ()))
        return [row for row in found if row is not None]

    def row(self, run: str, measure: str) -> Row | None:
        """The difference of a run to its baseline in one measure."""
        return self._rows.get((run, measure))

    def said(self, run: str) -> str | None:
        """The verdicts of a run in few words, for a column of a list."""
        if run == self.group(run).get("baseline"):
            return "baseline"
        return "; ".join(f"{r['measure']}: {outcome(r).words}" for r in self.main(run)) or None


def label(group: Mapping[str, Any], run: str) -> str:
    """What a comparison calls a run."""
    return next((str(r["label"]) for r in group["runs"] if r["run"] == run), run)


def ends(row: Row) -> str:
    """The interval and its level; missing where there were too few questions."""
    if row["low"] is None:
        return numbers.MISSING
    if row["low"] is None:
        return numbers.MISSING
    said = numbers.ends(row["measure"], row["difference"], row["low"], row["high"])
    return f"{said} ({numbers.level(row['level'])})"


def summary(experiment: Experiment, verdicts: Verdicts) -> pl.DataFrame:
    """A row per cell and measure, the measures of the headline first; one row for a cell without a run."""
    rows: list[dict[str, Any]] = []
    for cell in experiment.cells:
        run = experiment.runs.get(cell["num"])
        known = {"cell": cell["num"], "what": contents.title(experiment, cell, run), "status": cell["status"]}
        if run is None:
            rows.append({**known, "note": cell["reason"]})
        else:
            known |= {"neighbors": contents.badge(run), "run": run.key}
            rows += ({**known, **measured} for measured in _measured(run, verdicts))
    return pl.DataFrame([{c: row.get(c) for c in _SUMMARY} for row in rows], schema=_SUMMARY)


def _measured(run: Run, verdicts: Verdicts) -> Iterator[dict[str, Any]]:
    """Mean and comparison of a run in each of its measures."""
    main: list[str] = verdicts.group(run.key).get("main", [])
    means = _means(run)
    base = run.key == verdicts.group(run.key).get("baseline")
    for measure in [*(m for m in main if m in means), *(m for m in means if m not in main)]:
        mean, n = means[measure]
        row = verdicts.row(run.key, measure)
        compared = {c: row[c] for c in _COMPARED} if row else {"verdict": "baseline"} if base else {}
        if row and row["constructed"]:
            compared["note"] = f"by construction: {row['constructed']}"
        yield {"measure": measure, "main": measure in main, "n": n, "mean": mean, **compared}


def _means(run: Run) -> dict[str, tuple[float, int]]:
    """By measure its mean and n, then those of the budgets."""
    out = {m["measure"]: (m["mean"], m["n"]) for m in run.measures}
    try:
        budgets = run.table("curve").group_by("measure", maintain_order=True)
    except StoreError:
        return out  # recorded before runs had a curve
    cut = budgets.agg(pl.col("value").mean(), pl.len().alias("n"))
    return out | {m: (v, n) for m, v, n in cut.iter_rows() if m not in out}
