"""`paragraph`: blocks between blank lines, as many to a piece as fit; a long one is cut at its sentences."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import ClassVar, Literal

from pydantic import Field

from runner.sentences import sentences, trim
from runner.strategy import _spans
from runner.strategy._groups import groups
from runner.strategy.contract import Span, SpanStrategy
from runner.tokenizer.contract import Tokens

_BREAK = re.compile(r"(?>\r\n|\n|\r)(?:[^\S\r\n]*(?>\r\n|\n|\r))+")
"""One or more blank lines, and the end of the line before them; atomic, or a CR LF would be two."""


class Paragraph(SpanStrategy):
    """Paragraphs in order, joined from the left while both limits hold; white space between is in no piece.

    A paragraph of more than `max_tokens` is cut into groups of its sentences, a sentence of more into windows
    of its tokens; those share no piece with the paragraphs beside them.
    """

    version: ClassVar[int] = 1
    name: Literal["paragraph"] = "paragraph"
    paragraphs: int = Field(0, ge=0)
    """Paragraphs in a piece at most; 0: as many as `max_tokens` allows."""
    max_tokens: int = Field(256, gt=0)
    """Tokens in a piece at most."""

    def spans(self, text: str, tokens: Tokens) -> list[Span]:
        """See `Strategy`."""
        out: list[Span] = []
        for group in groups(text, paragraphs(text), tokens, self.paragraphs, self.max_tokens):
            out += self._within(text, group[0], tokens) if len(group) == 1 else [(group[0][0], group[-1][1])]
        return out

    def _within(self, text: str, paragraph: Span, tokens: Tokens) -> list[Span]:
        """The paragraph, or groups of its sentences where it is too long."""
        start, end = paragraph
        if tokens.counts([text[start:end]])[0] <= self.max_tokens:
            return [paragraph]
        found = [(start + s, start + e) for s, e in sentences(text[start:end])]
        out: list[Span] = []
        for group in groups(text, found, tokens, 0, self.max_tokens):
            alone = len(group) == 1
            out += _spans.trimmed_windows(text, group[0], tokens, self.max_tokens) if alone else [
                (group[0][0], group[-1][1])
            ]  # fmt: skip
        return out


def paragraphs(text: str) -> list[Span]:
    """Spans of the blocks between blank lines, without the white space at their ends."""
    cuts = [0, *(m.end() for m in _BREAK.finditer(text)), len(text)]
    trimmed = (trim(text, s, e) for s, e in pairwise(cuts))
    return [(s, e) for s, e in trimmed if s < e]
