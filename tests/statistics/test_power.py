"""Power: sample sizes as the noncentral t, the textbook formula and tests of equivalence have them."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from scipy import stats

from runner.statistics.power import MOST, Effect, decided, detectable, fewest, needed


def exact(n: int, size: float, alpha: float) -> float:
    """Power of the two-sided paired t test for normal differences, by the noncentral t distribution."""
    edge = stats.t.ppf(1 - alpha / 2, n - 1)
    return float(
        stats.nct.sf(edge, n - 1, size * math.sqrt(n)) + stats.nct.cdf(-edge, n - 1, size * math.sqrt(n))
    )


# Paired t test, two-sided, alpha 0.05, power 0.80: the sample sizes that G*Power 3.1 prints.
@pytest.mark.parametrize(("size", "n"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_published_sample_sizes(size: float, n: int) -> None:
    assert needed(Effect(size, 1.0), 0.05) in {n - 1, n}


@pytest.mark.parametrize("alpha", [0.05, 0.005])
@pytest.mark.parametrize("size", [0.05, 0.1, 0.3, 0.5, 0.8])
def test_near_the_noncentral_t(size: float, alpha: float) -> None:
    n = needed(Effect(size, 1.0), alpha)
    assert n is not None
    assert exact(n, size, alpha) == pytest.approx(0.8, abs=0.015)
    assert decided(n, Effect(size, 1.0), alpha) >= 0.8 > decided(n - 1, Effect(size, 1.0), alpha)


def test_the_textbook_formula_for_small_effects() -> None:
    """((1.959964 + 0.841621) / 0.02)^2 = 19,622.2."""
    assert needed(Effect(0.006, 0.3), 0.05) == pytest.approx(((1.959964 + 0.841621) / 0.02) ** 2, rel=1e-3)


def test_only_the_ratio_and_the_direction_of_the_shape_count() -> None:
    assert needed(Effect(0.3, 1), 0.05) == needed(Effect(30, 100), 0.05) == needed(Effect(-0.3, 1), 0.05)
    along, against = Effect(0.3, 1, 1.0, 4.0), Effect(-0.3, 1, -1.0, 4.0)
    assert needed(along, 0.05) == needed(against, 0.05)
    assert needed(Effect(-0.3, 1, 1.0, 4.0), 0.05) != needed(against, 0.05)


def test_moments_of_t_by_hand() -> None:
    """Size 0.5, skewness 1, kurtosis 5, n 64: mean 4 (1 + 12 / 512) - 1 / 16, variance 1 - 0.5 + 0.25."""
    edge = stats.t.ppf(0.975, 63)
    right = stats.norm.cdf((4 * (1 + 12 / 512) - 1 / 16 - edge) / math.sqrt(0.75))
    assert decided(64, Effect(0.5, 1, 1.0, 5.0), 0.05) == pytest.approx(right, abs=1e-12)


def test_equivalence() -> None:
    """At mean 0: ((1.959964 + 1.281552) / 0.1)^2 = 1,050.7; each of two one-sided tests may fail in 10 %."""
    assert needed(Effect(0, 1), 0.05, margin=0.1) == pytest.approx(1050.7, rel=0.01)
    assert needed(Effect(0, 1), 0.05) is None
    inside, beyond = (needed(Effect(m, 1), 0.05, margin=0.1) for m in (0.02, 0.3))
    assert inside is not None
    assert 1000 < inside < 1200  # fewer would be equivalent, but `better` is right too
    assert beyond == needed(Effect(0.3, 1), 0.05)  # the margin does not help what lies outside it


@pytest.mark.parametrize("effect", [Effect(0.05, 1), Effect(0.0, 1), Effect(0.2, 1, 1.5, 9)])
def test_more_queries_decide_more(effect: Effect) -> None:
    power = [decided(n, effect, 0.05, 0.1) for n in range(10, 4000, 10)]
    assert all(a <= b + 1e-12 for a, b in pairwise(power))
    assert power[-1] > 0.99


def test_limits() -> None:
    assert [fewest(a) for a in (0.05, 0.0625, 0.005)] == [6, 5, 9]  # 2^-5 = 0.031, 2^-4, 2^-8 = 0.0039
    assert needed(Effect(5, 1), 0.05) == 6
    assert needed(Effect(1e-9, 1), 0.05) is None
    assert needed(Effect(0.1, 0), 0.05) == 6
    assert needed(Effect(0, 0), 0.05) is None
    assert MOST == 10_000_000


def test_detectable_is_the_inverse() -> None:
    """t(0.975; 99) = 1.984217, z(0.8) = 0.841621: (1.984217 + 0.841621) * 0.3 / 10."""
    assert detectable(100, 0.3, 0.05) == pytest.approx(0.0847751, abs=1e-7)
    for n in (50, 300, 5000):
        assert decided(n, Effect(detectable(n, 0.3, 0.05), 0.3), 0.05) == pytest.approx(0.8, abs=0.01)
