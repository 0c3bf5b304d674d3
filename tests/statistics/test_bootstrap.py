"""Bootstrap: resampled means by hand, BCa intervals as SciPy has them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from runner.statistics.bootstrap import bca, resampled_means
from runner.statistics.draws import resamples
from runner.statistics.units import units_of

Floats = npt.NDArray[np.float64]
NAN = float("nan")


def scipy_interval(values: Floats, means: Floats, method: str, alpha: float) -> tuple[float, float]:
    """SciPy's interval from resamples that are given (`bootstrap_result`) and none of its own."""
    given = type("Given", (), {"bootstrap_distribution": means})()
    found = stats.bootstrap((values,), np.mean, n_resamples=0, bootstrap_result=given, method=method,
                            confidence_level=1 - alpha, vectorized=True)  # fmt: skip
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


def cases() -> list[Floats]:
    draw = np.random.default_rng(11)
    return [
        draw.normal(0.1, 0.3, 50),
        draw.exponential(1, 30),
        -draw.exponential(1, 200),
        draw.choice([0, 0, 0, 0.5, -0.25], 100),
        draw.beta(0.3, 0.3, 20),
    ]


@pytest.mark.parametrize("alpha", [0.05, 0.1])
@pytest.mark.parametrize("which", range(5))
def test_as_scipy(which: int, alpha: float) -> None:
    values = cases()[which]
    units = units_of(values[:, None])
    means = resampled_means(units, resamples(len(values), 77))
    right = scipy_interval(values, means[:, 0], "BCa", alpha)
    assert [float(e[0]) for e in bca(units, means, alpha)] == pytest.approx(right, abs=1e-12)


def test_resampled_means_by_hand() -> None:
    counts = np.array([[2, 1, 0], [0, 0, 3], [1, 1, 1]], np.uint16)
    units = units_of(np.array([[1.0, 1.0], [4, NAN], [7, 7]]))
    right = [[(2 * 1 + 4) / 3, 1.0], [7, 7], [(1 + 4 + 7) / 3, (1 + 7) / 2]]
    assert resampled_means(units, counts).tolist() == right


def test_clusters_by_hand_and_a_resample_without_a_value_repeats_the_mean() -> None:
    """Clusters {1, 2}, {6}; the second column has a value in the second cluster only."""
    units = units_of(np.array([[1.0, NAN], [2, NAN], [6, 5]]), np.array([0, 0, 1]))
    counts = np.array([[2, 0], [1, 1], [0, 2]], np.uint16)
    assert resampled_means(units, counts).tolist() == [[1.5, 5], [3, 5], [6, 5]]


def test_equal_values_have_the_interval_of_their_mean() -> None:
    units = units_of(np.full((9, 1), 0.1))
    low, high = bca(units, resampled_means(units, resamples(9, 1)), 0.05)
    assert low[0] == pytest.approx(0.1, abs=1e-15)
    assert high[0] == pytest.approx(0.1, abs=1e-15)


def test_nothing_is_nan() -> None:
    hard = np.zeros((40, 5))
    hard[0, 0], hard[:, 1], hard[1:, 2], hard[:, 3] = 1, 1e-9, 5, NAN
    units = units_of(hard)
    low, high = bca(units, resampled_means(units, resamples(40, 1)), 0.05)
    assert np.isfinite([low, high]).all()
    assert (low <= high).all()


def test_the_mirrored_values_have_the_mirrored_interval() -> None:
    values = np.stack([c[:20] for c in cases()], 1)
    counts = resamples(20, 5)
    one, other = units_of(values), units_of(-values)
    low, high = bca(one, resampled_means(one, counts), 0.05)
    turned = bca(other, resampled_means(other, counts), 0.05)
    assert turned[0] == pytest.approx(-high, abs=1e-12)
    assert turned[1] == pytest.approx(-low, abs=1e-12)
