"""Contrasts: degenerate differences, values by hand, and what is shown never contradicts itself."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from runner.statistics import bootstrap
from runner.statistics.contrasts import Contrast, contrasts, effect_size
from runner.statistics.draws import resamples, seed_of
from runner.statistics.holm import holm
from runner.statistics.units import units_of

Floats = npt.NDArray[np.float64]
SEED = seed_of("a data set")
NAN = float("nan")


def one(differences: list[float] | Floats, margin: float = 0.0) -> Contrast:
    return contrasts(np.array(differences, np.float64)[:, None], SEED, margins=margin)[0]


@pytest.mark.parametrize(
    ("differences", "p", "effect", "note"),
    [
        ([0, 0, 0], 1.0, 0.0, "too few queries; identical"),
        ([0.1, 0.1, 0.1], 2 / 8, None, "too few queries"),
        ([0.5], 1.0, None, "too few queries"),
        ([0.1, 0.2, 0.05, 0.15, 0.3], 2 / 32, 0.16 / math.sqrt(0.037 / 4), "too few queries"),
        ([NAN, NAN], 1.0, 0.0, "no query has both values"),
        ([], 1.0, 0.0, "no query has both values"),
    ],
)
def test_degenerate(differences: list[float], p: float, effect: float | None, note: str) -> None:
    """Squared deviations of the fourth from 0.16: .0036 .0016 .0121 .0001 .0196, sum .037."""
    found = one(differences)
    assert (found.p, found.p_corrected, found.exact) == (p, p, True)
    assert found.effect == (None if effect is None else pytest.approx(effect, rel=1e-12))
    assert (found.interval, found.verdict, found.note) == (None, "undecided", note)
    assert found.n + found.missing == len(differences)


def test_six_equal_differences_are_enough() -> None:
    found = one([0.1] * 6)
    assert found.p == 2 / 64
    assert found.interval == pytest.approx((0.1, 0.1), abs=1e-12)
    assert (found.verdict, found.effect, found.needed, found.note) == ("better", None, None, "")


def test_identical_runs_are_equivalent() -> None:
    found = one([0.0] * 10)
    assert (found.p, found.interval, found.effect) == (1.0, (0.0, 0.0), 0.0)
    assert (found.verdict, found.note) == ("equivalent", "identical")
    assert (found.wins, found.ties, found.losses) == (0, 10, 0)


def test_by_hand() -> None:
    found = one([0.5, -0.25, 0.0, 0.25, NAN, 0.5, 0.5, 0.5])
    assert (found.n, found.missing, found.units) == (7, 1, 7)
    assert found.mean == 2.0 / 7
    assert (found.wins, found.ties, found.losses) == (5, 1, 1)
    # In quarters 2, 1, 2, 2, 2 won and 1 lost: |sum| 8 of 10 at most. The sum is at least 8 with no sign
    # changed (10), with that of one of the two ones (8, twice): 3 of 64 patterns, and their opposites.
    assert found.p == 6 / 64


def test_one_comparison_has_the_bca_interval_widened_for_few_queries() -> None:
    """Without heavy tails the factor is t(0.975; n - 1) / z(0.975) * sqrt(n / (n - 1))."""
    d = np.random.default_rng(3).uniform(-0.2, 0.4, 60)
    units = units_of(d[:, None])
    low, high = bootstrap.bca(units, bootstrap.resampled_means(units, resamples(60, SEED)), 0.05)
    wider = stats.t.ppf(0.975, 59) / stats.norm.ppf(0.975) * math.sqrt(60 / 59)
    mean, found = d.mean(), one(d)
    assert not found.moved
    right = (mean - (mean - low[0]) * wider, mean + (high[0] - mean) * wider)
    assert found.interval == pytest.approx(right, abs=1e-12)
    assert 1 < wider < 1.03


def test_effect_size_is_t_over_the_root_of_n() -> None:
    draw = np.random.default_rng(4)
    for n in (2, 7, 100):
        a, b = draw.beta(2, 2, n), draw.beta(2, 2, n)
        assert effect_size(a - b) == pytest.approx(stats.ttest_rel(a, b).statistic / math.sqrt(n), rel=1e-12)


def test_families_are_corrected_apart() -> None:
    d = np.random.default_rng(5).normal(0.08, 0.3, (60, 8))
    families = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    found = contrasts(d, SEED, families=families)
    for family in (0, 1):
        of = [c for c, f in zip(found, families, strict=True) if f == family]
        assert [c.p_corrected for c in of] == holm(np.array([c.p for c in of])).tolist()
        for a, b in zip(of, contrasts(d[:, families == family], SEED), strict=True):
            assert (a.p, a.p_corrected, a.level, a.needed) == (b.p, b.p_corrected, b.level, b.needed)
            assert a.interval == pytest.approx(b.interval, abs=1e-12)


def test_clusters_are_drawn_and_flipped_whole() -> None:
    """Ten clusters of six equal differences: p of ten values, and an interval as wide as theirs."""
    d = np.random.default_rng(6).normal(0.5, 1, 10)
    clusters = np.repeat(np.arange(10), 6)
    whole = contrasts(np.repeat(d, 6)[:, None], SEED, clusters=clusters)[0]
    alone = one(d)
    assert (whole.n, whole.units, whole.p) == (60, 10, alone.p)
    assert whole.interval == pytest.approx(alone.interval, abs=1e-12)
    assert whole.needed == (None if alone.needed is None else 6 * alone.needed)
    split = one(np.repeat(d, 6))
    assert split.interval is not None
    assert whole.interval is not None
    assert split.interval[1] - split.interval[0] < 0.6 * (whole.interval[1] - whole.interval[0])


def random_differences(draw: np.random.Generator) -> Floats:
    """Of a few runs: sparse, skewed, tied, constant, missing, all at once."""
    n, k = int(draw.choice([6, 7, 12, 30, 120])), int(draw.integers(1, 9))
    kinds = (
        draw.normal(0.15, 0.4, (n, k)),
        draw.exponential(0.2, (n, k)) - 0.12,
        draw.choice([-0.5, 0, 0.5], (n, k)),
    )
    d = kinds[int(draw.integers(3))] * (draw.random((n, k)) < draw.choice([0.1, 0.5, 1]))
    d[:, draw.random(k) < 0.1] = 0.1
    d[draw.random((n, k)) < draw.choice([0, 0.1])] = NAN
    return np.asarray(d)


@pytest.mark.parametrize("seed", range(60))
def test_p_interval_and_verdict_never_disagree(seed: int) -> None:
    draw = np.random.default_rng(seed)
    d = random_differences(draw)
    margin = float(draw.choice([0.0, 0.02, 0.1]))
    clusters = np.sort(draw.integers(0, len(d) // 2 + 1, len(d))) if seed % 3 == 0 else None
    if clusters is not None:
        clusters = np.unique(clusters, return_inverse=True)[1]
    for c in contrasts(d, SEED, margins=margin, clusters=clusters):
        assert 0 < c.p <= c.p_corrected <= 1
        assert 0.95 <= c.level < 1
        assert c.wins + c.ties + c.losses == c.n
        assert not any(isinstance(v, float) and not math.isfinite(v) for v in (c.mean, c.effect or 0.0))
        if c.interval is None:
            assert c.verdict == "undecided"
            assert c.p_corrected > 0.05
            continue
        low, high = c.interval
        assert low <= c.mean <= high
        assert (low > 0 or high < 0) == (c.p_corrected <= 0.05)
        inside = -margin <= low and high <= margin
        assert (c.verdict == "equivalent") == inside
        assert (c.verdict == "better") == (low > 0 and not inside)
        assert (c.verdict == "worse") == (high < 0 and not inside)
        assert (c.verdict in {"better", "worse"}) == (c.p_corrected <= 0.05 and not inside)
        assert c.needed is None or c.verdict == "undecided"


def test_both_ways_of_disagreeing_occur_and_are_marked() -> None:
    """Five wins among 100: p = 2 / 32, though nearly all resamples keep one. And the other way round."""
    sparse = np.zeros(100)
    sparse[:5] = 0.2
    found = one(sparse)
    assert (found.p, found.moved, found.verdict) == (2 / 32, True, "undecided")
    assert found.interval is not None
    assert found.interval[0] < 0 < found.interval[1]
    draw, seen = np.random.default_rng(2), False
    for _ in range(20):
        d = -(draw.exponential(1, (25, 100)) ** 2) + 3.6
        seen |= any(c.moved and c.p <= 0.05 for c in contrasts(d, SEED, families=np.arange(100)))
    assert seen


@pytest.mark.parametrize("seed", range(10))
def test_baseline_and_candidate_exchanged_mirror_everything(seed: int) -> None:
    d = random_differences(np.random.default_rng(seed))
    words = {"better": "worse", "worse": "better"}
    for a, b in zip(contrasts(d, SEED), contrasts(-d, SEED), strict=True):
        assert (a.p, a.p_corrected, a.needed) == (b.p, b.p_corrected, b.needed)
        assert (a.wins, a.losses) == (b.losses, b.wins)
        assert words.get(a.verdict, a.verdict) == b.verdict
        if a.interval and b.interval:
            assert a.interval == pytest.approx((-b.interval[1], -b.interval[0]), abs=1e-9)


def test_an_undecided_one_says_what_it_needs() -> None:
    d = np.random.default_rng(8).normal(0.03, 0.3, 100)
    found = one(d)
    assert found.verdict == "undecided"
    size = d.mean() / d.std(ddof=1)
    # ((1.96 + 0.84) / d)^2 and a little, for normal differences; the rest is their shape.
    assert found.needed == pytest.approx(((1.959964 + 0.841621) / size) ** 2, rel=0.05)
    assert one(np.tile([0.5, -0.5], 20)).needed is None  # a mean of 0 is decided by no number
    near = one(np.tile([0.5, -0.5], 20), 0.05)
    # Two one-sided tests at mean 0: ((1.96 + 1.28) s / margin)^2, with s = 0.506.
    assert near.needed == pytest.approx(((1.959964 + 1.281552) * 0.5064 / 0.05) ** 2, rel=0.01)
