"""Simulation: how often the statistics are right, when the queries are drawn again from real scores.

The real queries are taken as all there are, so the true difference of any two runs is known; a trial draws a
question set of another size from them, with replacement, and asks the statistics.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from runner.statistics.contrasts import contrasts
from runner.statistics.moments import moments_of
from runner.statistics.power import Effect, needed
from runner.statistics.units import units_of
from runner.statistics.winner import winner

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Draw = np.random.Generator
Pool = dict[str, Floats]
"""By data set and measure: scores, shape (queries, runs)."""

FIXTURE = Path(__file__).parent / "statistics" / "scifact_ndcg10.csv"
"""nDCG@10 of twelve runs over the 300 SciFact test queries, four decimals, made by this project (0.1.0):
BM25 alone, with wordllama or hashing vectors, over documents, paragraphs or windows of 200 tokens."""


def fixture() -> Pool:
    return {"SciFact nDCG@10": np.loadtxt(FIXTURE, delimiter=",", skiprows=1)}


def a_seed(draw: Draw) -> int:
    """Of a data set that nobody has seen yet."""
    return int(draw.integers(2**63))


def a_pair(pool: Pool, draw: Draw) -> Floats:
    """The differences of two runs that differ somewhere, shape (queries,)."""
    while True:
        scores = pool[str(draw.choice(list(pool)))]
        one, other = draw.choice(scores.shape[1], 2, replace=False)
        if (found := scores[:, one] - scores[:, other]).any():
            return found


def null_weights(differences: Floats) -> Floats | None:
    """Weights of the queries that make the mean difference 0, shape (queries,); None: only wins, or losses.

    The weights nearest to equal ones, exp(t * difference) up to a factor (exponential tilting: Efron,
    Canadian Journal of Statistics 9, 1981), so ties, sizes and skewness of the differences stay real.
    """
    if not (differences.min() < 0 < differences.max()):
        return None
    low, high = -700 / np.abs(differences).max(), 700 / np.abs(differences).max()
    for _ in range(100):
        middle = (low + high) / 2
        weights = np.exp(middle * differences)
        low, high = (low, middle) if weights @ differences > 0 else (middle, high)
    return np.asarray(weights / weights.sum())


def aa_swapped(pool: Pool, n: int, family: int, draw: Draw) -> Floats:
    """Differences of equally good runs: on each query, chance decides which run got which score."""
    wide = [v for v in pool.values() if v.shape[1] > family]
    scores = wide[draw.integers(len(wide))]
    runs = scores[:, draw.choice(scores.shape[1], family + 1, replace=False)]
    drawn = draw.permuted(runs[draw.integers(0, len(runs), n)], axis=1)
    return np.asarray(drawn[:, 1:] - drawn[:, :1])


def aa_tilted(pool: Pool, n: int, family: int, draw: Draw) -> Floats:
    """A family of independent differences whose true mean is 0 by `null_weights`: as skewed as real ones."""
    columns: list[Floats] = []
    while len(columns) < family:
        found = a_pair(pool, draw)
        if (weights := null_weights(found)) is not None:
            columns.append(draw.choice(found, n, p=weights))
    return np.stack(columns, 1)


Null = Callable[[Pool, int, int, Draw], Floats]
"""Makes a family of differences of equally good runs, shape (queries, family)."""


def false_alarms(how: Null, pool: Pool, n: int, family: int, trials: int, draw: Draw) -> float:
    """The share of families of equally good runs in which a corrected p is at most 0.05."""
    columns = np.concatenate([how(pool, n, family, draw) for _ in range(trials)], axis=1)
    families = np.repeat(np.arange(trials), family)
    alarms = [c.p_corrected <= 0.05 for c in contrasts(columns, a_seed(draw), families=families)]
    return float(np.mean(np.reshape(alarms, (trials, family)).any(1)))


def covered(pool: Pool, n: int, trials: int, draw: Draw, *, sparse: bool = False) -> float:
    """The share of 95 % intervals that hold the true mean; `sparse`: where fewer than ten queries differ."""
    columns, truth = np.empty((n, trials)), np.empty(trials)
    for trial in range(trials):
        while True:
            found = a_pair(pool, draw)
            if (n * np.mean(found != 0) < 10) == sparse:
                break
        columns[:, trial], truth[trial] = found[draw.integers(0, len(found), n)], found.mean()
    tested = contrasts(columns, a_seed(draw), families=np.arange(trials))
    ends = np.array([c.interval for c in tested]).T
    return float(np.mean((ends[0] <= truth) & (truth <= ends[1])))


def attained(found: Floats, alpha: float, trials: int, draw: Draw) -> tuple[int, float] | None:
    """How many queries are said to be needed, and with what power they decide; None: outside 30 … 2,000."""
    shape = moments_of(units_of(found[:, None]))
    moments = (shape.mean, shape.deviation, shape.skewness, shape.kurtosis)
    n = needed(Effect(*(float(m[0]) for m in moments)), alpha)
    if n is None or not 30 <= n <= 2000:
        return None
    columns = found[draw.integers(0, len(found), (n, trials))]
    tested = contrasts(columns, a_seed(draw), families=np.arange(trials), alpha=alpha)
    right = ["better" if found.mean() > 0 else "worse"]
    return n, float(np.mean([c.verdict in right for c in tested]))


def powers(pool: Pool, pairs: int, trials: int, draw: Draw) -> list[tuple[int, float]]:
    """`attained` of so many pairs, alone or in the first step of Holm's procedure for ten."""
    out: list[tuple[int, float]] = []
    while len(out) < pairs:
        if one := attained(a_pair(pool, draw), 0.05 / int(draw.choice([1, 10])), trials, draw):
            out.append(one)
    return out


@dataclass(frozen=True)
class Named:
    """One attempt to name a winner among runs whose order is known."""

    named: bool
    right: bool
    held: bool
    """Whether the best is among those said to be inseparable."""
    gap: float
    """How far the best is ahead of the second, in standard errors of their difference."""


def naming(pool: Pool, n: int, draw: Draw) -> Named:
    """Names a winner among two to ten runs of one data set and measure."""
    scores = pool[str(draw.choice(list(pool)))]
    count = int(draw.integers(2, min(10, scores.shape[1]) + 1))
    runs = scores[:, draw.choice(scores.shape[1], count, replace=False)]
    said = winner(runs[draw.integers(0, len(runs), n)], a_seed(draw))
    order = np.argsort(-runs.mean(0))
    best = set(np.flatnonzero(runs.mean(0) >= runs.mean(0).max() - 1e-12).tolist())
    ahead = runs[:, order[0]] - runs[:, order[1]]
    error = ahead.std() / np.sqrt(n)
    gap = float(ahead.mean() / error) if error > 0 else 0.0
    return Named(said.named is not None, said.named in best, bool(best & set(said.together)), gap)


def clustered_false_alarms(pool: Pool, n: int, trials: int, draw: Draw, *, clustered: bool) -> float:
    """The share of false alarms of a single test when queries come in clusters of one to five that are alike.

    Each cluster draws one real difference, each of its queries another; a query's difference is the sum of
    both.
    """
    clusters = np.repeat(np.arange(n), draw.integers(1, 6, n))[:n]
    shared, own = (
        np.concatenate([aa_tilted(pool, n, 1, draw) for _ in range(trials)], axis=1) for _ in range(2)
    )
    tested = contrasts(
        shared[clusters] + own,
        a_seed(draw),
        families=np.arange(trials),
        clusters=clusters if clustered else None,
    )
    return float(np.mean([c.p <= 0.05 for c in tested]))
