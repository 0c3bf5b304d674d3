"""Sign flips: exact values by hand and as SciPy has them, drawn ones near the exact, never 0, never NaN."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from runner.statistics.draws import flips
from runner.statistics.signflip import DRAWN, joint_p, p_values
from runner.statistics.units import units_of

SEED = 20240607


def p_of(differences: list[float] | np.ndarray, clusters: list[int] | None = None) -> float:
    groups = None if clusters is None else np.array(clusters)
    p, exact = p_values(units_of(np.array(differences, float)[:, None], groups), SEED)
    assert exact[0]
    return float(p[0])


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([0, 0, 0], 1.0),
        ([0.1, 0.1, 0.1], 2 / 8),
        ([0.5], 1.0),
        ([0.1, 0.2, 0.05, 0.15, 0.3], 2 / 32),
        ([1, 2, -1], 6 / 8),  # |1 + 2 - 1| = 2; sums of +-1 +-2 +-1: 4 2 2 0 and opposites: six reach 2
        ([0.3, -0.1, -0.2], 1.0),  # the sum is 0 but for rounding; every pattern reaches it
        ([5, 0, 0, 0, 0, 0, 0], 1.0),  # one query that differs has no say
        ([], 1.0),
    ],
)
def test_by_hand(differences: list[float], p: float) -> None:
    assert p_of(differences) == p


def test_as_scipy() -> None:
    draw = np.random.default_rng(1)
    for n in (2, 5, 9, 12):
        d = draw.normal(0.2, 1, n)
        right = stats.permutation_test(
            (d, np.zeros(n)),
            lambda x, y, axis: (x - y).mean(axis),
            vectorized=True,
            permutation_type="samples",
            n_resamples=np.inf,
        )
        assert p_of(d) == pytest.approx(right.pvalue, abs=1e-12)


def test_ties_do_not_matter_and_a_cluster_flips_as_one() -> None:
    assert p_of([0, 0.1, 0, 0.2, 0.05, 0.15, 0, 0.3]) == 2 / 32
    assert p_of([0.1, 0.2, 0.1, 0.2, 0.1], [0, 0, 1, 1, 2]) == 2 / 8
    assert p_of([0.1, -0.1, 0.5], [0, 0, 1]) == 1.0  # the first cluster's sum is 0


def test_17_units_are_drawn_and_near_the_exact_value() -> None:
    d = np.random.default_rng(5).normal(0.3, 1, 17)
    p, exact = p_values(units_of(d[:, None]), SEED)
    assert not exact[0]
    signs = np.array(list(product([1.0, -1.0], repeat=16)))
    right = np.mean(np.abs(d[0] + signs @ d[1:]) >= abs(d.sum()) - 1e-9)
    assert abs(p[0] - right) < 4 * np.sqrt(right * (1 - right) / DRAWN)


def test_drawn_is_b_plus_1_over_m_plus_1() -> None:
    d = np.random.default_rng(6).normal(0.1, 1, 40)
    signs = 1 - 2 * flips(40, SEED, 0, DRAWN)
    b = int((np.abs(signs @ d) >= abs(d.sum()) - 1e-9).sum())
    p, _ = p_values(units_of(d[:, None]), SEED)
    assert p[0] == (b + 1) / (DRAWN + 1) == (b + 1) / 2**16


def test_never_0_never_nan_and_columns_do_not_see_each_other() -> None:
    draw = np.random.default_rng(7)
    columns = np.stack([np.full(60, 0.1), np.zeros(60), draw.normal(3, 0.1, 60), draw.normal(0, 1, 60)], 1)
    columns[0, 3] = np.nan
    p, exact = p_values(units_of(columns), SEED)
    assert p[[0, 2]].tolist() == [1 / 2**16] * 2
    assert p[1] == 1
    assert exact.tolist() == [False, True, False, False]
    for i in range(4):
        assert p_values(units_of(columns[:, [i]]), SEED)[0][0] == p[i]


def test_the_sign_of_all_and_their_scale_do_not_matter() -> None:
    d = np.random.default_rng(8).normal(0.2, 1, (50, 6))
    p, _ = p_values(units_of(d), SEED)
    assert np.array_equal(p, p_values(units_of(-d), SEED)[0])
    assert np.array_equal(p, p_values(units_of(d * 1000), SEED)[0])


def test_joint_by_hand() -> None:
    """(1, 0), (1, 2): sums (2, 2), 8; with one sign changed (0, -2) or (0, 2), 4. Two of four reach 8."""
    assert joint_p(units_of(np.array([[1.0, 0], [1, 2]])), SEED) == (0.5, True)
    assert joint_p(units_of(np.zeros((3, 2))), SEED) == (1.0, True)


def test_joint_of_one_column_is_the_plain_test() -> None:
    draw = np.random.default_rng(9)
    for n in (1, 6, 16, 40):
        units = units_of(draw.normal(0.3, 1, (n, 1)))
        p, exact = p_values(units, SEED)
        assert joint_p(units, SEED) == (p[0], exact[0])
