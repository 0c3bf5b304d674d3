"""Blocks into pieces of a size: short neighbors are merged, a long block is cut at finer and finer places."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from runner.sentences import sentences
from runner.strategy.contract import Span
from runner.tokenizer.contract import Tokens

Measure = Callable[[Sequence[Span]], list[int]]
"""The lengths of spans."""
_LINE = re.compile(r"(?:\r\n|\n|\r)+")
_WORD = re.compile(r"\s+")


def characters(spans: Sequence[Span]) -> list[int]:
    """Lengths in code points."""
    return [end - start for start, end in spans]


def in_tokens(text: str, tokens: Tokens) -> Measure:
    """Lengths in tokens, each span counted by itself: joined ones may count a token or two more or less."""
    return lambda spans: tokens.counts([text[s:e] for s, e in spans]).tolist() if spans else []


def packed(text: str, units: Sequence[tuple[Span, bool]], size: int, measure: Measure) -> list[Span]:
    """Pieces of about `size` at most, which tile what `units` tile.

    Args:
        text: of the document.
        units: neighboring spans, and whether each is made of lines (a list, a table, code); one that is
            longer than `size` is cut at ends of lines or of sentences, then between words, then anywhere.
        size: greatest length of a piece, the lengths of what is merged in it added up.
        measure: what length is.
    """
    parts: list[tuple[Span, int]] = []
    for (span, of_lines), length in zip(units, measure([s for s, _ in units]), strict=True):
        parts += [(span, length)] if length <= size else _cut(text, span, size, measure, int(not of_lines))
    out: list[Span] = []
    total = 0
    for (start, end), length in parts:
        if out and total + length <= size:
            out[-1] = (out[-1][0], end)
            total += length
        else:
            out.append((start, end))
            total = length
    return out


def _cut(text: str, span: Span, size: int, measure: Measure, level: int) -> list[tuple[Span, int]]:
    """Parts of a span that is too long, none above `size` (but for a single character), with lengths."""
    start, end = span
    if end - start == 1:
        return [(span, size)]
    cuts: list[int] = []
    while level < len(_LEVELS) and not cuts:
        cuts = [c for c in _LEVELS[level](text, start, end) if start < c < end]
        level += 1
    parts = list(pairwise([start, *(cuts or [(start + end) // 2]), end]))
    out: list[tuple[Span, int]] = []
    for part, length in zip(parts, measure(parts), strict=True):
        out += [(part, length)] if length <= size else _cut(text, part, size, measure, level)
    return out


def _after(pattern: re.Pattern[str]) -> Callable[[str, int, int], list[int]]:
    return lambda text, start, end: [m.end() for m in pattern.finditer(text, start, end)]


def _sentence_starts(text: str, start: int, end: int) -> list[int]:
    return [start + s for s, _ in sentences(text[start:end])]


_LEVELS: list[Callable[[str, int, int], list[int]]] = [_after(_LINE), _sentence_starts, _after(_WORD)]
"""Where a span may be cut, coarsest first; prose begins at the second."""
