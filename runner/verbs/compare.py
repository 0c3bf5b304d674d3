"""The verb `compare`: differences of recorded runs, at equal top_k and at equal tokens, and what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from runner import keys, named
from runner.comparison import record, said
from runner.comparison.choosing import must_have
from runner.comparison.paired import Paired
from runner.comparison.record import Group
from runner.errors import RequestError
from runner.report import numbers
from runner.report.wording import outcome
from runner.runs import Run
from runner.text import grid
from runner.verbs.arguments import Answer, Given, margin_of, measures_of, outputs_of, parsed, whole_number

_FLAGS = ("--all-pairs", "--force", "--all-measures")


def compare(words: Sequence[str]) -> Answer:
    """`compare [EXPERIMENT | RUN RUN…] [--baseline CELL|RUN] [--measure NAME,…] [--all-pairs] [--force]`.

    Raises:
        RequestError: the runs may not be compared (exit code 2), or an argument is wrong.
    """
    names, given = parsed(words, _FLAGS, ("--baseline", "--margin", "--measure"))
    outputs = outputs_of(given)
    margin = margin_of(given)
    if len(names) > 1:
        chosen = list({r.key: r for r in (named.open_run(outputs, n) for n in names)}.values())
        if len(chosen) < 2:
            raise RequestError("compare: these names are all the same run")
        groups = [_of_runs(chosen, given, margin, outputs)]
    else:
        experiment = named.open_experiment(outputs, names[0] if names else "latest")
        groups = record.of_experiment(
            experiment,
            baseline=whole_number(given, "--baseline", "the number of a cell"),
            all_pairs="--all-pairs" in given,
            margin=margin,
        )
    text = "\n\n".join(shown(g, _measures(g, given)) for g in groups)
    value = [{**g.body, "contrasts": [asdict(r) for r in g.rows]} for g in groups]
    return Answer(text or "no run of the experiment is recorded", value)


def _of_runs(chosen: list[Run], given: Given, margin: float, outputs: Path) -> Group:
    blocked = record.blocking(chosen)
    labels = {r.key: r.short for r in chosen}
    if blocked and "--force" not in given:
        b = blocked[0]
        raise RequestError(
            f"no verdict: {b.what} differs ({', '.join(b.values)}): the runs answer different questions. "
            "--force shows the numbers, marked"
        )
    place = 0
    if "--baseline" in given:
        key = named.open_run(outputs, str(given["--baseline"])).key
        found = [i for i, r in enumerate(chosen) if r.key == key]
        if not found:
            raise RequestError(f"--baseline: {key[: keys.SHORT]} is none of the runs that are compared")
        place = found[0]
    group = record.compared(chosen, labels, baseline=place, all_pairs="--all-pairs" in given, margin=margin)
    if blocked:
        group.body["forced"] = [b.what for b in blocked]
    return group


def _measures(group: Group, given: Given) -> list[str]:
    """What the table shows: what is asked for, or what the answer is about."""
    known, asked = list(group.scores.measures), measures_of(given)
    for measure in asked or ():
        must_have(known, measure)
    return asked or (known if "--all-measures" in given else list(group.body["main"]))


def shown(group: Group, measures: Sequence[str]) -> str:
    """A group for a person: warnings, the answer, the table, who is first, questions that flip."""
    body = group.body
    lines = [f"{body['data']}: {len(group.runs)} runs, {body['questions']} questions; {body['clusters']}"]
    lines += [
        f"FORCED: {what} differs; no verdict may be drawn from these numbers"
        for what in body.get("forced", [])
    ]
    lines += [f"warning: {n.head} {n.body}" for n in said.warnings(list(group.runs), group.labels)]
    lines += [
        f"warning: {group.labels[p['run']]} gains in {p['measure']}, and so does the placebo: not shown"
        for p in body["placebo"]
    ]
    lines += [
        f"warning: {d['what']} differs: {', '.join(dict.fromkeys(d['values']))}"
        for d in body["differences"]
        if d["level"] == "warns" and d["what"] not in said.SOFT
    ]
    answer = None if body.get("forced") else said.headline(group)
    if answer:
        lines.append(f"{' · '.join(t.words for t in answer.tags)}: {answer.sentence}")
        lines += said.beside(group)
    head = ["run", "key", "baseline", "measure", "mean", "difference", "interval", "level", "p (Holm)"]
    rows = [_row(group, r) for m in measures for r in group.rows if r.measure == m]
    base = group.labels[body["baseline"]]
    means = ", ".join(
        f"{m} {numbers.measured(m, float(np.nanmean(group.scores.of(m)[:, _place(group)])))}"
        for m in measures
    )
    lines += ["", f"baseline {base} ({body['baseline'][: keys.SHORT]}): {means}", ""]
    lines.append(grid([*head, "verdict"], rows, [4, 5, 7, 8]))
    lines += ["", *said.first(group)] if body["first"] and not body.get("forced") else []
    lines += [line for s in body["surfaces"] for line in _windows(s)]
    flips = body["flips"]
    lines.append(
        f"of {flips['questions']} questions with gold, {flips['always']} are answered by every run and "
        f"{flips['never']} by none"
    )
    lines += [
        f"  {group.labels[b['candidate']]} against {group.labels[b['baseline']]}: "
        f"answers {b['gained']} more, loses {b['lost']}"
        for b in flips["between"]
    ]
    return "\n".join(lines)


def _windows(surface: dict[str, Any]) -> list[str]:
    """What each window of neighbors buys, against the smallest."""
    measure = surface["measure"]
    head = ["window", "mean", "tokens", "difference", "interval", "per 1,000 added tokens"]
    rows = []
    for w in surface["windows"]:
        said = [f"±{w['prev']}/{w['next']}", numbers.measured(measure, w["mean"]), f"{w['tokens']:,.0f}"]
        if "difference" in w:
            ends = numbers.ends(measure, w["difference"], w["low"], w["high"])
            bought = "–" if w["yield"] is None else numbers.difference(measure, w["yield"])
            said += [numbers.difference(measure, w["difference"]), ends, bought]
        rows.append(said + [""] * (len(head) - len(said)))
    about = f"windows, {measure}" + (f", {surface['rest']}" if surface["rest"] else "")
    return ["", about, grid(head, rows, [1, 2, 3, 5])]


def _place(group: Group) -> int:
    return next(i for i, r in enumerate(group.runs) if r.key == group.body["baseline"])


def _row(group: Group, row: Paired) -> list[str]:
    return [
        group.labels[row.candidate],
        row.candidate[: keys.SHORT],
        group.labels[row.baseline],
        row.measure,
        numbers.measured(row.measure, row.candidate_mean),
        numbers.difference(row.measure, row.difference),
        numbers.ends(row.measure, row.difference, row.low, row.high),
        numbers.level(row.level),
        numbers.p_value(row.p_corrected),
        "none: forced" if group.body.get("forced") else outcome(asdict(row)).words,
    ]
