"""`document`: the whole text is one piece."""

from __future__ import annotations

from typing import ClassVar, Literal

from runner.strategy.contract import Span, SpanStrategy
from runner.text import is_blank
from runner.tokenizer.contract import Tokens


class Document(SpanStrategy):
    """For abstracts, tickets and other short records; of a long text an embedding reads the start only."""

    version: ClassVar[int] = 1
    name: Literal["document"] = "document"

    def spans(self, text: str, tokens: Tokens) -> list[Span]:
        """See `Strategy`. Blank text has no piece."""
        return [] if is_blank(text) else [(0, len(text))]
