"""Contrasts: a family of paired comparisons, each with its interval, corrected p, effect size and verdict.

The corrected p and the interval cannot contradict each other. The sign-flip test, corrected by Holm, decides
whether there is a difference. The interval is the BCa bootstrap interval at the level of the comparison's
step in Holm's procedure, 1 - alpha / (m - i + 1): 95 % for one comparison, wider for many. As the bootstrap
is too narrow for few queries, and 2,000 resamples do not reach the tails that a large family asks for, its
ends are those of the 95 % interval, moved away from the mean by t(level; df) / z(95 %) * sqrt(G / (G - 1)),
with G units and Satterthwaite's df (Hesterberg, "What teachers should know about the bootstrap", American
Statistician 69, 2015, calls this expanding). Should it then lie on one side of 0 though the test does not
reject, or contain 0 though it does, which happens with few or very skewed differences, the end near 0 goes
where the t interval with the test's p has it, and `moved` is set. So "corrected p <= alpha", "the interval
does not contain 0" and (outside the margin) "better or worse" are the same.

Two limits, by simulation (tests/bench/calibration.py). When fewer than about ten queries differ, they do not
tell what the others hide, and intervals cover less than they say. The sign flips hold exactly when the runs
are exchangeable; for very skewed differences with a mean of 0, families of ten see up to 7 % false alarms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from runner.statistics import bootstrap, power, signflip
from runner.statistics.draws import resamples
from runner.statistics.holm import holm, levels
from runner.statistics.moments import ROUNDING, Moments, moments_of
from runner.statistics.units import Units, units_of
from runner.statistics.verdicts import Interval, Verdict, verdict

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

ALPHA = 0.05
"""Probability of one or more false differences in a family, two-sided."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """One comparison, candidate minus baseline, over the queries for which both have a value."""

    n: int
    missing: int
    """Queries left out, because one of the two has no value there."""
    units: int
    """What was drawn and flipped: queries, or clusters of queries."""
    mean: float
    """Mean difference over the n queries, in units of the measure."""
    interval: Interval | None
    """At `level`; None: with so few units the test cannot reject, whatever they show."""
    level: float
    moved: bool
    """Whether the end near 0 is the sign-flip test's and not the bootstrap's."""
    p: float
    """Of the two-sided sign-flip test."""
    p_corrected: float
    """By Holm over the family."""
    exact: bool
    """Whether all patterns of signs were counted; otherwise `signflip.DRAWN` were drawn."""
    effect: float | None
    """Cohen's d_z; None: the differences do not vary."""
    wins: int
    ties: int
    losses: int
    verdict: Verdict
    needed: int | None
    """If undecided: the queries that would decide with 80 % power, if the differences stay what they are."""
    note: str
    """What a reader of the numbers must know, or nothing."""


def contrasts(
    differences: Floats,
    seed: int,
    *,
    families: Ints | None = None,
    clusters: Ints | None = None,
    margins: Floats | float = 0.0,
    alpha: float = ALPHA,
) -> list[Contrast]:
    """The comparisons of all columns.

    Args:
        differences: candidate minus baseline, higher is better, shape (queries, columns); NaN: not both have
            a value.
        seed: of the data set, `draws.seed_of`.
        families: number of each column's family, corrected on its own; None: all are one family.
        clusters: number of each query's cluster, 0 …; None: queries are independent.
        margins: the difference that does not matter, for all columns or for each.
        alpha: see `ALPHA`.
    """
    units = units_of(differences, clusters)
    found = moments_of(units)
    p, exact = signflip.p_values(units, seed)
    corrected, level = _by_family(p, families, alpha)
    low, high, moved = _intervals(units, found, seed, p, level, corrected <= alpha)
    margin = np.broadcast_to(np.asarray(margins, np.float64), p.shape)
    out = []
    for i in range(len(p)):
        values = differences[np.isfinite(differences[:, i]), i]
        few = found.units[i] < power.fewest(alpha)
        interval = None if few else (float(low[i]), float(high[i]))
        said = verdict(interval, float(margin[i]))
        short = said == "undecided"
        out.append(
            Contrast(
                n=len(values),
                missing=len(differences) - len(values),
                units=int(found.units[i]),
                mean=float(found.mean[i]),
                interval=interval,
                level=1 - float(level[i]),
                moved=bool(moved[i]) and not few,
                p=float(p[i]),
                p_corrected=float(corrected[i]),
                exact=bool(exact[i]),
                effect=effect_size(values),
                wins=int((values > 0).sum()),
                ties=int((values == 0).sum()),
                losses=int((values < 0).sum()),
                verdict=said,
                needed=_needed(found, i, len(values), float(level[i]), float(margin[i])) if short else None,
                note=_note(values, few=few),
            )
        )
    return out


