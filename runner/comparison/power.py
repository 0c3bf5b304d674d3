"""What the questions at hand can decide: the least difference that earlier runs' variance lets them tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import median

import numpy as np

from runner.comparison.scores import scores
from runner.errors import StoreError
from runner.measure_names import is_cost
from runner.named import run_keys
from runner.runs import Run
from runner.statistics.moments import moments_of
from runner.statistics.power import detectable, fewest
from runner.statistics.units import units_of

_RUNS = 6
"""Earlier runs looked at, the newest."""


@dataclass(frozen=True, slots=True)
class Told:
    """One measure."""

    measure: str
    units: int
    """Questions, or groups of questions that share a document."""
    deviation: float
    """Median standard deviation of paired differences of earlier runs, per unit."""
    least: float
    """The least mean difference that would be told from 0 with 80% power."""
    runs: int


def told(outputs: Path, fingerprints: Mapping[str, str], comparisons: int, alpha: float = 0.05) -> list[Told]:
    """For each measure of earlier runs over the same questions and gold; none if fewer than two are recorded.

    Args:
        outputs: where earlier runs are.
        fingerprints: of the data set.
        comparisons: planned; the least favoured of them is tested at alpha ÷ comparisons (Holm).
        alpha: of the family.
    """
    found = _earlier(outputs, fingerprints)
    if len(found) < 2:
        return []
    table = scores(found)
    level = alpha / max(1, comparisons)
    out = []
    for place, measure in enumerate(table.measures):
        pairs = [
            table.values[:, a, place] - table.values[:, b, place]
            for a, b in combinations(range(len(found)), 2)
        ]
        whole = [d[:, None] for d in pairs if np.isfinite(d).all() and d.any()]
        spread = [float(moments_of(units_of(d, table.clusters)).deviation[0]) for d in whole]
        if is_cost(measure) or not spread:
            continue
        n = len(table.queries) if table.clusters is None else int(table.clusters.max()) + 1
        if n >= fewest(level):
            out.append(Told(measure, n, median(spread), detectable(n, median(spread), level), len(found)))
    return out


def _earlier(outputs: Path, fingerprints: Mapping[str, str]) -> list[Run]:
    wanted = {p: fingerprints[p] for p in ("documents", "queries", "judgments")}
    out: list[Run] = []
    for key in run_keys(outputs):
        try:
            run = Run(outputs, key)
            run.table("curve"), run.table("attribution")
        except StoreError:  # damaged, or of an earlier version
            continue
        if wanted.items() <= run.meta["fingerprints"].items():
            out.append(run)
        if len(out) == _RUNS:
            break
    return out
