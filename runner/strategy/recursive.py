"""`recursive`: split at the coarsest separator, again where a part is too long, then merge what fits."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from runner.sentences import trim
from runner.strategy import _spans
from runner.strategy.contract import Span, SpanStrategy
from runner.tokenizer.contract import Tokens

SEPARATORS = ("\n\n", "\n", ".", "?", "!", " ", "")


class Recursive(SpanStrategy):
    """Recursive splitting as in LangChain and in Chroma's chunking study (2024), with offsets carried along.

    A separator stays at the start of the part after it. Parts shorter than `size` are merged from the left
    while their lengths add up to `size` or less, keeping parts of at most `overlap` in all from the piece
    before; longer parts are split at the next separators. White space at the ends of a piece is not part of
    it, and a piece that then lies wholly inside its neighbor is left out (LangChain keeps it). Nothing
    visible is lost.
    """

    version: ClassVar[int] = 1
    name: Literal["recursive"] = "recursive"
    size: int = 200
    """Greatest length of a piece, in tokens; above 0. A part that no separator can split may be longer."""
    overlap: int = 0
    """Greatest length that two pieces share, in tokens; 0 … size - 1."""
    separators: list[str] = Field(default_factory=lambda: list(SEPARATORS), min_length=1)
    """Coarsest first; the empty one stands for between any two characters."""
    special_tokens: int = Field(0, ge=0)
    """Tokens that the published lengths count on top of every text, even an empty one (2 for BERT models)."""

    @model_validator(mode="after")
    def _advances(self) -> Self:
        _spans.check_window(self.size, self.overlap)
        return self

    def spans(self, text: str, tokens: Tokens) -> list[Span]:
        """See `Strategy`. Lengths are counted for each part by itself, as published, and then added up."""
        lengths = _Lengths(tokens, self.special_tokens)
        pieces = self._split(text, (0, len(text)), self.separators, lengths)
        return _spans.distinct([(start, end) for start, end in pieces if start < end])

    def _split(self, text: str, span: Span, separators: Sequence[str], lengths: _Lengths) -> list[Span]:
        """The pieces of `text[start:end]`; an all-blank piece comes back empty."""
        start, end = span
        at = next((i for i, s in enumerate(separators) if text.find(s, start, end) >= 0), len(separators) - 1)
        finer = separators[at + 1 :]
        parts = _parts(text, start, end, separators[at])
        out: list[Span] = []
        short: list[tuple[Span, int]] = []
        for part, length in zip(parts, lengths.of([text[s:e] for s, e in parts]), strict=True):
            if length < self.size:
                short.append((part, length))
                continue
            out += self._merge(text, short)
            short = []
            out += self._split(text, part, finer, lengths) if finer else [trim(text, *part)]
        return out + self._merge(text, short)

    def _merge(self, text: str, parts: Sequence[tuple[Span, int]]) -> list[Span]:
        """Neighboring `parts` (span and length) joined into pieces of at most `size`."""
        out: list[Span] = []
        held: deque[tuple[Span, int]] = deque()
        # A join is the empty text, so it is as long as the special tokens: the published counts come out so.
        join = self.special_tokens
        total = 0
        for part, length in parts:
            if held and total + join + length > self.size:
                out.append(trim(text, held[0][0][0], held[-1][0][1]))
                # What is left may be shared with the next piece; parts without any token are not.
                while held and (total > self.overlap or total + join + length > self.size or not total):
                    total -= held.popleft()[1] + (join if held else 0)
            held.append((part, length))
            total += length + (join if len(held) > 1 else 0)
        return [*out, trim(text, held[0][0][0], held[-1][0][1])] if held else out


def _parts(text: str, start: int, end: int, separator: str) -> list[Span]:
    """`[start, end)` cut before every `separator`; between any two characters where that is empty."""
    if not separator:
        return [(i, i + 1) for i in range(start, end)]
    cuts = [start]
    at = text.find(separator, start, end)
    while at >= 0:
        cuts.append(at)
        at = text.find(separator, at + len(separator), end)
    return [(s, e) for s, e in zip(cuts, [*cuts[1:], end], strict=True) if s < e]


class _Lengths:
    """Lengths of texts in tokens, each distinct text counted once."""

    def __init__(self, tokens: Tokens, special: int) -> None:
        self._tokens = tokens
        self._special = special
        self._known: dict[str, int] = {}

    def of(self, texts: Sequence[str]) -> list[int]:
        """The length of each of `texts`, special tokens included."""
        new = [t for t in dict.fromkeys(texts) if t not in self._known]
        counted = self._tokens.counts(new).tolist() if new else []
        self._known.update((t, n + self._special) for t, n in zip(new, counted, strict=True))
        return [self._known[t] for t in texts]
