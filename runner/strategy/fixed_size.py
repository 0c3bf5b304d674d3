"""`fixed_size`: windows of a fixed number of tokens or characters; the only ones that neighbors may widen."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from runner.strategy import _spans
from runner.strategy.contract import Span, SpanStrategy
from runner.text import is_blank
from runner.tokenizer.contract import Tokens


class FixedSize(SpanStrategy):
    """Window k holds units k·(size - overlap) … + size; the first to reach the end of the text is the last.

    Units are tokens of the whole document; cut out, a window may count a token or two more or less by itself.
    """

    version: ClassVar[int] = 1
    windows: ClassVar[bool] = True
    name: Literal["fixed_size"] = "fixed_size"
    size: int = 200
    """Units in a window; above 0."""
    overlap: int = 0
    """Units that a window shares with the one before; 0 … size - 1."""
    unit: Literal["tokens", "characters"] = "tokens"
    """Tokens of the run's tokenizer, or code points."""

    @model_validator(mode="after")
    def _advances(self) -> Self:
        _spans.check_window(self.size, self.overlap)
        return self

    def spans(self, text: str, tokens: Tokens) -> list[Span]:
        """See `Strategy`. With overlap 0 the pieces tile the text; no piece lies inside another."""
        if self.unit == "tokens":
            return _spans.token_windows(text, tokens, self.size, self.overlap)
        if is_blank(text):
            return []
        return _spans.windows(np.arange(len(text)), len(text), self.size, self.overlap)
