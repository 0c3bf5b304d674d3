"""Calibration, shortened: tests, intervals, winners and needed queries are right as often as they say.

`tests/bench/calibration.py` is the long version, and prints what these assert. The bounds are the promise and
three standard errors of the number of trials; everything is seeded, so a result is the same every time.
"""

from __future__ import annotations

import numpy as np
import pytest
import simulation as sim

POOL = sim.fixture()


@pytest.mark.parametrize("how", [sim.aa_swapped, sim.aa_tilted])
@pytest.mark.parametrize(("n", "trials"), [(50, 800), (150, 800)])
def test_equal_runs_are_told_apart_in_5_percent(how: sim.Null, n: int, trials: int) -> None:
    share = sim.false_alarms(how, POOL, n, 1, trials, np.random.default_rng(n))
    assert share <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / trials)
    assert share > 0.02  # and it is no test that never rejects


@pytest.mark.parametrize("n", [50, 150])
def test_a_family_of_ten_equal_runs_in_5_percent(n: int) -> None:
    share = sim.false_alarms(sim.aa_swapped, POOL, n, 10, 300, np.random.default_rng(n))
    assert share <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)


def test_queries_of_one_document_are_no_independent_evidence() -> None:
    shares = [
        sim.clustered_false_alarms(POOL, 150, 600, np.random.default_rng(1), clustered=clustered)
        for clustered in (True, False)
    ]
    assert shares[0] <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 600) < shares[1]


@pytest.mark.parametrize("n", [100, 250])
def test_intervals_cover(n: int) -> None:
    assert 0.93 <= sim.covered(POOL, n, 1500, np.random.default_rng(n)) <= 0.97


@pytest.mark.slow
def test_the_needed_queries_have_the_power_they_promise() -> None:
    found = sim.powers(POOL, 8, 400, np.random.default_rng(1))
    assert 0.76 <= np.mean([power for _, power in found]) <= 0.84
    assert all(0.72 < power < 0.88 for _, power in found)  # each within 0.76 … 0.84 and two standard errors


@pytest.mark.slow
def test_a_named_winner_is_the_best() -> None:
    draw = np.random.default_rng(1)
    tries = [sim.naming(POOL, 300, draw) for _ in range(120)]
    right = [t.right for t in tries if t.named]
    assert len(right) >= 15
    assert np.mean(right) >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / len(right))
    assert sum(not r for r in right) / len(tries) <= 0.025  # false names among all attempts
    assert np.mean([t.held for t in tries]) >= 0.95
