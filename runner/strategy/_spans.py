"""Arithmetic on spans that several strategies share: windows of tokens, trimming, nested pieces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runner.sentences import trim
from runner.strategy.contract import Span
from runner.text import is_blank
from runner.tokenizer.contract import Ints, Tokens


def check_window(size: int, overlap: int) -> None:
    """Refuse a window that would never advance; one message that names both knobs.

    Raises:
        ValueError: `size` is not above 0, or `overlap` is not in 0 … size - 1.
    """
    if not 0 <= overlap < size:
        raise ValueError(
            f"overlap must be 0 or more and smaller than size, or the window never advances"
            f" (got size {size}, overlap {overlap})"
        )


def token_windows(text: str, tokens: Tokens, size: int, overlap: int) -> list[Span]:
    """Windows of `size` tokens of `text`, cut where tokens start; see `windows`.

    Blank text has none; text that is not blank but has no token is one piece.
    """
    if is_blank(text):
        return []
    return windows(tokens.offsets(text)[:, 0], len(text), size, overlap) or [(0, len(text))]


def windows(starts: Ints, length: int, size: int, overlap: int) -> list[Span]:
    """Windows of `size` units that advance by `size - overlap`; one that reaches the end is the last.

    Window k holds the units k·(size - overlap) … + size and runs from where its first unit starts to where
    the unit after it starts; the first begins at 0 and the last ends at `length`. So with overlap 0 they tile
    the text. Units that start at one place (bytes of one character) belong together: a boundary between them
    moves to the next start.

    Args:
        starts: shape (n,), where each unit starts, ascending.
        length: of the text.
        size: units in a window.
        overlap: units shared with the window before.
    """
    n = len(starts)
    if n == 0:
        return []
    whole = np.append(True, np.diff(starts) > 0)
    cuts = np.append(np.minimum(starts, length), length)
    cuts[0] = 0
    boundary = np.append(np.where(whole, np.arange(n), n), n)
    cuts = cuts[np.minimum.accumulate(boundary[::-1])[::-1]]
    stride = size - overlap
    first = np.arange(max(0, -(-(n - size) // stride)) + 1) * stride
    found = zip(cuts[first].tolist(), cuts[np.minimum(first + size, n)].tolist(), strict=True)
    return distinct([(start, end) for start, end in found if start < end])


def distinct(spans: Sequence[Span]) -> list[Span]:
    """`spans` (starts and ends never go back) without those wholly inside the one before or after."""
    out: list[Span] = []
    for start, end in spans:
        if out and end <= out[-1][1]:
            continue
        if out and start == out[-1][0]:
            out.pop()
        out.append((start, end))
    return out


def trimmed_windows(text: str, span: Span, tokens: Tokens, size: int) -> list[Span]:
    """The span, in windows of `size` of its tokens where it has more, without white space at their ends."""
    start, end = span
    cut = token_windows(text[start:end], tokens, size, 0)
    trimmed = (trim(text, start + s, start + e) for s, e in cut)
    return [(s, e) for s, e in trimmed if s < e]
