"""`sentence`: whole sentences, one or several to a piece, up to a number of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from runner.strategy import _sentences, _spans
from runner.strategy.contract import Span, SpanStrategy
from runner.tokenizer.contract import Tokens


class Sentence(SpanStrategy):
    """Sentences in order, joined from the left while both limits hold; white space between pieces is in none.

    A sentence of more than `max_tokens` stands by itself and is cut into windows of so many of its tokens,
    where tokens start; cut out, such a window may count a token or two more or less by itself.
    """

    version: ClassVar[int] = 1
    name: Literal["sentence"] = "sentence"
    sentences: int = Field(1, ge=0)
    """Sentences in a piece at most; 0: as many as `max_tokens` allows."""
    max_tokens: int = Field(256, gt=0)
    """Tokens in a piece at most."""

    def spans(self, text: str, tokens: Tokens) -> list[Span]:
        """See `Strategy`."""
        found = _sentences.sentences(text)
        counts = tokens.counts([text[s:e] for s, e in found]).tolist() if found else []
        out: list[Span] = []
        for group in self._fitting(text, self._packed(found, counts), tokens):
            out += self._windows(text, group[0], tokens) if len(group) == 1 else [(group[0][0], group[-1][1])]
        return out

    def _packed(self, found: Sequence[Span], counts: Sequence[int]) -> list[list[Span]]:
        """Groups of sentences whose counts add up to `max_tokens` at most; a longer one stands alone."""
        groups: list[list[Span]] = []
        room, left = 0, 0
        for span, count in zip(found, counts, strict=True):
            if not groups or count > room or left == 0:
                groups.append([])
                room, left = self.max_tokens, self.sentences or len(found)
            groups[-1].append(span)
            room -= count
            left -= 1
        return groups

    def _fitting(self, text: str, groups: list[list[Span]], tokens: Tokens) -> list[list[Span]]:
        """`groups`, halved where the joined text has more tokens than its sentences together."""
        several = [g for g in groups if len(g) > 1]
        if not several:
            return groups
        counts = tokens.counts([text[g[0][0] : g[-1][1]] for g in several])
        over = {g[0] for g, n in zip(several, counts.tolist(), strict=True) if n > self.max_tokens}
        if not over:
            return groups
        halved: list[list[Span]] = []
        for g in groups:
            middle = len(g) // 2
            halved += [g[:middle], g[middle:]] if g[0] in over else [g]
        return self._fitting(text, halved, tokens)

    def _windows(self, text: str, sentence: Span, tokens: Tokens) -> list[Span]:
        """The sentence, in windows where it is too long."""
        start, end = sentence
        cut = _spans.token_windows(text[start:end], tokens, self.max_tokens, 0)
        trimmed = (_spans.trim(text, start + s, start + e) for s, e in cut)
        return [(s, e) for s, e in trimmed if s < e]
