"""`dbsf`: where a score stands between mean - 3 sd and mean + 3 sd of its leg."""

from __future__ import annotations

from math import sqrt

import pytest
from fusion.cases import normalized, scores

from runner.fusion.dbsf import DBSF


def test_mean_and_three_deviations_of_a_sample() -> None:
    """2, 4, 9: mean 5, squared deviations 9 + 1 + 16, divided by n - 1 = 2: 13."""
    sd = sqrt(13)
    low, high = 5 - 3 * sd, 5 + 3 * sd
    right = [(s - low) / (high - low) for s in (2.0, 4.0, 9.0)]
    got = normalized(DBSF(), "b", v={9: 0.5}, b={0: 2.0, 1: 4.0, 2: 9.0})
    assert got == [*(pytest.approx(x, abs=1e-12) for x in right), None]


def test_the_sum() -> None:
    """Two hits stand 1/√2 sample deviations from their mean, whatever they are."""
    step = 1 / sqrt(2) / 6
    got = scores(DBSF(), v={1: 0.9, 2: 0.1}, b={2: 30.0, 3: 10.0})
    right = {2: (0.5 - step) + (0.5 + step), 1: 0.5 + step, 3: 0.5 - step}
    assert got == {c: pytest.approx(s, abs=1e-12) for c, s in right.items()}
    assert list(got) == [2, 1, 3]


@pytest.mark.parametrize("found", [[7.0], [0.1, 0.1, 0.1], [0.0, 0.0], [-2.0]])
def test_a_lone_hit_and_equal_scores_are_their_own_mean(found: list[float]) -> None:
    got = normalized(DBSF(), "b", v={99: 0.5}, b=dict(enumerate(found)))
    assert got == [*[0.5] * len(found), None]


def test_an_outlier_is_cut_off_at_three_deviations() -> None:
    """One of 21 stands 20/√21 = 4.36 deviations above the mean."""
    got = normalized(DBSF(), "b", v={99: 0.5}, b={**dict.fromkeys(range(20), 1.0), 20: 100.0})
    assert got[20] == 1.0
    assert got[0] == pytest.approx(0.5 - 1 / sqrt(21) / 6)


def test_ceiling_and_formula() -> None:
    assert DBSF().ceiling(["a", "b", "c"]) == 3.0
    assert DBSF().formula() == "sum(mean±3sd)/v1"
    DBSF().check(["a", "b", "c"])
