"""What a selection came to, in sentences: for the terminal, and for the page of its dev half."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from runner.report import numbers
from runner.runs import Experiment

FORMAT = 2
FILE = "selection.json"
"""Beside the record of the sweep over the dev half."""
_WORDS = {
    "better": "confirmed: better",
    "worse": "not confirmed: worse",
    "equivalent": "not confirmed: equivalent",
    "undecided": "not confirmed: undecided",
}


def read(experiment: Experiment) -> dict[str, Any] | None:
    """The selection whose dev half `experiment` is; None: it is of none, or of another format."""
    try:
        body: dict[str, Any] = json.loads((experiment.path / FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return body if body.get("format") == FORMAT else None


def sentences(body: Mapping[str, Any]) -> list[str]:
    """What was chosen among how many, what that took, and what the test half says of it."""
    alike = [_named(c) for c in body["cells"] if c["run"] in body["first"]["together"]]
    made = body["evaluations"]
    steps = " -> ".join(f"{r['cells']} cells x {r['questions']} questions" for r in body["rounds"])
    out = [f"not to be told apart on dev: {numbers.listed(alike)}"] if len(alike) > 1 else []
    if len(alike) > 1:
        equal = [c for c in body["cells"] if c["run"] in body["first"]["together"] and c["within"]]
        least = min(equal, key=lambda c: c["tokens"])
        out.append(f"the smallest context of these has {least['tokens']:,.0f} tokens: {_named(least)}")
    out.append(
        f"evaluations on dev: {made['made']} of {made['all']} ({made['all'] - made['made']} saved): {steps}"
    )
    out.append(f"chosen, by the highest mean: {_named(body['chosen'])}")
    if body["test"] is None:
        return [*out, "the baseline is the choice: nothing to confirm, the test half was not looked at"]
    return [*out, *_confirmation(body["test"], _named(body["baseline"]))]


def _named(cell: Mapping[str, Any]) -> str:
    """A cell by what tells it from the others: each half of a selection numbers its cells anew."""
    return " ".join(cell["overrides"])


def _confirmation(row: Mapping[str, Any], baseline: str) -> list[str]:
    measure = row["measure"]
    mine, base = (numbers.measured(measure, row[f"{who}_mean"]) for who in ("candidate", "baseline"))
    ends = ""
    if row["low"] is not None:
        said = numbers.ends(measure, row["difference"], row["low"], row["high"])
        ends = f" ({numbers.level(row['level'])} {said})"
    need = f"; {numbers.about(row['needed'])} questions would decide" if row["needed"] else ""
    verdict = f"{_WORDS[row['verdict']]}{need}"
    if row["constructed"]:
        verdict = f"confirms nothing: equal or better by construction ({row['constructed']})"
    answer = [f"the comparison on the test half: {row['answer']}"] if row["answer"] else []
    return [
        f"test half, {row['n']} questions: {measure} {mine} against {base} of {baseline}, "
        f"{numbers.difference(measure, row['difference'])}{ends}, p {numbers.p_value(row['p'])}",
        verdict,
        *answer,
        row["looks"],
    ]
