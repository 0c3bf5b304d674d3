"""Winner: shares add up, ties share, and only a run that is shown to beat every other is named."""

from __future__ import annotations

import numpy as np
import pytest

from runner.statistics.draws import resamples
from runner.statistics.winner import winner

SEED = 99


def test_far_ahead_is_named() -> None:
    draw = np.random.default_rng(1)
    scores = draw.normal(0, 0.1, (50, 3)) + np.array([0.0, 0.5, 0.2])
    found = winner(scores, SEED)
    assert (found.n, found.named, found.together) == (50, 1, (1,))
    assert found.shares == (0.0, 1.0, 0.0)


def test_equal_runs_share() -> None:
    scores = np.tile(np.random.default_rng(2).random((40, 1)), (1, 4))
    found = winner(scores, SEED)
    assert found.shares == (0.25,) * 4
    assert (found.named, found.together) == (None, (0, 1, 2, 3))


def test_twins_ahead_of_a_third() -> None:
    better = np.random.default_rng(3).random(40)
    found = winner(np.stack([better - 1, better, better], 1), SEED)
    assert found.shares == (0.0, 0.5, 0.5)
    assert (found.named, found.together) == (None, (1, 2))


def test_shares_are_those_of_the_resamples() -> None:
    scores = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    right = np.zeros(3)
    for counts in resamples(3, SEED).tolist():
        best = [i for i in range(3) if counts[i] == max(counts)]
        right[best] += 1 / len(best)
    assert winner(scores, SEED).shares == pytest.approx(right / 2000, abs=1e-12)


def test_first_in_most_resamples_is_not_enough() -> None:
    """Five wins and no loss: first in all resamples but those without any of the five, but p = 2 / 32."""
    one = np.zeros(30)
    one[:5] = 0.1
    found = winner(np.stack([np.zeros(30), one], 1), SEED)
    assert found.shares[1] > 0.9
    assert (found.named, found.together) == (None, (1, 0))


def test_missing_clusters_and_few() -> None:
    draw = np.random.default_rng(4)
    scores = draw.normal(0, 0.1, (60, 2)) + np.array([0.3, 0.0])
    scores[7, 1] = np.nan
    assert winner(scores, SEED).n == 59
    assert winner(scores, SEED, np.repeat(np.arange(20), 3)).named == 0
    assert winner(scores, SEED, np.repeat(np.arange(3), 20)).named is None  # three clusters cannot show it
    assert winner(scores[:, :1], SEED).named == 0
    assert winner(np.full((4, 2), np.nan), SEED).together == (0, 1)


@pytest.mark.parametrize("seed", range(20))
def test_laws(seed: int) -> None:
    draw = np.random.default_rng(seed)
    k = int(draw.integers(2, 8))
    scores = draw.choice([0, 0.5, 1], (int(draw.integers(1, 40)), k)) + draw.normal(0, 0.1, k)
    found = winner(scores, SEED)
    assert sum(found.shares) == pytest.approx(1)
    assert (found.named is not None) == (len(found.together) == 1)
    assert sum(found.shares[i] for i in found.together) >= 0.9 - 1e-9
    assert found.shares[found.together[0]] == max(found.shares)
    order = draw.permutation(k)
    assert winner(scores[:, order], SEED).shares == pytest.approx([found.shares[i] for i in order])
