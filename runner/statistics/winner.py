"""Winner: which of many runs is first, if the queries at hand can say so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from runner.statistics.bootstrap import resampled_means
from runner.statistics.contrasts import ALPHA
from runner.statistics.draws import resamples
from runner.statistics.holm import holm
from runner.statistics.moments import ROUNDING
from runner.statistics.signflip import p_values
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
    """The runs that cannot be told apart, likeliest first; the winner alone, if there is one."""


def winner(scores: Floats, seed: int, clusters: Ints | None = None) -> Winner:
    """The winner among the columns of `scores`, shape (queries, runs), higher is better.

    All runs are averaged over the same 2,000 resamples of the queries, so what makes a query hard for all of
    them moves none ahead. The leader is the run that is first most often. With it stand the runs that it is
    not shown to beat (sign flips, Holm over all others), and the next likeliest until together they are first
    in `SURE` of the resamples. A winner is a leader that stands alone. The share alone would do for runs that
    are far apart, but of two near-equal runs one is first in 90 % of resamples one time in five, and is then
    the better one hardly more often than not; that the leader must be shown to beat the second keeps false
    names below 2.5 % (Gutmann and Maymin, "Is the selected population the best?", Annals of Statistics 15,
    1987).

    Args:
        scores: NaN: a measure does not apply.
        seed: of the data set, `draws.seed_of`.
        clusters: number of each query's cluster, 0 …; None: queries are independent.
    """
    there, count = np.isfinite(scores).all(1), scores.shape[1]
    kept = scores[there]
    if not len(kept):
        return Winner(0, (1 / count,) * count, None, tuple(range(count)))
    numbers = None if clusters is None else np.unique(clusters[there], return_inverse=True)[1]
    units = units_of(kept, numbers)
    means = resampled_means(units, resamples(len(units.totals), seed))
    first = means >= means.max(1, keepdims=True) - ROUNDING * np.abs(kept).max()
    shares = (first / first.sum(1, keepdims=True)).mean(0)
    order = np.argsort(-shares, kind="stable")
    enough = int(np.searchsorted(np.cumsum(shares[order]), SURE - ROUNDING)) + 1
    ahead = units_of(kept[:, order[:1]] - kept[:, order[1:]], numbers)
    beaten = (holm(p_values(ahead, seed)[0]) <= ALPHA) & (ahead.means > 0)
    together = [
        int(order[0]),
        *(int(i) for at, i in enumerate(order[1:]) if at + 1 < enough or not beaten[at]),
    ]
    return Winner(
        len(kept), tuple(shares.tolist()), together[0] if len(together) == 1 else None, tuple(together)
    )
