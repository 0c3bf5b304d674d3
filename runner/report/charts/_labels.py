"""Labels on the data: how wide a text is, and where it fits without touching another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

_NARROW = frozenset("ijlIftr.,;:'|!()[]/ \u00b1")
_WIDE = frozenset("mwMW@%\u2014\u2026")
_NARROW_PX, _PLAIN_PX, _CAPITAL_PX, _WIDE_PX, _IDEOGRAPH_PX = 5.5, 7.6, 9.6, 12.0, 12.6
_ASCENT, _DESCENT = 10.0, 3.5
"""Of 12 px text, above and below its baseline."""
_PLACES = (
    (8, -8, ""), (-8, -8, "e"), (9, 16, ""), (-9, 16, "e"), (9, 4, ""), (-9, 4, "e"), (9, 28, ""),
    (-9, -20, "e"),
)  # fmt: skip
"""Where a label may stand beside its point, best first: offset of its baseline's start (`e`: end)."""


class Box(NamedTuple):
    """A rectangle in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether the two share more than an edge."""
        return (
            self.left < other.right
            and self.right > other.left
            and self.top < other.bottom
            and self.bottom > other.top
        )


class Label(NamedTuple):
    """A text at its place."""

    x: float
    y: float
    words: str
    end: bool
    """Whether it ends at x."""

    @property
    def box(self) -> Box:
        """What it covers."""
        return _box(self.x, self.y, width(self.words), end=self.end)


def width(words: str) -> float:
    """Pixels of a text at 12 px and weight 600, at most: an upper bound over the fonts of the style sheet."""
    return sum(map(_advance, words))


def _advance(char: str) -> float:
    if char in _NARROW:
        return _NARROW_PX
    if char in _WIDE:
        return _WIDE_PX
    if ord(char) >= 0x1100:  # from Hangul on, scripts with letters as wide as they are high
        return _IDEOGRAPH_PX
    return _CAPITAL_PX if char.isupper() else _PLAIN_PX


def _box(x: float, y: float, wide: float, *, end: bool) -> Box:
    left = x - wide if end else x
    return Box(left, y - _ASCENT, left + wide, y + _DESCENT)


def place(
    anchors: Iterable[tuple[float, float, str]], frame: Box, taken: Sequence[Box], soft: Sequence[Box] = ()
) -> list[Label | None]:
    """Labels for the anchors `(x, y, words)` in their order, None where one fits nowhere.

    Args:
        anchors: the points, most important first.
        frame: labels stay inside.
        taken: what no label may cover.
        soft: what a label covers only if it fits nowhere else, such as a line.
    """
    hard = list(taken)
    out: list[Label | None] = []
    for x, y, words in anchors:
        wide = width(words)
        spots = [Label(x + dx, y + dy, words, end=bool(end)) for dx, dy, end in _PLACES]
        boxes = [_box(s.x, s.y, wide, end=s.end) for s in spots]
        free = [i for i, b in enumerate(boxes) if _inside(b, frame) and not any(map(b.meets, hard))]
        found = next((i for i in free if not any(map(boxes[i].meets, soft))), free[0] if free else None)
        if found is not None:
            hard.append(boxes[found])
        out.append(None if found is None else spots[found])
    return out


def _inside(box: Box, frame: Box) -> bool:
    return (
        box.left >= frame.left
        and box.right <= frame.right
        and box.top >= frame.top
        and box.bottom <= frame.bottom
    )


def spread(heights: Sequence[float], gap: float, bottom: float) -> list[float]:
    """Heights moved apart until neighbors have a gap: down first, then up from the bottom."""
    order = sorted(range(len(heights)), key=lambda i: (heights[i], i))
    out = list(heights)
    for above, i in pairwise(order):
        out[i] = max(out[i], out[above] + gap)
    limit = bottom
    for i in reversed(order):
        out[i] = min(out[i], limit)
        limit = out[i] - gap
    return out
