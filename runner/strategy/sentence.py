"""`sentence`: whole sentences, one or several to a piece, up to a number of tokens."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from runner.sentences import sentences
from runner.strategy import _spans
from runner.strategy._groups import groups
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
        out: list[Span] = []
        for group in groups(text, sentences(text), tokens, self.sentences, self.max_tokens):
            alone = len(group) == 1
            out += _spans.trimmed_windows(text, group[0], tokens, self.max_tokens) if alone else [
                (group[0][0], group[-1][1])
            ]  # fmt: skip
        return out
