"""A comparison in sentences: the headline by rule, and the soft warnings."""

from __future__ import annotations

from runner.comparison.comparability import by_construction
from runner.comparison.paired import Paired
from runner.comparison.record import AT_TOKENS, Group
from runner.report import notices, wording
from runner.report.claim import Claim
from runner.runs import Run

_SHARES = ("SpanR", "R@", "Success", "ChromaR")


def claim(group: Group, row: Paired) -> Claim:
    """A row as its sentence needs it."""
    places = [next(i for i, r in enumerate(group.runs) if r.key == k) for k in (row.baseline, row.candidate)]
    base, candidate = (float(group.scores.tokens[:, i].mean()) for i in places)
    share = row.measure.startswith(_SHARES)
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
        share=share,
        budget=row.budget,
        tokens=(base, candidate),
    )


def best(group: Group) -> Run:
    """The run with the highest mean at equal tokens, or in the first measure; the baseline where it is that."""
    measure = group.body["main"][-1]
    means = group.scores.of(measure).mean(axis=0)
    return group.runs[int(means.argmax())]


def headline(group: Group) -> wording.Headline | None:
    """The answer of a group: its best run against the baseline; None where there is nothing to compare."""
    if len(group.runs) < 2:
        return None
    lead, base = best(group), group.body["baseline"]
    if lead.key == base:
        others = [r for r in group.rows if r.measure == group.body["main"][-1]]
        lead_key = max(others, key=lambda r: r.difference).candidate
    else:
        lead_key = lead.key
    at_k = group.row(lead_key, group.body["main"][0])
    at_tokens = group.row(lead_key, AT_TOKENS) if AT_TOKENS in group.body["main"] else None
    if at_k is None or at_k.verdict == "cost":
        return None
    adds = bool(at_k.constructed)
    return wording.headline(claim(group, at_k), claim(group, at_tokens) if at_tokens else None, adds=adds)


def first(group: Group) -> list[str]:
    """Who is first, by measure: a winner is named only by the rule of `statistics.winner`."""
    out = []
    for said in group.body["first"]:
        key = said["named"] or max(said["shares"], key=said["shares"].get)
        alike = len(said["together"])
        out.append(
            f"{said['measure']}: "
            + wording.winner(group.labels[key], said["shares"][key], len(group.runs),
                             named=said["named"] is not None, alike=alike - 1,
                             base=group.labels[key])  # fmt: skip
        )
    return out


def warnings(runs: list[Run], labels: dict[str, str]) -> list[notices.Notice]:
    """The soft warnings on Neighbor Expansion and Embedding Model, whenever they differ."""
    out = []
    for what, tell in (
        (notices.neighbors, lambda r: r.badge.text),
        (notices.embedding, lambda r: r.config["embedding"]["name"]),
    ):
        sides: dict[str, list[str]] = {}
        for run in runs:
            sides.setdefault(tell(run), []).append(labels[run.key])
        if len(sides) > 1:
            out.append(what([(who, value) for value, who in sides.items()]))
    return out


def construction(a: Run, b: Run, measure: str) -> str:
    """The sentence where the configs alone decide; empty where they do not."""
    reason = by_construction(a, b, measure)
    return wording.construction(measure, reason) if reason else ""
