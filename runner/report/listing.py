"""The list of experiments: which one to open, and which may stand side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from runner import named
from runner.comparison import record
from runner.errors import StoreError
from runner.report import badge, caveats, frame, numbers, page
from runner.report.setups import Setup, setups
from runner.report.wording import Kind
from runner.runs import Experiment

NO_RECORD = "no comparison was recorded; run the sweep again"
_FAILED = ("failed", "invalid", "not started")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer of an experiment on one line."""

    kind: Kind
    tags: list[tuple[Kind, str]]
    best: str
    """The best cell by its mean, or why there is none."""
    ends: str = ""
    """Its difference to the baseline, with interval and measure."""
    measure: str = ""
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One experiment."""

    key: str
    name: str
    page: str
    """Address of its page; empty: none was written."""
    data: str
    questions: int
    iso: str
    day: str
    cells: int
    failed: int
    strategies: list[str]
    badges: list[badge.Shown]
    embedding: list[str]
    reranker: list[str]
    enrichment: list[str]
    verdict: Verdict | None
    warnings: int
    tick: str
    """Key of the run that stands for it in a comparison: the named winner, else the baseline."""

    @property
    def widest(self) -> int:
        """What the column of badges is sorted by."""
        return max((b.most for b in self.badges), default=0)


def listing(outputs: Path, reports: Path) -> str:
    """The page `reports/index.html`: every recorded experiment, newest first.

    Args:
        outputs: the folder of runs and experiments.
        reports: the folder of the site; an experiment whose page is not there has no link.
    """
    rows = sorted((_row(e, reports) for e in _experiments(outputs)), key=lambda r: (r.iso, r.key))[::-1]
    choices = [(s, s) for s in sorted({s for r in rows for s in r.strategies})]
    facts = {"rows": rows, "choices": choices, "folder": outputs.name, "no_record": NO_RECORD}
    template = page.environment().get_template("listing.html.j2")
    return template.render(frame=frame.beside(), **facts)


def _experiments(outputs: Path) -> list[Experiment]:
    """Those that can be read; a folder that is damaged is no experiment."""
    out = []
    for key in named.experiment_keys(outputs):
        try:
            out.append(Experiment(outputs, key))
        except StoreError:
            continue
    return out


def _row(experiment: Experiment, reports: Path) -> Row:
    found, _ = setups(experiment, texts=False)
    failed = sum(c["status"] in _FAILED for c in experiment.cells)
    verdict, tick = _verdict(experiment)
    data = list(dict.fromkeys(s.run.data for s in found))
    return Row(
        key=experiment.key,
        name=experiment.name,
        page=page_of(experiment, reports),
        data=numbers.listed(data),
        questions=max((s.run.meta["data"].get("queries", 0) for s in found), default=0),
        iso=experiment.body["created"],
        day=numbers.day(experiment.body["created"]),
        cells=len(experiment.cells),
        failed=failed,
        strategies=_named(found, "strategy"),
        badges=badge.badges([badge.setting(s.run) for s in found]),
        embedding=[n for n in _models(found) if n],
        reranker=[n for n in _named(found, "reranker") if n != "none"],
        enrichment=[n for n in _named(found, "enrichment") if n != "none"],
        verdict=verdict,
        warnings=len(caveats.caveats(found)) + len(caveats.notes(found)) + failed,
        tick=tick or (found[0].run.key if found else ""),
    )


def _named(found: Sequence[Setup], group: str) -> list[str]:
    return list(dict.fromkeys(s.run.config[group]["name"] for s in found))


def _models(found: Sequence[Setup]) -> list[str]:
    used = [s for s in found if s.run.meta["keys"]["model"] is not None]
    return _named(used, "embedding")


def page_of(experiment: Experiment, reports: Path) -> str:
    """The address of the page of an experiment from the folder of the site; empty: none was written."""
    folder = page.stem(experiment)
    candidates = (f"{folder}/index.html", f"{folder}.html")
    return next((c for c in candidates if (reports / c).is_file()), "")


def _verdict(experiment: Experiment) -> tuple[Verdict | None, str]:
    """The line of the first data set's comparison, and the run to tick."""
    found = record.read(experiment)
    if found is None or not found[0]["groups"]:
        return None, ""
    body, rows = found[0]["groups"][0], found[1]
    labels = {r["run"]: r["label"] for r in body["runs"]}
    measure = body["main"][-1]
    named = next((f["named"] for f in body["first"] if f["measure"] == measure), None)
    mine = rows.filter(
        (pl.col("measure") == measure)
        & (pl.col("baseline") == body["baseline"])
        & pl.col("candidate").is_in(list(labels))
    )
    if mine.is_empty():
        base = body["baseline"]
        return Verdict("open", [("open", "Nothing to compare")], labels[base]), base
    top = mine.sort("difference", descending=True, maintain_order=True).row(0, named=True)
    answer = body.get("answer") or {"kind": "open", "tags": [{"kind": "open", "words": "Undecided"}]}
    best = labels[top["candidate"] if top["difference"] > 0 else body["baseline"]]
    tags = [(t["kind"], t["words"]) for t in answer["tags"]]
    line = Verdict(answer["kind"], tags, best, _ends(top, labels), measure, top["difference"])
    return line, named or body["baseline"]


def _ends(row: dict[str, Any], labels: dict[str, str]) -> str:
    difference = numbers.difference(row["measure"], row["difference"])
    if row["low"] is None:
        said = f"no interval: {numbers.several(row['n'], 'question')}"
    else:
        digits = numbers.level(row["level"])
        said = f"{digits} interval {numbers.interval(row['low'], row['high'])}"
    who = labels[row["candidate"]] if row["difference"] <= 0 else ""
    return f"{row['measure']} {difference} ({said}){f' for {who}' if who else ''}"
