"""The description of an MLflow run: a short Markdown page with measures, their n, and what to beware of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runner.comparison.record import read
from runner.runs import Experiment, Run
from runner.text import one_line
from runner.tracking import contents
from runner.tracking.destination import without_credentials

LIMIT = 7000
"""Characters of a note; MLflow cuts a tag at 8,000."""
_GROUPS = ("dataset", "strategy", "enrichment", "embedding", "retrieval", "fusion", "reranker")
_COLUMNS = 6
"""Measures in the table of a sweep, as on the terminal."""


def of_cell(cell: contents.Cell, run: Run | None) -> str:
    """What one cell was and what it came to."""
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
    rows = [[m["measure"], f"{m['mean']:.4f}", f"{m['std']:.4f}", str(m["n"])] for m in run.measures]
    parts.append(_table(["measure", "mean", "std", "n"], rows))
    parts.append("\n".join(f"- warning: {_plain(w)}" for w in run.meta["warnings"]))
    parts.append(f"Run `{run.key}`; on the machine that has it: `python -m runner show {run.short}`")
    return _joined(parts)


def of_sweep(experiment: Experiment) -> str:
    """The table of a sweep."""
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
    recorded = read(experiment)
    answers = [g["answer"]["sentence"] for g in recorded[0]["groups"] if "answer" in g] if recorded else []
    return _joined(
        [
            *map(_plain, answers),
            f"`{one_line(command, 500)}`",
            over,
            _table(["cell", "what", "status", *measures], rows),
        ]
    )


def _mean(measured: dict[str, Any], *, say_n: bool) -> str:
    value = measured["mean"]
    shown = f"{value:,.0f}" if measured["measure"].startswith("Tokens") else f"{value:.4f}"
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