def _by_family(p: Floats, families: Ints | None, alpha: float) -> tuple[Floats, Floats]:
    """Corrected p and the alpha at which Holm tests each column, shape (columns,) each."""
    corrected, level = np.empty(p.shape), np.empty(p.shape)
    family = np.zeros(p.shape, np.int64) if families is None else families
    for one in np.unique(family):
        of = family == one
        corrected[of], level[of] = holm(p[of]), levels(p[of], alpha)
    return corrected, level


def _intervals(
    units: Units, found: Moments, seed: int, p: Floats, level: Floats, rejected: Bools
) -> tuple[Floats, Floats, Bools]:
    """Low and high end of each column at its own alpha, and whether one was moved, shape (columns,) each."""
    from scipy.special import ndtri, stdtrit

    mean, there, freedom = found.mean, np.maximum(found.units, 2), found.degrees_of_freedom
    resampled = bootstrap.resampled_means(units, resamples(len(units.totals), seed))
    low, high = bootstrap.bca(units, resampled, ALPHA)
    reach = stdtrit(freedom, 1 - level / 2)
    wider = reach / ndtri(1 - ALPHA / 2) * np.sqrt(there / (there - 1))
    low, high = mean - np.maximum(mean - low, 0) * wider, mean + np.maximum(high - mean, 0) * wider
    moved = ((low > 0) | (high < 0)) != rejected
    # Towards 0, the half-width of the t interval around the mean whose p is that of the sign flips.
    short = np.abs(mean) * reach / np.maximum(stdtrit(freedom, 1 - p / 2), 1e-9)
    short = np.where(rejected, np.minimum(short, np.abs(mean) * (1 - 1e-9)), short)
    low = np.where(moved & (mean >= 0), mean - short, low)
    high = np.where(moved & (mean <= 0), mean + short, high)
    return low, high, moved


def _needed(found: Moments, i: int, queries: int, level: float, margin: float) -> int | None:
    """Queries that would decide column i; clusters are taken to stay as large as they are."""
    if found.units[i] < 2:
        return None
    effect = power.Effect(
        float(found.mean[i]), float(found.deviation[i]), float(found.skewness[i]), float(found.kurtosis[i])
    )
    units = power.needed(effect, level, margin)
    # More than there are: these have not decided it.
    return None if units is None else max(queries + 1, int(np.ceil(units * queries / found.units[i])))


def effect_size(differences: Floats) -> float | None:
    """Cohen's d_z of paired differences: mean / standard deviation (ddof 1); 0 if all are 0.

    None if all are equal but not 0, or there is one, where it has no value. Source: Cohen, Statistical Power
    Analysis for the Behavioral Sciences, 1988.
    """
    if not differences.any():
        return 0.0
    spread = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    if spread <= ROUNDING * float(np.abs(differences).max()):
        return None
    return float(differences.mean()) / spread


def _note(values: Floats, *, few: bool) -> str:
    """The rule behind each word stands in `Contrast` and in this module's docstring."""
    if not len(values):
        return "no query has both values"
    words = ["too few queries"] if few else []
    return "; ".join([*words, "identical"] if not values.any() else words)
