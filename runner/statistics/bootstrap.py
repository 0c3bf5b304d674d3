"""Bootstrap: how far a mean over queries moves when the queries are drawn again."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from runner.statistics.draws import Counts
from runner.statistics.moments import ROUNDING, moments_of
from runner.statistics.units import Units

Floats = npt.NDArray[np.float64]


def resampled_means(units: Units, counts: Counts) -> Floats:
    """The mean of each column in each resample, shape (draws, columns).

    The weights of a resample are divided by the number of its queries that have a value, so a column is a
    mean over its own queries, and clusters of unequal size count by their queries. A resample without any
    such query repeats the observed mean.

    Args:
        units: of the values.
        counts: how often each unit is drawn, shape (draws, units), of `draws.resamples`.
    """
    totals, sizes = _weighted(counts, units.totals), _weighted(counts, units.sizes)
    return np.where(sizes > 0, totals / np.maximum(sizes, 1), units.means)


def _weighted(counts: Counts, columns: Floats) -> Floats:
    """`counts @ columns`, a block of resamples at a time, because counts are small and floats are not."""
    if (columns == 1).all():  # each query a unit, and all have a value
        return np.full((len(counts), 1), float(len(columns)))
    rows = max(1, (1 << 23) // max(1, counts.shape[1]))
    parts = [counts[i : i + rows].astype(np.float64) @ columns for i in range(0, len(counts), rows)]
    return np.concatenate(parts)


def bca(units: Units, means: Floats, alpha: float) -> tuple[Floats, Floats]:
    """The bias-corrected and accelerated interval of each column at level 1 - alpha, each shape (columns,).

    z0 = Phi^-1(share of resampled means below the observed, ties half); a = skewness / (6 sqrt(units)), from
    the influence of each unit; the ends are the quantiles at Phi(z0 + (z0 + z) / (1 - a (z0 + z))). Values
    that are all equal have the interval [mean, mean]. Source: Efron, "Better bootstrap confidence intervals",
    JASA 82, 1987; the same as SciPy's `bootstrap(method="BCa")`.

    Args:
        units: of the values.
        means: their resampled means, shape (draws, columns).
        alpha: 1 - level.
    """
    from scipy.special import ndtr, ndtri

    observed, draws = units.means, len(means)
    equal = ROUNDING * np.abs(units.totals).sum(0) / np.maximum(units.sizes.sum(0), 1)
    below = ((means < observed - equal).sum(0) + (means <= observed + equal).sum(0)) / (2 * draws)
    z0 = ndtri(np.clip(below, 0.5 / draws, 1 - 0.5 / draws))  # finite, even if all lie on one side
    found = moments_of(units)
    a = found.skewness / (6 * np.sqrt(np.maximum(found.units, 1)))
    ordered = np.sort(means, axis=0)
    ends = []
    for z in (ndtri(alpha / 2), ndtri(1 - alpha / 2)):
        ends.append(_quantiles(ordered, ndtr(z0 + (z0 + z) / (1 - a * (z0 + z)))))
    return ends[0], ends[1]


def _quantiles(ordered: Floats, parts: Floats) -> Floats:
    """The quantile of each sorted column at its own part, linear in between, shape (columns,)."""
    place = parts * (len(ordered) - 1)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, len(ordered) - 1)
    columns = np.arange(ordered.shape[1])
    low, high = ordered[below, columns], ordered[above, columns]
    return np.asarray(low + (high - low) * (place - below))
