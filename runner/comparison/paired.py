"""Paired comparisons of runs over one data set, as rows of `contrasts.parquet`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runner.comparison.comparability import by_construction
from runner.comparison.scores import Scores
from runner.measure_names import budget_of, is_cost
from runner.statistics.contrasts import contrasts

MARGIN = 0.01
"""The difference that does not matter, in units of the measure, unless asked otherwise."""


@dataclass(frozen=True, slots=True)
class Paired:
    """One run against another in one measure, over the same questions."""

    candidate: str
    """Run keys."""
    baseline: str
    measure: str
    budget: int | None
    """Tokens to which both contexts were filled; None: at equal top_k."""
    n: int
    candidate_mean: float
    baseline_mean: float
    difference: float
    low: float | None
    high: float | None
    """The interval, simultaneous with the corrected p; None: too few questions."""
    level: float
    p: float
    p_corrected: float
    """By Holm over the comparisons of one measure."""
    effect: float | None
    """Cohen's d_z."""
    wins: int
    ties: int
    losses: int
    verdict: str
    """`better`, `worse`, `equivalent`, `undecided`; `cost` for tokens: fewer are cheaper, not better."""
    needed: int | None
    """If undecided: questions that would decide it with 80% power."""
    constructed: str
    """Why the configs alone decide it; empty if they do not."""
    note: str


def paired(found: Scores, pairs: Sequence[tuple[int, int]], margin: float = MARGIN) -> list[Paired]:
    """The comparisons of `pairs` (candidate, baseline: places in `found.runs`) in every measure.

    One measure is one family of Holm's correction.
    """
    if not pairs:
        return []
    measures = found.measures
    columns = [(pair, m) for m in range(len(measures)) for pair in pairs]
    deltas = np.stack([found.values[:, a, m] - found.values[:, b, m] for (a, b), m in columns], axis=1)
    families = np.array([m for _, m in columns], np.int64)
    tested = contrasts(deltas, found.seed, families=families, clusters=found.clusters, margins=margin)
    out = []
    for ((a, b), m), c in zip(columns, tested, strict=True):
        both = np.isfinite(found.values[:, a, m]) & np.isfinite(found.values[:, b, m])
        means = [float(found.values[both, i, m].mean()) if both.any() else 0.0 for i in (a, b)]
        low, high = c.interval or (None, None)
        cost = is_cost(measures[m])
        out.append(
            Paired(
                candidate=found.runs[a].key,
                baseline=found.runs[b].key,
                measure=measures[m],
                budget=budget_of(measures[m]),
                n=c.n,
                candidate_mean=means[0],
                baseline_mean=means[1],
                difference=c.mean,
                low=low,
                high=high,
                level=c.level,
                p=c.p,
                p_corrected=c.p_corrected,
                effect=c.effect,
                wins=c.wins,
                ties=c.ties,
                losses=c.losses,
                verdict="cost" if cost else c.verdict,
                needed=None if cost else c.needed,
                constructed=by_construction(found.runs[a], found.runs[b], measures[m]),
                note=c.note,
            )
        )
    return out
