"""The site: an experiment's page and its questions, the list of all, the page that compares, assets."""

from __future__ import annotations

from pathlib import Path

from runner.disk import drop_drafts
from runner.errors import StoreError
from runner.keys import digest, file_digest
from runner.report import answer_page, comparing, question_pages, selection
from runner.report.assets import bundle
from runner.report.listing import listing
from runner.report.page import replace, stem
from runner.report.setups import setups
from runner.runs import Experiment

_HOME = Path(__file__).parent
_MADE = "made-from.txt"
"""Beside a page: what it was made from, so that it is rendered again only when that changed."""


def render(experiment: Experiment, reports: Path, *, questions: int) -> dict[str, Path]:
    """Write the site's pages that an experiment touches; by name, where each is.

    Args:
        experiment: the recorded sweep.
        reports: the folder of the site, made if it is not there.
        questions: how many telling questions of each data set have a page.
    """
    if reports.exists() and not reports.is_dir():
        raise StoreError(f"{reports}: is no folder; name another with runtime.reports or --reports")
    drop_drafts(reports)
    bundle.write(reports)
    page = reports / stem(experiment) / "index.html"
    mark, said = page.parent / _MADE, _made_from(experiment, questions)
    if not (mark.is_file() and mark.read_text("utf-8") == f"{said}\n{_pages(page.parent)}"):
        panels = question_pages.panels(experiment, questions)
        question_pages.write(experiment, reports, panels)
        answer_page.render(experiment, reports, panels)
        replace(mark, f"{said}\n{_pages(page.parent)}".encode())
    every = reports / "index.html"
    replace(every, listing(experiment.outputs, reports).encode("utf-8"))
    comparing.write(experiment.outputs, reports)
    return {"report": page, "all experiments": every}


def _pages(folder: Path) -> str:
    """Digest of the names and sizes of the pages in `folder`: one that is gone or cut is rendered again."""
    found = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != _MADE)
    return digest([[p.relative_to(folder).as_posix(), p.stat().st_size] for p in found])


def _made_from(experiment: Experiment, questions: int) -> str:
    """Digest of what the pages of an experiment are made from: its records, texts, the code of reports."""
    files = (p for p in sorted(_HOME.rglob("*")) if p.is_file() and p.suffix != ".pyc")
    code = [[p.relative_to(_HOME).as_posix(), file_digest(p)] for p in files]
    recorded = [
        experiment.path / n
        for n in ("experiment.json", "comparison.json", "contrasts.parquet", selection.FILE)
    ]
    records = [file_digest(p) if p.is_file() else "" for p in recorded]
    found = [[s.run.key, s.run.meta["created"], s.texts] for s in setups(experiment)[0]]
    return digest(["pages", code, records, found, questions])


def single(experiment: Experiment, reports: Path, *, questions: int) -> Path:
    """Write `reports/<name>-<key>.html`, one file that needs nothing beside it; returns where it is."""
    path = reports / f"{stem(experiment)}.html"
    html = answer_page.alone(experiment, question_pages.panels(experiment, questions))
    replace(path, html.encode("utf-8"))
    return path
