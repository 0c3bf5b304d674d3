"""`parent`: small windows are searched; what a hit returns is the section, paragraphs or window around it."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from runner.config import Component
from runner.strategy import _markdown, _pack, _spans
from runner.strategy._groups import groups
from runner.strategy.contract import Piece, Source, Span, Tools
from runner.strategy.paragraph import paragraphs
from runner.text import is_blank


class Parent(Component):
    """Windows of `size` tokens within parents; a parent lies in the context once, however many of them hit.

    Parents follow each other without overlap, and a window lies in one parent, so at its end it may be short.
    """

    version: ClassVar[int] = 1
    windows: ClassVar[bool] = False
    lossy: ClassVar[bool] = False
    reads_vectors: ClassVar[bool] = False
    name: Literal["parent"] = "parent"
    size: int = 64
    """Tokens in a window that is searched; above 0."""
    overlap: int = 0
    """Tokens that a window shares with the one before in its parent; 0 … size - 1."""
    parent_unit: Literal["section", "paragraph", "window"] = "section"
    """What a parent is: a Markdown section, neighboring paragraphs, or any `parent_size` tokens."""
    parent_size: int = Field(512, gt=0)
    """Tokens in a parent at most; a longer section or paragraph is cut."""

    @model_validator(mode="after")
    def _advances(self) -> Self:
        _spans.check_window(self.size, self.overlap)
        return self

    def pieces(self, source: Source, tools: Tools) -> list[Piece]:
        """See `Strategy`."""
        out: list[Piece] = []
        for (start, end), path in self._parents(source.text, tools):
            cut = _spans.token_windows(source.text[start:end], tools.tokens, self.size, self.overlap)
            out += [Piece(start + s, start + e, heading=path, parent=(start, end)) for s, e in cut]
        return out

    def _parents(self, text: str, tools: Tools) -> list[tuple[Span, str | None]]:
        """The parents of a text, with heading paths where they are sections."""
        if self.parent_unit == "window":
            return [(w, None) for w in _spans.token_windows(text, tools.tokens, self.parent_size, 0)]
        measure = _pack.in_tokens(text, tools.tokens)
        if self.parent_unit == "paragraph":
            joined = groups(text, paragraphs(text), tools.tokens, 0, self.parent_size)
            units = [((g[0][0], g[-1][1]), False) for g in joined]
            return [(s, None) for u in units for s in _pack.packed(text, [u], self.parent_size, measure)]
        out: list[tuple[Span, str | None]] = []
        for section in _markdown.sections(text):
            if not is_blank(text[section.start : section.end]):
                blocks = [(span, kind != "text") for span, kind in _markdown.blocks(section.lines)]
                cut = _pack.packed(text, blocks, self.parent_size, measure)
                out += [(span, section.path) for span in cut]
        return out
