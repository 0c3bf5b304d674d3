"""What a chunking strategy gets (a document, tools) and gives: pieces, spans of the text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from runner.config import Component
from runner.tokenizer.contract import Tokens

Span = tuple[int, int]
Embed = Callable[[Sequence[str]], npt.NDArray[np.float32]]
"""Unit vectors of texts, shape (n, dimensions), by the run's embedding model and through its store."""


@dataclass(frozen=True, slots=True)
class Source:
    """A document as a strategy sees it."""

    doc_id: str
    text: str
    given: Sequence[Span] = ()
    """Chunks that the data set brings along, starts ascending."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a strategy may use."""

    tokens: Tokens
    """The run's tokenizer."""
    embed: Embed | None = None
    """The run's embedding model; there for a strategy that `reads_vectors`."""


@dataclass(frozen=True, slots=True)
class Piece:
    """`[start, end)` in code points, and what the piece belongs to where the strategy knows it."""

    start: int
    end: int
    heading: str | None = None
    """Heading path, parts joined by ` > `; empty before the first heading."""
    row: int | None = None
    row_type: str | None = None
    """The row of a decomposed note that the piece was cut from: its number and kind."""
    parent: Span | None = None
    """What is returned and paid for when the piece is a hit; None: the piece itself."""


@runtime_checkable
class Strategy(Protocol):
    """A component of the group `strategy`."""

    name: str
    windows: ClassVar[bool]
    """The pieces are windows that neighbor expansion may widen (only `fixed_size`)."""
    lossy: ClassVar[bool]
    """Some visible characters may be in no piece."""
    reads_vectors: ClassVar[bool]
    """It needs `tools.embed`; the model's identity is then in the key of the chunking."""

    def pieces(self, source: Source, tools: Tools) -> list[Piece]:
        """The pieces: 0 <= start < end <= len(text), (start, end) strictly ascending."""
        ...


class SpanStrategy(Component):
    """Base of strategies that look at the text alone: they give spans."""

    windows: ClassVar[bool] = False
    lossy: ClassVar[bool] = False
    reads_vectors: ClassVar[bool] = False

    def spans(self, text: str, tokens: Tokens) -> list[Span]:
        """`[start, end)` of each piece in code points of `text`, starts ascending."""
        raise NotImplementedError

    def pieces(self, source: Source, tools: Tools) -> list[Piece]:
        """See `Strategy`."""
        return [Piece(start, end) for start, end in self.spans(source.text, tools.tokens)]
