"""Draws: the stream can be recomputed word by word, and resamples and flips are read from it."""

from __future__ import annotations

import numpy as np
from scipy import stats

from runner.statistics.draws import flips, resamples, seed_of, words

SEED = 0x0123456789ABCDEF


def mixed(word: int) -> int:
    word = ((word ^ word >> 16) * 0x85EBCA6B) & 0xFFFFFFFF
    word = ((word ^ word >> 13) * 0xC2B2AE35) & 0xFFFFFFFF
    return word ^ word >> 16


def word(seed: int, stream: int, number: int) -> int:
    low, high = seed & 0xFFFFFFFF, seed >> 32
    first = mixed((number * 0x9E3779B9 + low) & 0xFFFFFFFF)
    return mixed(first ^ (high + stream * 0x9E3779B9) & 0xFFFFFFFF)


def test_the_mixing_function_is_murmurhash3_s() -> None:
    """fmix32(1) of MurmurHash3 is 0x514E28B7, and it maps 0 to 0."""
    assert mixed(1) == 0x514E28B7
    assert mixed(0) == 0


def test_words_are_those_of_plain_integers() -> None:
    for stream in (0, 1):
        assert words(SEED, stream, 5, 4).tolist() == [word(SEED, stream, i) for i in range(5, 9)]
    assert words(SEED, 0, 0, 10)[5:].tolist() == words(SEED, 0, 5, 5).tolist()


def test_the_seed_is_the_start_of_the_sha_256() -> None:
    assert seed_of("abc") == 0xBA7816BF8F01CFEA  # SHA-256("abc") = ba7816bf 8f01cfea …, FIPS 180-4


def test_words_are_uniform() -> None:
    """Chi-square over 256 bins of the high and of the low byte, and between neighbours."""
    drawn = words(SEED, 0, 0, 1 << 16)
    for shift in (0, 8, 16, 24):
        assert stats.chisquare(np.bincount(drawn >> shift & 255, minlength=256)).pvalue > 1e-4
    pairs = (drawn[1:] >> 28 << 4) | drawn[:-1] >> 28
    assert stats.chisquare(np.bincount(pairs, minlength=256)).pvalue > 1e-4


def test_a_resample_counts_picks_of_the_stream() -> None:
    counts = resamples(3, SEED, 4)
    for r in range(4):
        picks = [word(SEED, 0, r * 3 + j) * 3 >> 32 for j in range(3)]
        assert counts[r].tolist() == [picks.count(unit) for unit in range(3)]
    assert (resamples(7, SEED, 50).sum(1) == 7).all()
    assert resamples(1, SEED, 5).tolist() == [[1]] * 5


def test_more_draws_begin_with_the_fewer() -> None:
    assert np.array_equal(resamples(11, SEED, 40)[:10], resamples(11, SEED, 10))


def test_units_are_drawn_alike_and_counts_are_binomial() -> None:
    counts = resamples(200, SEED, 2000)
    assert stats.chisquare(counts.sum(0)).pvalue > 1e-4
    # The count of a unit is Binomial(200, 1 / 200), with variance 1 - 1 / 200.
    assert abs(counts.var() - (1 - 1 / 200)) < 0.01


def test_a_pattern_is_the_bits_of_its_words() -> None:
    patterns = flips(40, SEED, 2, 3)  # 40 units: two words a pattern
    for row, number in enumerate(range(2, 5)):
        bits = [word(SEED, 1, number * 2 + j // 32) >> j % 32 & 1 for j in range(40)]
        assert patterns[row].tolist() == bits


def test_half_of_the_signs_are_flipped() -> None:
    patterns = flips(100, SEED, 0, 2000)
    assert abs(patterns.mean() - 0.5) < 4 * 0.5 / np.sqrt(200_000)
    apart = np.corrcoef(patterns.T) - np.eye(100)
    assert np.abs(apart).max() < 5.5 / np.sqrt(2000)
