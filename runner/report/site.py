"""The site: an experiment's page and its questions, the list of all, the page that compares, assets."""

from __future__ import annotations

from pathlib import Path

from runner.report import answer_page, comparing, question_pages
from runner.report.assets import bundle
from runner.report.listing import listing
from runner.report.page import replace, stem
from runner.runs import Experiment


def render(experiment: Experiment, reports: Path, *, questions: int) -> dict[str, Path]:
    """Write the site's pages that an experiment touches; by name, where each is.

    Args:
        experiment: the recorded sweep.
        reports: the folder of the site, made if it is not there.
        questions: how many telling questions of each data set have a page.
    """
    bundle.write(reports)
    panels = question_pages.panels(experiment, questions)
    question_pages.write(experiment, reports, panels)
    page = answer_page.render(experiment, reports, panels)
    every = reports / "index.html"
    replace(every, listing(experiment.outputs, reports).encode("utf-8"))
    comparing.write(experiment.outputs, reports)
    return {"report": page, "all experiments": every}


def single(experiment: Experiment, reports: Path, *, questions: int) -> Path:
    """Write `reports/<name>-<key>.html`, one file that needs nothing beside it; returns where it is."""
    path = reports / f"{stem(experiment)}.html"
    html = answer_page.alone(experiment, question_pages.panels(experiment, questions))
    replace(path, html.encode("utf-8"))
    return path
