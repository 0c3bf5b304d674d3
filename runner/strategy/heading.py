"""`heading`: Markdown sections with their heading path; a long one is cut between blocks, at about `size`."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from runner.config import Component
from runner.strategy import _markdown, _pack
from runner.strategy.contract import Piece, Source, Tools
from runner.text import is_blank


class Heading(Component):
    """A section runs from a heading (`# A`, or underlined) to the next; what stands before the first is one.

    A heading without text of its own opens the first section below it. A section of more than `size` is cut
    between paragraphs, lists, tables and fenced code, each kept whole where it fits, else at ends of lines or
    sentences. Pieces tile the text; `#` inside code or HTML comments is no heading.
    """

    version: ClassVar[int] = 1
    windows: ClassVar[bool] = False
    lossy: ClassVar[bool] = False
    reads_vectors: ClassVar[bool] = False
    counts: ClassVar[str] = "characters"
    """What `size` counts; of a strategy that does not say, tokens."""
    name: Literal["heading"] = "heading"
    size: int = Field(900, gt=0)
    """Characters in a piece at most."""

    def pieces(self, source: Source, tools: Tools) -> list[Piece]:
        """See `Strategy`. Blank text has no piece."""
        out: list[Piece] = []
        for section in _markdown.sections(source.text):
            if is_blank(source.text[section.start : section.end]):
                continue
            units = [(span, kind != "text") for span, kind in _markdown.blocks(section.lines)]
            cut = _pack.packed(source.text, units, self.size, _pack.characters)
            out += [Piece(start, end, heading=section.path) for start, end in cut]
        return out
