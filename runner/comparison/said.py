"""A comparison in sentences: the headline by rule, and the soft warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from runner.comparison import comparability
from runner.comparison.paired import Paired
from runner.comparison.record import FILLED, Group
from runner.measure_names import budget_of, is_share
from runner.report import notices, wording
from runner.report.claim import Claim
from runner.runs import Run
from runner.statistics.contrasts import contrasts

SOFT = ("Neighbor Expansion", "Embedding Model")
"""What `warnings` says in sentences of its own."""


def claim(group: Group, row: Paired) -> Claim:
    """A row as its sentence needs it."""
    places = [next(i for i, r in enumerate(group.runs) if r.key == k) for k in (row.baseline, row.candidate)]
    base, candidate = (float(group.scores.tokens[:, i].mean()) for i in places)
    return Claim(
        change=group.labels[row.candidate],
        base=group.labels[row.baseline],
        thing="gold text" if row.measure.startswith("SpanR") else row.measure,
        mean=row.difference,
        interval=None if row.low is None or row.high is None else (row.low, row.high),
        level=row.level,
        n=row.n,
        p=row.p_corrected,
        verdict=row.verdict,  # type: ignore[arg-type] # `cost` is no headline
        needed=row.needed,
        margin=group.body["margin"],
        share=is_share(row.measure),
        budget=row.budget,
        tokens=(base, candidate),
    )


def best(group: Group) -> Run:
    """The run with the highest mean at equal tokens, or else in the first measure."""
    measure = group.body["main"][-1]
    means = np.nanmean(group.scores.of(measure), axis=0)
    return group.runs[int(means.argmax())]


def lead(group: Group) -> str | None:
    """The run that the answer is about: the best; where that is the baseline, the best of the others."""
    if len(group.runs) < 2:
        return None
    found, base = best(group), group.body["baseline"]
    if found.key != base:
        return found.key
    others = [r for r in group.rows if r.measure == group.body["main"][-1] and r.baseline == base]
    return max(others, key=lambda r: r.difference).candidate if others else None


def headline(group: Group) -> wording.Headline | None:
    """The answer of a group: its leading run against the baseline; None where there is nothing to compare."""
    key = lead(group)
    if key is None:
        return None
    at_k, *cut = (group.row(key, m) for m in group.body["main"])
    at_tokens = cut[0] if cut else None
    if at_k is None or at_k.verdict == "cost":
        return None
    at_budget = claim(group, at_tokens) if at_tokens else None
    return wording.headline(claim(group, at_k), at_budget, constructed=at_k.constructed)


def answers(groups: Sequence[Group]) -> list[str]:
    """The answer of each group; put into its record as well, with the other sentences, for every view."""
    out = []
    for group in groups:
        found = headline(group)
        if found:
            tags = [{"kind": t.kind, "words": t.words} for t in found.tags]
            said = {"kind": found.kind, "tags": tags, "sentence": found.sentence}
            group.body["answer"] = {**said, "candidate": lead(group), "more": beside(group)}
            out.append(f"{group.body['data']}: {found.sentence}")
        if len(group.runs) == 1:
            group.body["one"] = _alone(group)
        group.body["who"] = first(group)
        noted = warnings(list(group.runs), group.labels)
        group.body["warnings"] = [{"head": n.head, "body": n.body} for n in noted]
    return out


def beside(group: Group) -> list[str]:
    """What must stand beside the headline.

    That another run is better at equal tokens, that more than one axis changed, whose context is too small.
    """
    key, cut = lead(group), group.body["main"][1:]
    rows = [r for r in group.rows if r.measure in cut and r.baseline == group.body["baseline"]]
    others = [claim(group, r) for r in rows if r.verdict == "better" and r.candidate != key]
    mine = group.row(str(key), group.body["main"][-1])
    axes = {r["run"]: r["axes"] for r in group.body["runs"]}
    base, changed = axes[group.body["baseline"]], axes.get(key, {})
    differ = [a for a in changed if changed[a] != base.get(a)]
    said = (wording.also(others), wording.axes(differ, mine.difference) if mine else "", _unfilled(group))
    return [s for s in said if s]


def _unfilled(group: Group) -> str:
    """Which contexts do not fill the budget of the headline, on average; empty where all do."""
    budget = budget_of(group.body["main"][-1])
    if budget is None:
        return ""
    spent = zip(group.runs, group.scores.tokens.mean(axis=0), strict=True)
    short = [(group.labels[run.key], tokens) for run, tokens in spent if tokens < budget * FILLED]
    return wording.unfilled(short, budget) if short else ""


def _alone(group: Group) -> str:
    """The sentence of a group with one run: its first measure, with the interval of the mean."""
    measure = group.body["main"][0]
    (mean,) = contrasts(group.scores.of(measure), group.scores.seed, clusters=group.scores.clusters)
    return wording.one_cell(measure, mean.mean, mean.interval, mean.level, mean.n)


def first(group: Group) -> list[str]:
    """Who is first, by measure: a winner is named only by the rule of `statistics.winner`."""
    out = []
    for said in group.body["first"]:
        key = said["named"] or max(said["shares"], key=said["shares"].get)
        cell, named = group.labels[key], said["named"] is not None
        alike = len(said["together"]) - 1
        sentence = wording.winner(
            cell, said["shares"][key], len(group.runs), named=named, alike=alike, base=cell
        )
        where = "at equal tokens" if budget_of(said["measure"]) else "at equal top_k, whatever the tokens"
        out.append(f"{said['measure']}, {where}: {sentence}")
    return out


def warnings(runs: Sequence[Run], labels: Mapping[str, str]) -> list[notices.Notice]:
    """The soft warnings on Neighbor Expansion and Embedding Model, whenever they differ."""
    windows = _sides({labels[r.key]: r.badge.text for r in runs})
    models = _sides({labels[r.key]: comparability.model(r) for r in runs})
    out = [notices.neighbors(windows)] if len(windows) > 1 else []
    return [*out, notices.embedding(models, _cut(runs, labels))] if len(models) > 1 else out


def _cut(runs: Sequence[Run], labels: Mapping[str, str]) -> list[notices.Cut]:
    """What the models of these runs did not read."""
    found = [(labels[r.key], r.stage("embedding").get("truncated", 0)) for r in runs]
    return [notices.Cut(label, chunks) for label, chunks in found if chunks]


def _sides(told: Mapping[str, str]) -> list[tuple[list[str], str]]:
    """Who has which value, in the order of first appearance."""
    sides: dict[str, list[str]] = {}
    for who, value in told.items():
        sides.setdefault(value, []).append(who)
    return [(who, value) for value, who in sides.items()]
