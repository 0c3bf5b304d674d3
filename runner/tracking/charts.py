"""The charts of an experiment as SVG files that need no page: own title and style, no variable, no script."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup, escape

from runner.report.assets import bundle
from runner.report.charts import curve
from runner.report.compared import quality, quality_name
from runner.runs import Experiment, Run
from runner.tracking import contents
from runner.tracking.verdicts import Verdicts

_TABLE = "summary.csv"
_TITLE = 24
"""Pixels above the chart for its title: in a page it would stand in the heading."""


def charts(experiment: Experiment, compared: Verdicts) -> dict[str, str]:
    """By file name the charts of each data set: quality by tokens, and gold text by token budget."""
    runs = {r.key: r for r in experiment.runs.values()}
    called: dict[str, str] = {}
    for cell in experiment.cells:
        if cell["run"] in runs:  # short: a label on a chart has some twenty characters
            called.setdefault(cell["run"], contents.title(experiment, cell, runs[cell["run"]]))
    out: dict[str, str] = {}
    for number, group in enumerate(compared.groups):
        tail = f"-{number}" if len(compared.groups) > 1 else ""
        drawn = {
            "quality_by_tokens": _quality(group, runs, called),
            "gold_by_budget": _budgets(group, runs, called),
        }
        out |= {f"{name}{tail}.svg": made for name, made in drawn.items() if made is not None}
    return out


def _quality(group: Mapping[str, Any], runs: Mapping[str, Run], called: Mapping[str, str]) -> str | None:
    """Every run: the mean of the leading measure by the tokens it costs."""
    made = quality(group, called, runs, _TABLE)
    return None if made is None else alone(made, quality_name(group))


def _budgets(group: Mapping[str, Any], runs: Mapping[str, Run], called: Mapping[str, str]) -> str | None:
    """The baseline and the run of the answer by token budget; more lines would hide each other."""
    shown = [group["baseline"], group.get("answer", {}).get("candidate")]
    lines = []
    for key in shown:
        for steps in contents.curves(runs[key]).values() if key in runs else ():
            points = [(float(budget), mean, None, None) for budget, mean in sorted(steps.items())]
            lines.append(curve.Series(called[key], points))
    if not lines:
        return None
    name = "Gold text in the context by token budget"
    return alone(curve.curve(lines, name=name, table=_TABLE, x_label="token budget"), name)


def alone(chart: Markup, name: str) -> str:
    """A chart as a file: titled, on paper, with colours written out, as few viewers know variables."""
    css = bundle.style().text.splitlines()
    colours = dict(
        re.findall(r"--([\w-]+):([^;}]+)", next(line for line in css if line.startswith(":root{")))
    )
    rules = "".join(line for line in css if line.startswith("svg "))
    style = re.sub(r"var\(--([\w-]+)\)", lambda m: colours[m[1]], f"svg{{font:12px sans-serif}}{rules}")
    start, _, rest = str(chart).partition(">")
    head = start.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    head = re.sub(r'viewBox="0 0 (\d+) (\d+)" width="\d+" height="\d+"', _taller, head, count=1)
    paper = f'<rect y="-{_TITLE}" width="100%" height="100%" fill="{colours["paper"]}"/>'
    title = f'<text x="8" y="-6" class="k">{escape(name)}</text>'
    return f"{head}><style>{style}</style>{paper}{title}{rest}\n"


def _taller(size: re.Match[str]) -> str:
    width, height = int(size[1]), int(size[2]) + _TITLE
    return f'viewBox="0 -{_TITLE} {width} {height}" width="{width}" height="{height}"'
