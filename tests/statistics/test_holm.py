"""Holm: equal to statsmodels, and p against its level says the same as corrected p against alpha."""

from __future__ import annotations

import numpy as np
import pytest

from runner.statistics.holm import holm, levels

# statsmodels 0.15.0: multipletests(p, method="holm")[1]
STATSMODELS = [
    ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
    ([0.02, 0.02, 0.02, 0.9], [0.08, 0.08, 0.08, 0.9]),
    ([1.0], [1.0]),
    ([0.05, 0.05], [0.1, 0.1]),
    # The 25 p-values of Benjamini and Hochberg's procedure as it is usually taught, smallest first.
    (
        [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216, 0.222, 0.251, 0.269, 0.275,
         0.34, 0.341, 0.384, 0.569, 0.594, 0.696, 0.762, 0.94, 0.942, 0.975, 0.986],
        [0.025, 0.192, 0.897, 0.902, 0.902, *[1.0] * 20],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("p", "corrected"), STATSMODELS)
def test_as_statsmodels(p: list[float], corrected: list[float]) -> None:
    assert holm(np.array(p)) == pytest.approx(corrected, abs=1e-12)


def test_by_hand() -> None:
    """Rising: 0.005 * 4, 0.01 * 3, 0.03 * 2, then 0.04 * 1, which may not fall below 0.06."""
    assert holm(np.array([0.04, 0.005, 0.03, 0.01])).tolist() == [0.03 * 2, 0.005 * 4, 0.03 * 2, 0.01 * 3]


def test_levels_by_hand() -> None:
    """0.005 <= 0.05 / 4, 0.01 <= 0.05 / 3, 0.03 > 0.05 / 2: stop; 0.04 stands against 0.05 / 2 too."""
    assert levels(np.array([0.04, 0.005, 0.03, 0.01]), 0.05).tolist() == [
        0.05 / 2,
        0.05 / 4,
        0.05 / 2,
        0.05 / 3,
    ]
    assert levels(np.array([0.001, 0.001]), 0.05).tolist() == [0.025, 0.025]  # equal p, equal level
    assert levels(np.array([0.9]), 0.05).tolist() == [0.05]


def test_no_comparison() -> None:
    assert holm(np.array([])).tolist() == []
    assert levels(np.array([]), 0.05).tolist() == []


def test_level_and_corrected_p_agree() -> None:
    draw = np.random.default_rng(3)
    for _ in range(300):
        m = int(draw.integers(1, 30))
        p = np.maximum(draw.integers(0, 1 << 16, m), 1) / 2**16 * draw.choice([1, 0.05])
        p = draw.choice(p, m)  # ties
        assert np.array_equal(holm(p) <= 0.05, p <= levels(p, 0.05))
        assert (holm(p) >= p).all()
        order = draw.permutation(m)
        assert np.array_equal(holm(p)[order], holm(p[order]))
        assert np.array_equal(levels(p, 0.05)[order], levels(p[order], 0.05))
