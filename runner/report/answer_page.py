"""The page of an experiment: the answer for who decides, every cell and number for who checks."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from runner.comparison.record import read
from runner.errors import StoreError
from runner.report import frame, numbers, selection
from runner.report.compared import Part, part
from runner.report.frame import Frame
from runner.report.page import environment, replace, stem
from runner.report.question_pages import Panel
from runner.report.technical import technical
from runner.runs import Experiment

TREES = 2
"""Questions whose trees stand in the managerial view."""
WEIGHT = 1_000_000
"""Bytes of a page that is sent as one file; the questions in it are the first telling ones that fit."""


def render(experiment: Experiment, reports: Path, panels: Sequence[Sequence[Panel]]) -> Path:
    """Write `reports/<name>-<key>/index.html`; the same records give the same bytes."""
    path = reports / stem(experiment) / "index.html"
    html = _html(experiment, frame.beside(1), [p for mine in panels for p in mine], [])
    replace(path, html.encode("utf-8"))
    return path


def alone(experiment: Experiment, panels: Sequence[Sequence[Panel]]) -> str:
    """The page as one file: assets inside, and of the telling questions the first that fit in `WEIGHT`.

    One question is there whatever its size.
    """
    telling = [p for mine in panels for p in mine]
    around = frame.alone()
    template = environment().get_template("question_panel.html.j2")
    left = WEIGHT - len(_html(experiment, around, telling, []).encode())
    inside: list[Panel] = []
    for panel in telling:
        left -= len(template.render(panel=panel, measured=numbers.measured).encode())
        if left < 0 and inside:
            break
        inside.append(panel)
    return _html(experiment, around, telling, inside)


def _html(experiment: Experiment, around: Frame, telling: Sequence[Panel], inside: Sequence[Panel]) -> str:
    """The page; questions have pages beside it, or those `inside` have panels in it."""
    parts, why = _parts(experiment)
    if around.inside:
        links = {p.query_id: f"#{anchor(p)}" for p in inside}
    else:
        links = {p.query_id: p.address for p in telling}
    picked = selection.read(experiment)
    shown: dict[str, Any] = {"picked": selection.sentences(picked) if picked else []}
    shown |= {
        "telling": telling,
        "inside": inside,
        "links": links,
        "trees": (inside if around.inside else telling)[:TREES],
    }
    return environment().get_template("experiment.html.j2").render(
        frame=around, experiment=experiment, parts=parts, why=why, all=technical(experiment), anchor=anchor,
        form=numbers, command=shlex.join(experiment.body["command"]), measured=numbers.measured,
        day=numbers.day(experiment.body["created"]), **shown,
    )  # fmt: skip


def _parts(experiment: Experiment) -> tuple[list[Part], str]:
    """The compared data sets; or none, and why."""
    recorded = read(experiment)
    if not any(cell["run"] for cell in experiment.cells):
        return [], "No cell has a run."
    if recorded is None:
        return [], "No comparison was recorded; run the sweep again."
    try:
        return [part(experiment, g, recorded[1]) for g in recorded[0]["groups"]], ""
    except StoreError as e:
        return [], f"A run that was compared cannot be read: {e}. Run the sweep again."


def anchor(panel: Panel) -> str:
    """The place of a question in a page that is sent as one file."""
    return f"q-{panel.address[2:10]}"
