"""Draws: one seeded stream of random words per data set, the same on every machine and in every language.

NumPy does not promise that its streams stay the same from version to version, and a web page cannot run them.
This generator is a counter put twice through a 32-bit mixing function (the finaliser of MurmurHash3, Appleby
2011; a counter-based generator in the sense of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
SC 2011), so any word can be computed from its number alone, with 32-bit products only.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np
import numpy.typing as npt

DRAWS = 2000
"""Resamples of the queries that every interval of a data set is read from."""

Words = npt.NDArray[np.uint32]
Counts = npt.NDArray[np.uint16]
STEP = 0x9E3779B9
"""2^32 divided by the golden ratio, odd: multiples of it fill the 32-bit words evenly."""


def seed_of(fingerprint: str) -> int:
    """The 64-bit seed of a data set: the first 8 bytes of the SHA-256 of its fingerprint, big-endian."""
    return int.from_bytes(hashlib.sha256(fingerprint.encode()).digest()[:8], "big")


def words(seed: int, stream: int, first: int, count: int) -> Words:
    """Words `first` … `first + count - 1` of a stream of a seed, shape (count,), uniform on 0 … 2^32 - 1.

    Word i is mix(mix(i * STEP + low) ^ (high + stream * STEP)), where low and high are the halves of the
    seed.

    Args:
        seed: 64 bits, of `seed_of`.
        stream: what the words are for: one stream never shares its numbers with another.
        first: number of the first word.
        count: how many words.
    """
    low, high = seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF
    numbers = np.arange(first, first + count, dtype=np.uint64) * np.uint64(STEP) + np.uint64(low)
    key = np.uint32((high + stream * STEP) & 0xFFFFFFFF)
    return _mix(_mix(numbers.astype(np.uint32)) ^ key)


def _mix(word: Words) -> Words:
    """A bijection of the 32-bit words in which every bit of the input moves every bit of the output."""
    word = (word ^ (word >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    word = (word ^ (word >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return word ^ (word >> np.uint32(16))


@lru_cache(maxsize=4)
def resamples(units: int, seed: int, draws: int = DRAWS) -> Counts:
    """How often each unit (a query, or a cluster of queries) is drawn in each resample, shape (draws, units).

    Each row sums to `units`. Pick j of resample r is unit `word * units >> 32`, where the word has the number
    `r * units + j` in stream 0. There is one such matrix per data set and kind of unit, so any two runs are
    compared over the same resamples, and a difference of differences is consistent with both. It is kept, and
    read-only.
    """
    out = np.empty((draws, units), np.uint16)
    rows = max(1, (1 << 22) // max(1, units))  # 32 MB of picks at a time
    for start in range(0, draws, rows):
        some = min(rows, draws - start)
        picks = words(seed, 0, start * units, some * units).astype(np.uint64) * np.uint64(units) >> np.uint64(
            32
        )
        places = picks.astype(np.int64) + np.repeat(np.arange(some) * units, units)
        out[start : start + some] = np.bincount(places, minlength=some * units).reshape(some, units)
    out.flags.writeable = False
    return out


def flips(units: int, seed: int, first: int, count: int) -> npt.NDArray[np.float64]:
    """Patterns `first` … of which units are flipped (1.0) and which are not (0.0), shape (count, units).

    Unit j of pattern r is bit j % 32 (from the least) of word `r * ceil(units / 32) + j // 32` in stream 1.
    """
    wide = -(-units // 32)
    stream = words(seed, 1, first * wide, count * wide).astype("<u4").reshape(count, wide)
    bits = np.unpackbits(stream.view(np.uint8), axis=1, bitorder="little", count=units)
    return bits.astype(np.float64)
