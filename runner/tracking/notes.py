"""The description of an MLflow run: a short Markdown page with the verdict, what to beware of, measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from runner.report import numbers
from runner.report.wording import outcome
from runner.runs import Experiment, Run
from runner.text import one_line
from runner.tracking import contents, verdicts
from runner.tracking.destination import without_credentials
from runner.tracking.verdicts import Verdicts

LIMIT = 7000
"""Characters of a note; MLflow cuts a tag at 8,000."""
_GROUPS = ("dataset", "strategy", "enrichment", "embedding", "retrieval", "fusion", "reranker")
_COLUMNS = 6
"""Measures in the table of a sweep, as on the terminal."""


def of_cell(cell: contents.Cell, run: Run | None, compared: Verdicts) -> str:
    """What one cell was, how it stands to the baseline, and what it came to."""
    if run is None:
        reason = _plain(cell["reason"] or "no reason was left")
        return f"**{cell['status']}** at {_plain(cell['stage'] or 'start')}: {reason}"
    config = run.config
    chosen = [config[g]["name"] for g in _GROUPS if config[g]["name"] != "none"]
    parts = [f"**{contents.badge(run)}** · {' · '.join(_plain(c) for c in chosen)} · top_k {config['top_k']}"]
    if cell["same_as"] is not None:
        parts.append(
            f"The same run as cell {cell['same_as']}, computed once: its files and traces are there."
        )
    parts += _standing(run, compared)
    soft, own = _warned(compared.group(run.key)), [f"- warning: {_plain(w)}" for w in run.meta["warnings"]]
    parts.append("\n".join([*soft, *own]))
    rows = [[m["measure"], f"{m['mean']:.4f}", f"{m['std']:.4f}", str(m["n"])] for m in run.measures]
    parts.append(_table(["measure", "mean", "std", "n"], rows))
    parts.append(f"Run `{run.key}`; on the machine that has it: `python -m runner show {run.short}`")
    return _joined(parts)


def _standing(run: Run, compared: Verdicts) -> list[str]:
    """The difference to the baseline in the measures of the headline, with interval and verdict."""
    group = compared.group(run.key)
    if not group:
        return []
    if run.key == group["baseline"]:
        return ["The baseline that the other cells are compared with."]
    rows = [
        [r["measure"], numbers.difference(r["measure"], r["difference"]), verdicts.ends(r), outcome(r).words]
        for r in compared.main(run.key)
    ]
    against = _plain(verdicts.label(group, group["baseline"]))
    head = ["measure", "difference", "interval", "verdict"]
    return [f"Against the baseline {against}, over the same questions:", _table(head, rows)] if rows else []


def _warned(group: Mapping[str, Any]) -> list[str]:
    """The warnings on runs that differ in what makes scores hard to compare."""
    return [f"- **{_plain(w['head'])}** {_plain(w['body'])}" for w in group.get("warnings", ())]


def of_sweep(experiment: Experiment, compared: Verdicts) -> str:
    """The answers of a sweep, who is first, what to beware of, and its table."""
    runs = experiment.runs
    measures = next(([m["measure"] for m in r.measures[:_COLUMNS]] for r in runs.values()), [])
    judged = {m["n"] for r in runs.values() for m in r.measures if m["measure"] in measures}
    rows = []
    for cell in experiment.cells:
        run = runs.get(cell["num"])
        means = {m["measure"]: _mean(m, say_n=len(judged) > 1) for m in run.measures} if run else {}
        status = cell["status"] if cell["same_as"] is None else f"same as {cell['same_as']}"
        said = status if run else f"{status}: {one_line(cell['reason'] or '', 120)}"
        what = contents.title(experiment, cell, run)
        rows.append([str(cell["num"]), what, said, *(means.get(m, "–") for m in measures)])
    command = " ".join(without_credentials(experiment.body["command"])).replace("`", "'")
    over = f"Means over n = {judged.pop()} judged questions." if len(judged) == 1 else ""
    return _joined(
        [
            *(part for group in compared.groups for part in _answered(group)),
            f"`{one_line(command, 500)}`",
            over,
            _table(["cell", "what", "status", *measures], rows),
        ]
    )


def _answered(group: Mapping[str, Any]) -> list[str]:
    """The answer of a data set (of a run alone: its mean) in bold, who is first by measure, the warnings."""
    sentence = group.get("answer", {}).get("sentence") or group.get("one")
    first = [f"- {_plain(who)}" for who in group.get("who", ())]
    return [f"**{_plain(sentence)}**" if sentence else "", "\n".join([*first, *_warned(group)])]


def _mean(measured: dict[str, Any], *, say_n: bool) -> str:
    shown = numbers.tabled(measured["measure"], measured["mean"])
    return f"{shown} (n {measured['n']})" if say_n else shown


def tag(note: str) -> dict[str, str]:
    """A note as the tag that MLflow shows as description."""
    return {"mlflow.note.content": note}


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *([_plain(c) for c in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _joined(parts: Sequence[str]) -> str:
    note = "\n\n".join(p for p in parts if p)
    if len(note) <= LIMIT:
        return note
    whole = note[:LIMIT].rpartition("\n")[0]  # a table is cut between rows
    return f"{whole}\n\n… and more than a description holds; see the artifacts."


def _plain(text: str) -> str:
    """`text` on one line, with nothing in it that Markdown or HTML would act on."""
    flat = one_line(str(text), 600).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{c}" if c in "\\`*_[]|~" else c for c in flat)
