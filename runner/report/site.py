"""The site: an experiment's answer and question pages, the list of all, the page that compares, assets."""

from __future__ import annotations

from pathlib import Path

from runner.report import answer_page, comparing, question_pages
from runner.report.assets import bundle
from runner.report.listing import listing
from runner.report.page import replace
from runner.runs import Experiment


def render(experiment: Experiment, reports: Path, details: str) -> dict[str, Path]:
    """Write the site's pages that an experiment touches; by name, where each is.

    Args:
        experiment: the recorded sweep.
        reports: the folder of the site.
        details: file name of the experiment's page with all cells, questions and sources, in that folder.
    """
    bundle.write(reports)
    pages = question_pages.write(experiment, reports)
    answer = answer_page.render(experiment, reports, details, pages)
    every = reports / "index.html"
    replace(every, listing(experiment.outputs, reports).encode("utf-8"))
    comparing.write(experiment.outputs, reports)
    return {**({"answer": answer} if answer else {}), "all experiments": every}
