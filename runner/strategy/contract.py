"""What a chunking strategy gives: spans of one text."""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

from runner.tokenizer.contract import Tokens

Span = tuple[int, int]


@runtime_checkable
class Strategy(Protocol):
    """A component of the group `strategy`."""

    name: str
    windows: ClassVar[bool]
    """The pieces are windows that neighbor expansion may widen (only `fixed_size`)."""
    lossy: ClassVar[bool]
    """Some visible characters may be in no piece."""

    def spans(self, text: str, tokens: Tokens) -> list[Span]:
        """`[start, end)` of each piece in code points: 0 <= start < end <= len(text), starts rising."""
        ...
