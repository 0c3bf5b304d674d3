"""The judgement of a gate: non-inferiority of each measure, and the questions that flipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runner.errors import RequestError, did_you_mean
from runner.gating.baseline import Baseline
from runner.measure_names import is_cost
from runner.statistics.contrasts import contrasts
from runner.statistics.draws import seed_of
from runner.statistics.units import clusters_by
from runner.statistics.verdicts import passes, standing


@dataclass(frozen=True, slots=True)
class Case:
    """One measure: the candidate against the baseline."""

    measure: str
    n: int
    baseline: float
    candidate: float
    difference: float
    low: float | None
    high: float | None
    level: float
    p_corrected: float
    standing: str
    """`inferior`: significantly and materially worse; `non-inferior`: shown not to be; else `not shown`."""
    passed: bool


@dataclass(frozen=True, slots=True)
class Flip:
    """A question that the baseline answers and the candidate does not, or the other way."""

    query: str
    gained: bool
    stage: str
    """Where the run without it lost it."""


@dataclass(frozen=True, slots=True)
class Gate:
    """What a gate found."""

    baseline: str
    candidate: str
    """Run keys."""
    sides: tuple[str, str]
    """Baseline and candidate, for people."""
    margin: float
    strict: bool
    clusters: str
    cases: tuple[Case, ...]
    flips: tuple[Flip, ...]
    latency: float | None
    """Seconds of the candidate's search ÷ the baseline's; None: not asked."""
    latency_limit: float | None
    notes: tuple[str, ...]

    @property
    def slow(self) -> bool:
        """Whether the candidate is slower than was allowed."""
        return (
            self.latency is not None and self.latency_limit is not None and self.latency > self.latency_limit
        )

    @property
    def passed(self) -> bool:
        """Whether the gate opens."""
        return all(c.passed for c in self.cases) and not self.slow


def judge(
    before: Baseline,
    after: Baseline,
    measures: Sequence[str],
    *,
    margin: float,
    strict: bool = False,
    latency_limit: float | None = None,
) -> Gate:
    """`after` against `before` in `measures`, corrected by Holm over them.

    It fails only where the candidate is significantly *and* materially worse: its interval lies below 0 and
    its mean difference below -margin; `strict`: also where it is not shown to be within the margin. Of a
    cost the margin is a share of the baseline's mean.

    Raises:
        RequestError: other data, gold or measure versions; a measure that one of them lacks.
    """
    _comparable(before, after)
    _judged_by_both(before, after, measures)
    shared = [sorted(set(before.measures[m]) & set(after.measures[m])) for m in measures]
    queries = sorted(set().union(*shared))
    place = {q: i for i, q in enumerate(queries)}
    scales = [_scale(before, measure) for measure in measures]
    deltas = np.full((len(queries), len(measures)), np.nan)
    for column, (measure, common) in enumerate(zip(measures, shared, strict=True)):
        for query in common:
            change = after.measures[measure][query] - before.measures[measure][query]
            deltas[place[query], column] = change / scales[column]
    clusters, said = clusters_by([before.documents.get(q, q) for q in queries])
    tested = contrasts(deltas, seed_of(before.fingerprints["queries"]), clusters=clusters, margins=margin)
    cases = []
    for measure, common, scale, c in zip(measures, shared, scales, tested, strict=True):
        found = standing(c.mean, c.interval, margin)
        old, new = (float(np.mean([b.measures[measure][q] for q in common])) for b in (before, after))
        ends = sorted(scale * end for end in c.interval or ())
        low, high = ends or (None, None)
        cases.append(
            Case(
                measure=measure,
                n=c.n,
                baseline=old,
                candidate=new,
                difference=new - old,
                low=low,
                high=high,
                level=c.level,
                p_corrected=c.p_corrected,
                standing=found,
                passed=passes(found, strict=strict),
            )
        )
    notes = _libraries(before, after)
    ratio = None
    if latency_limit is not None:
        why = _untimed(before, after)
        if why:
            notes.append(f"latency is not comparable: {why}")
        else:
            ratio = sum(after.seconds.values()) / sum(before.seconds.values())
    sides = (before.said, after.said)
    return Gate(before.run, after.run, sides, margin, strict, said, tuple(cases),
                tuple(_flips(before, after)), ratio, latency_limit, tuple(notes))  # fmt: skip


def _scale(before: Baseline, measure: str) -> float:
    """By what a difference is divided before it is judged: that of a cost is a share of the baseline's mean.

    Negative for costs, of which less is better.
    """
    return -(float(np.mean(list(before.measures[measure].values()))) or 1.0) if is_cost(measure) else 1.0


def _libraries(before: Baseline, after: Baseline) -> list[str]:
    """Libraries of which both know the version and it is not the same: a difference may be theirs."""
    moved = [
        f"{name} {old} / {after.packages[name]}"
        for name, old in sorted(before.packages.items())
        if after.packages.get(name, old) != old
    ]
    return [f"other library versions: {', '.join(moved)}"] if moved else []


def _untimed(before: Baseline, after: Baseline) -> str:
    """Why the seconds of the two say nothing about each other; empty if they do."""
    if before.processor != after.processor:
        return f"{before.processor} / {after.processor}"
    for side, run in (("baseline", before), ("candidate", after)):
        if not run.searched or not sum(run.seconds.values()):
            return f"the {side} took hits or scores from the store; run it over an empty one"
    return ""


def _comparable(before: Baseline, after: Baseline) -> None:
    for what, old in before.fingerprints.items():
        if old != after.fingerprints.get(what):
            new = after.fingerprints.get(what, "")
            raise RequestError(
                f"incomparable: the {what} differ ({old[:12]} / {new[:12]}); a gate compares runs over one "
                "data set. Save a new baseline after the data changed"
            )
    for family, version in before.families.items():
        new = after.families.get(family, version)
        if new != version:
            raise RequestError(
                f"incomparable: the measures of '{family}' have another version ({version} / {new}); save a "
                "new baseline"
            )


def _judged_by_both(before: Baseline, after: Baseline, measures: Sequence[str]) -> None:
    for measure in measures:
        for side, has in (("baseline", before.measures), ("candidate", after.measures)):
            if measure not in has:
                known = did_you_mean(measure, list(has))
                raise RequestError(f"--measure: the {side} has no '{measure}'; {known}")
        if not set(before.measures[measure]) & set(after.measures[measure]):
            raise RequestError(f"--measure: no question has '{measure}' in both runs; nothing can be judged")


def _flips(before: Baseline, after: Baseline) -> list[Flip]:
    out = []
    for query in sorted(set(before.lost) & set(after.lost)):
        was, now = before.lost[query], after.lost[query]
        if bool(was) != bool(now):
            out.append(Flip(query, gained=not now, stage=now or was))
    return sorted(out, key=lambda f: (f.gained, f.query))
