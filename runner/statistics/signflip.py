"""Sign flips: how often a mean difference at least as large comes about when the sign of each is a coin toss.

If two runs are equally good, which of them got which score on a query is a coin toss, so the difference of
each query (of each cluster, when queries are clustered) could as well have the other sign: the paired
randomisation test of Fisher, The Design of Experiments, 1935; for retrieval: Smucker, Allan and Carterette,
"A comparison of statistical significance tests for information retrieval evaluation", CIKM 2007; Urbano, Lima
and Hanjalic, "Statistical significance testing in information retrieval", SIGIR 2019. Two-sided, the
statistic is the mean.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from runner.statistics.draws import flips
from runner.statistics.units import Units

Floats = npt.NDArray[np.float64]

EXACT = 16
"""Up to this many units that differ, all 2^16 patterns are counted."""
DRAWN = 2**EXACT - 1
"""Beyond it so many are drawn; with the observed one they are 2^16, and p is a multiple of 2^-16."""
ROUNDING = 1e-10
"""Sums within this part of the sum of all |differences| are equal: they differ by rounding only."""


def p_values(units: Units, seed: int) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """The two-sided p of each column, shape (columns,), and whether it is exact.

    Units whose sum is 0 have no sign and do not matter. With at most `EXACT` others, p is the share of all
    patterns whose |sum| is at least the observed one. Otherwise it is (b + 1) / (m + 1), with b of `DRAWN` =
    m seeded patterns (Phipson and Smyth, "Permutation p-values should never be zero", 2010). p is never 0 and
    never NaN, and that of a column does not depend on the other columns.
    """
    exact = (units.totals != 0).sum(0) <= EXACT
    p = np.empty(units.totals.shape[1])
    for column in np.flatnonzero(exact):
        p[column] = _counted(units.totals[units.totals[:, column] != 0, column])
    if not exact.all():
        p[~exact] = _drawn(units.totals[:, ~exact], seed)
    return p, exact


def joint_p(units: Units, seed: int) -> tuple[float, bool]:
    """The p of all columns together, and whether it is exact: are the means of all of them 0?

    The statistic is the sum over columns of the squared mean; a unit's columns are flipped together, so they
    may depend on each other in any way. The columns have the same queries.
    """
    totals = units.totals[(units.totals != 0).any(1)]
    exact = len(totals) <= EXACT
    patterns, observed = 2 ** max(len(totals) - 1, 0) if exact else DRAWN, totals.sum(0)
    least = (observed**2).sum() * (1 - ROUNDING)
    rows, hits = _rows(totals), 0
    for first in range(0, patterns, rows):
        count = min(rows, patterns - first)
        flipped = _every(len(totals), first, count) if exact else flips(len(totals), seed, first, count)
        hits += int((((observed - 2 * flipped @ totals) ** 2).sum(1) >= least).sum())
    return (hits / patterns if exact else (hits + 1) / (patterns + 1)), exact


def _every(units: int, first: int, count: int) -> Floats:
    """Patterns `first` … that leave the last unit's sign, shape (count, units): the bits of their number."""
    numbers = np.arange(first, first + count)[:, None]
    return np.asarray(numbers >> np.arange(units) & 1, np.float64)


def _counted(sums: Floats) -> float:
    """Over all patterns. A pattern and its opposite have the same |sum|, so the sign of the first stays."""
    if len(sums) == 0:
        return 1.0
    reached = sums[:1]
    for value in sums[1:]:
        reached = np.concatenate([reached + value, reached - value])
    return float(np.mean(np.abs(reached) >= _least(sums[:, None])))


def _drawn(totals: Floats, seed: int) -> Floats:
    """Over drawn patterns, shape (columns,)."""
    least, observed = _least(totals), totals.sum(0)
    rows = _rows(totals)
    hits = np.zeros(totals.shape[1], np.int64)
    for first in range(0, DRAWN, rows):
        flipped = flips(len(totals), seed, first, min(rows, DRAWN - first)) @ totals
        hits += (np.abs(observed - 2 * flipped) >= least).sum(0)
    return np.asarray((hits + 1) / (DRAWN + 1))


def _rows(totals: Floats) -> int:
    """How many patterns at a time: neither they nor their sums take more than 64 MB."""
    return int(max(1, min(1 << 12, (1 << 23) // max(1, *totals.shape))))


def _least(totals: Floats) -> Floats:
    """What counts as at least the observed |sum|, shape (columns,)."""
    return np.asarray(np.abs(totals.sum(0)) - ROUNDING * np.abs(totals).sum(0))
