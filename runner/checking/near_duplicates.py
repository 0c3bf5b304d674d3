"""Near duplicates: where else a corpus repeats a passage nearly word for word.

A passage is repeated where at least `SHARE` of its distinct runs of `RUN` words (its shingles; Broder 1997)
stand within a stretch `SLACK` times as long. Case and punctuation do not count; passages under `LEAST` words
are not looked for, since a name or a number recurs without being repeated.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

RUN = 3
SHARE = 0.8
SLACK = 1.25
LEAST = 8
MOST = 100
"""Repeats of one passage that are listed; boilerplate has thousands."""

_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_IDEOGRAPHS}]|[^\W{_IDEOGRAPHS}]+")
"""Scripts without spaces count each character as a word."""
_MIX = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
"""Odd 64-bit constants: a shingle's key is the sum of its word numbers times these, modulo 2^64."""

Ints = npt.NDArray[np.int64]
Passage = tuple[int, int, int]
"""Text number and `[start, end)` in its code points."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A stretch of a text that repeats a passage."""

    text: int
    start: int
    end: int
    share: float
    """Of the passage's shingles."""


class Shingles:
    """The words of all texts in a row, and where each shingle stands."""

    def __init__(self, texts: Sequence[str]) -> None:
        numbers: dict[str, int] = {}
        words, starts, ends, sizes = array("q"), array("q"), array("q"), array("q", [0])
        for text in texts:
            for m in _WORD.finditer(text):
                words.append(numbers.setdefault(m[0].casefold(), len(numbers)))
                starts.append(m.start())
                ends.append(m.end())
            sizes.append(len(words))
        self._starts, self._ends = (np.array(a, np.int64) for a in (starts, ends))
        self._bounds: Ints = np.array(sizes, np.int64)
        ids = np.array(words, np.uint64)
        count = max(len(ids) - RUN + 1, 0)
        keys = np.zeros(count, np.uint64)
        for i, factor in enumerate(_MIX):
            keys += ids[i : i + count] * np.uint64(factor)
        self._keys = keys
        # A shingle may not reach over the end of its text.
        whole = np.ones(count, np.bool_)
        for bound in self._bounds[1:-1]:
            whole[max(bound - RUN + 1, 0) : bound] = False
        at = np.flatnonzero(whole)
        self._order: Ints = at[np.argsort(keys[at], kind="stable")]
        self._sorted = keys[self._order]

    def words(self, passage: Passage) -> tuple[int, int]:
        """The words that lie in a passage, as `[first, last)` in the row of all words."""
        text, start, end = passage
        low, high = self._bounds[text], self._bounds[text + 1]
        first = low + np.searchsorted(self._starts[low:high], start)
        last = low + np.searchsorted(self._ends[low:high], end, side="right")
        return int(first), int(max(first, last))

    def repeats(self, passage: Passage, known: Iterable[Passage] = ()) -> list[Repeat] | None:
        """Where a passage is repeated, in order of the texts, outside it and the `known` passages.

        Returns:
            At most `MOST` stretches that do not overlap; None for a passage too short to look for.
        """
        first, last = self.words(passage)
        if last - first < LEAST:
            return None
        keys = np.unique(self._keys[first : last - RUN + 1])
        at, which = self._places(keys)
        for own_first, own_last in ((first, last), *map(self.words, known)):
            away = (at + RUN <= own_first) | (at >= own_last)
            at, which = at[away], which[away]
        order = np.argsort(at, kind="stable")
        return self._stretches(at[order], which[order], len(keys), int((last - first) * SLACK))

    def _places(self, keys: npt.NDArray[np.uint64]) -> tuple[Ints, Ints]:
        """Every place of every key, and which key it is."""
        low = np.searchsorted(self._sorted, keys, side="left")
        sizes = np.searchsorted(self._sorted, keys, side="right") - low
        which = np.repeat(np.arange(len(keys)), sizes)
        inside = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return self._order[np.repeat(low, sizes) + inside], which

    def _stretches(self, at: Ints, which: Ints, wanted: int, length: int) -> list[Repeat]:
        need = int(np.ceil(SHARE * wanted))
        text_of = np.searchsorted(self._bounds, at, side="right") - 1
        stop = np.minimum(at + length - RUN + 1, self._bounds[text_of + 1])
        until = np.searchsorted(at, stop)
        out: list[Repeat] = []
        free = 0  # the first word after the last stretch
        for i in np.flatnonzero(
            until - np.arange(len(at)) >= need
        ):  # repeats within count too: at least that many
            if at[i] < free or len(out) == MOST:
                continue
            here, first_seen = np.unique(which[i : until[i]], return_index=True)
            if len(here) >= need:
                free = int(at[i + first_seen.max()]) + RUN  # what comes after it is seen already
                span = int(self._starts[at[i]]), int(self._ends[free - 1])
                out.append(Repeat(int(text_of[i]), *span, len(here) / wanted))
        return out
