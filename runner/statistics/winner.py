"""Winner: which of many runs is first, if the queries at hand can say so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from runner.statistics.bootstrap import resampled_means
from runner.statistics.draws import resamples
from runner.statistics.moments import ROUNDING
from runner.statistics.units import units_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

SURE = 0.90
"""The share of resamples in which a winner must be first."""


@dataclass(frozen=True, slots=True)
class Winner:
    """Who is first how often, over the queries for which all runs have a value."""

    n: int
    shares: tuple[float, ...]
    """Of each run: the share of resamples in which it is first; those that tie share. They add up to 1."""
    named: int | None
    """The winner's number, or None: no clear winner."""
    together: tuple[int, ...]
    """The runs that cannot be told apart, likeliest first: the fewest that hold the first place in 90 % of resamples.

    The winner alone, if there is one.
    """


def winner(scores: Floats, seed: int, clusters: Ints | None = None) -> Winner:
    """The winner among the columns of `scores`, shape (queries, runs), higher is better.

    All runs are averaged over the same 2,000 resamples of the queries, so what makes a query hard for all of them
    moves none ahead. A run is named if it is first in at least `SURE` of the resamples; that share is, roughly, the
    probability that it is the best (Efron and Tibshirani, "The problem of regions", Annals of Statistics 26, 1998).

    Args:
        scores: NaN: a measure does not apply.
        seed: of the data set, `draws.seed_of`.
        clusters: number of each query's cluster, 0 …; None: queries are independent.
    """
    there = np.isfinite(scores).all(1)
    kept = scores[there]
    if not len(kept):
        count = scores.shape[1]
        return Winner(0, (1 / count,) * count, None, tuple(range(count)))
    numbers = None if clusters is None else np.unique(clusters[there], return_inverse=True)[1]
    units = units_of(kept, numbers)
    means = resampled_means(units, resamples(len(units.totals), seed))
    first = means >= means.max(1, keepdims=True) - ROUNDING * np.abs(kept).max()
    shares = (first / first.sum(1, keepdims=True)).mean(0)
    order = np.argsort(-shares, kind="stable")
    few = int(np.searchsorted(np.cumsum(shares[order]), SURE - ROUNDING)) + 1
    together = tuple(int(i) for i in order[:few])
    return Winner(len(kept), tuple(shares.tolist()), together[0] if few == 1 else None, together)
