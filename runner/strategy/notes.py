"""`notes`: a Markdown note as rows (the entity, its observations, its relations), and each row as chunks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import Field

from runner.config import Component
from runner.strategy import _markdown, _pack
from runner.strategy._markdown import Line, Section
from runner.strategy.contract import Piece, Source, Tools
from runner.text import is_blank

RowType = Literal["entity", "observation", "relation"]

_ITEM = r"[ \t]*[-*+][ \t]+"
_OBSERVATION = re.compile(_ITEM + r"\[(?![ xX-]?\])[^\[\]()]+\][ \t]+\S.*")
"""`- [category] text #tag (context)`; no check box, no link."""
_RELATION = re.compile(_ITEM + r"[^\[\]]*\[\[[^\[\]]+\]\][ \t]*(?:\(.*\))?[ \t]*")
"""`- relation_type [[Target]] (context)`; the type may be missing, nothing else may follow."""


class Notes(Component):
    """Row 0 is the entity: its prose, section by section, in pieces of about `size` characters.

    Every line of the form `- [category] text #tag (context)` or `- relation_type [[Target]] (context)`, with
    the indented lines that continue it, is a row of its own, numbered from 1 in the order of the text. A
    heading with no prose of its own goes with the first row below it, so nothing visible is lost. With
    `entity: prose` rows share no text; with `whole` the entity holds all of the note, so that an observation
    can be found twice, as itself and in its surroundings.
    """

    version: ClassVar[int] = 1
    windows: ClassVar[bool] = False
    lossy: ClassVar[bool] = False
    reads_vectors: ClassVar[bool] = False
    counts: ClassVar[str] = "characters"
    """What `size` counts; of a strategy that does not say, tokens."""
    name: Literal["notes"] = "notes"
    size: int = Field(900, gt=0)
    """Characters in a piece at most."""
    entity: Literal["prose", "whole"] = "prose"
    """What the entity's row holds: the note without the other rows, or all of it."""

    def pieces(self, source: Source, tools: Tools) -> list[Piece]:
        """See `Strategy`."""
        text = source.text
        rows = 0
        out: dict[tuple[int, int], Piece] = {}
        for section in _markdown.sections(text):
            found = _runs(section)
            if self.entity == "whole":
                entity = _Run("entity", section.lines)
                out |= {(p.start, p.end): p for p in self._cut(text, entity, section.path, 0)}
                found = [r for r in found if r.type != "entity"]
            for run in found:
                rows += run.type != "entity"
                cut = self._cut(text, run, section.path, 0 if run.type == "entity" else rows)
                out |= {(p.start, p.end): p for p in cut}
        return [out[span] for span in sorted(out)]

    def _cut(self, text: str, run: _Run, path: str, row: int) -> list[Piece]:
        """The pieces of a row's lines."""
        units = [(span, kind != "text") for span, kind in _markdown.blocks(run.lines)]
        cut = _pack.packed(text, units, self.size, _pack.characters)
        return [Piece(s, e, path, row, run.type) for s, e in cut if not is_blank(text[s:e])]


@dataclass(frozen=True, slots=True)
class _Run:
    """Neighboring lines of one row."""

    type: RowType
    lines: Sequence[Line]


def _runs(section: Section) -> list[_Run]:
    """The lines of a section as rows, and as the stretches of prose between them; together all of it."""
    out: list[_Run] = []
    first, kind, open_row = 0, "entity", False
    for i, line in enumerate(section.lines):
        new = _type(line)
        continues = open_row and line.kind == "text" and line.body[:1] in (" ", "\t")
        if new is None and (continues or (kind != "entity" and line.kind == "blank")):
            open_row = continues
            continue
        if new is not None or kind != "entity":
            _add(out, kind, section.lines[first:i])
            first, kind = i, new or "entity"
        open_row = new is not None
    _add(out, kind, section.lines[first:])
    return _with_headings(out)


def _type(line: Line) -> RowType | None:
    """The type of the row that a line begins, if it begins one."""
    if line.kind != "item":
        return None
    if _OBSERVATION.fullmatch(line.body):
        return "observation"
    return "relation" if _RELATION.fullmatch(line.body) else None


def _add(out: list[_Run], kind: str, lines: Sequence[Line]) -> None:
    if lines:
        out.append(_Run(kind, lines))  # type: ignore[arg-type]


def _with_headings(runs: list[_Run]) -> list[_Run]:
    """`runs`, a first one that is a heading and nothing else joined to the row after it."""
    if len(runs) > 1 and all(line.kind in ("heading", "underline", "blank") for line in runs[0].lines):
        joined = _Run(runs[1].type, [*runs[0].lines, *runs[1].lines])
        return [joined, *runs[2:]]
    return runs
