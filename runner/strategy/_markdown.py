"""Markdown as lines, blocks and sections: headings with their paths; nothing inside code counts as one."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from runner.strategy import _fences
from runner.strategy.contract import Span

Kind = Literal["blank", "code", "heading", "underline", "item", "row", "text"]
"""What a line is; `underline` stands under a heading, `row` is of a table."""
Block = Literal["text", "list", "table", "code"]
JOINT = " > "
"""What joins the parts of a heading path."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})")
_QUOTE = re.compile(r" {0,3}>")
_CODE = re.compile(r"(?: {4}|\t)")


@dataclass(slots=True)
class Line:
    """A line of the text, its end of line included."""

    start: int
    end: int
    body: str
    """Without the end of line."""
    kind: Kind
    level: int = 0
    """Of a heading, from 1."""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """From a heading to the next, or what stands before the first. Sections tile the text."""

    start: int
    end: int
    path: str
    lines: Sequence[Line]


def lines(text: str) -> list[Line]:
    """The lines of `text`, each with its kind (CommonMark 0.31, block quotes and HTML taken as text)."""
    found = [(m.start(), m.end(), m[0].rstrip("\r\n")) for m in _LINE.finditer(text)]
    inside = _fences.inside([body for *_, body in found])
    out = [
        Line(start, end, body, "code") if code else _line(start, end, body)
        for (start, end, body), code in zip(found, inside, strict=True)
    ]
    _underlined(out)
    return out


def _line(start: int, end: int, body: str) -> Line:
    if not body.strip():
        return Line(start, end, body, "blank")
    atx = _ATX.fullmatch(body)
    if atx:
        return Line(start, end, body, "heading", len(atx[1]), _title(atx[2] or ""))
    if _ITEM.match(body) and not _RULE.fullmatch(body):
        return Line(start, end, body, "item")
    return Line(start, end, body, "row" if body.lstrip().startswith("|") else "text")


def _title(raw: str) -> str:
    """The text of an ATX heading: closing hashes, as in `## A ##`, are none of it; the hash of `# C#` is."""
    title = raw.strip()
    bare = title.rstrip("#")
    return bare.rstrip() if bare[-1:] in ("", " ", "\t") else title


def _underlined(found: list[Line]) -> None:
    """Turn a paragraph over a line of `=` or `-` into a heading of level 1 or 2."""
    first: int | None = None
    lazy = False  # the text belongs to a list item or quote above it, and ends there at a blank line
    for i, line in enumerate(found):
        mark = _UNDERLINE.fullmatch(line.body)
        if mark and first is not None:  # a lone `-` here is no item
            head = found[first]
            head.kind, head.level = "heading", 1 if mark[1][0] == "=" else 2
            head.title = " ".join(" ".join(part.body for part in found[first:i]).split())
            for part in found[first + 1 : i + 1]:
                part.kind = "underline"
            first = None
        elif line.kind == "text" and not (mark or _QUOTE.match(line.body) or _RULE.fullmatch(line.body)):
            opens = not lazy and not _CODE.match(line.body)
            first = i if first is None and opens else first
        else:
            first = None
            lazy = line.kind == "item" or bool(_QUOTE.match(line.body))


def sections(text: str) -> list[Section]:
    """The sections of `text`; a heading with nothing but deeper headings below it opens theirs."""
    found = lines(text)
    cuts = [i for i, line in enumerate(found) if line.kind == "heading"]
    bounds = [0, *(c for c in cuts if c), len(found)]
    out: list[Section] = []
    path: list[tuple[int, str]] = []
    begun = 0
    for first, last in itertools.pairwise(bounds):
        if first == last:
            continue
        head = found[first]
        if head.kind == "heading":
            path = [*(p for p in path if p[0] < head.level), (head.level, head.title)]
        after = found[last] if last < len(found) else None
        bare = head.kind == "heading" and not any(_says(part) for part in found[first:last])
        if bare and after is not None and after.level > head.level:
            continue
        named = JOINT.join(title for _, title in path if title)
        out.append(Section(found[begun].start, found[last - 1].end, named, found[begun:last]))
        begun = last
    return out


def _says(line: Line) -> bool:
    return line.kind not in ("blank", "heading", "underline")


def blocks(section: Sequence[Line]) -> Iterator[tuple[Span, Block]]:
    """The blocks of a section and what each is; they tile it: blank lines and headings go with a block.

    A heading goes with the block under it. A list holds its items, the lines that belong to them, and the
    blank lines between; a table its rows; code everything from fence to fence.
    """
    start, blank = (section[0].start if section else 0), False
    kind: Block | None = None
    for line in section:
        own = _block(line, kind, blank)
        if own is not None:
            if kind is not None and (own != kind or (blank and kind == "text")):
                yield (start, line.start), kind
                start = line.start
            kind = own
        blank = line.kind == "blank"
    if section:
        yield (start, section[-1].end), kind or "text"


def _block(line: Line, kind: Block | None, blank: bool) -> Block | None:
    """The kind of block that a line is of; None: it goes with whatever is open."""
    if line.kind in ("blank", "heading", "underline"):
        return None
    if line.kind == "item":
        return "list"
    if kind == "list" and (not blank or line.body[:1] in (" ", "\t")):
        return "list"
    return "code" if line.kind == "code" else "table" if line.kind == "row" else "text"
