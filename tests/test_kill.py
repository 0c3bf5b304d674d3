"""A sweep killed at any moment and started again ends with the bytes of one that nobody disturbed."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from kill_sweep import SWEEP, differences, killed, leftovers, recorded, undisturbed

WORDS = ("embedding=hashing", *SWEEP)
KILLS = 4


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    """Where the sweep ran undisturbed, and the seconds it took."""
    at = tmp_path_factory.mktemp("calm")
    seconds = undisturbed(at, WORDS)
    assert len(recorded(at)) == 6 * 8
    return at, seconds


@pytest.mark.slow
def test_killed_and_started_again(calm: tuple[Path, float], tmp_path: Path) -> None:
    """Longer by hand: python tests/kill_sweep.py --times 20."""
    at, seconds = calm
    moments = random.Random(7)
    kills = rounds = 0
    while kills < KILLS and rounds < KILLS:  # a round may end before its moment has come
        here = tmp_path / str(rounds)
        kills += killed(here, WORDS, moments, seconds, KILLS - kills)
        rounds += 1
        assert differences(at, here) == []
        assert leftovers(here) == []
    assert kills > 0


@pytest.mark.slow
def test_a_store_that_others_filled_changes_no_byte(calm: tuple[Path, float], tmp_path: Path) -> None:
    at, _ = calm
    other = ["embedding=hashing", "tokenizer=words", "tracking=off", "-m", "strategy.size=50,200", "top_k=3"]
    undisturbed(tmp_path, [*other, "reranker=none,overlap"])
    shutil.rmtree(tmp_path / "outputs" / "runs")
    undisturbed(tmp_path, WORDS)
    assert differences(at, tmp_path) == []
