"""The site: the answer page of an experiment, the list of all, and the assets they share."""

from __future__ import annotations

from pathlib import Path

from runner.report import answer_page
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
    answer = answer_page.render(experiment, reports, details)
    every = reports / "index.html"
    replace(every, listing(experiment.outputs, reports).encode("utf-8"))
    return {**({"answer": answer} if answer else {}), "all experiments": every}
