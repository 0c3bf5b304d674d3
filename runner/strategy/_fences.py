"""Which lines of a Markdown text are code or otherwise not prose: fences, front matter, raw HTML."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import itemgetter

_OPEN = re.compile(r"(?P<before>[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(?P<mark>`{3,}|~{3,})(?P<info>.*)")
_CLOSE = re.compile(r"([ \t]*)(`{3,}|~{3,})[ \t]*")
_RAW = [
    (re.compile(r" {0,3}<!--"), re.compile("-->")),
    (re.compile(r" {0,3}<(?:pre|script|style|textarea)(?:[\s>]|$)", re.I),
     re.compile("</(?:pre|script|style|textarea)>", re.I)),
]  # fmt: skip
"""HTML that runs, blank lines and all, to the line with its end."""


def inside(bodies: Sequence[str]) -> list[bool]:
    """Whether each line (without its end) is of code, its fences included."""
    out = [False] * len(bodies)
    ends = [[i for i, body in enumerate(bodies) if end.search(body)] for _, end in _RAW]
    closing = [(i, found) for i, body in enumerate(bodies) if (found := _CLOSE.fullmatch(body))]
    at = _front_matter(bodies)
    out[:at] = [True] * at
    while at < len(bodies):
        end = _fence(bodies, at, closing) or _html(bodies[at], at, ends)
        if end:
            out[at:end] = [True] * (end - at)
        at = end or at + 1
    return out


def _front_matter(bodies: Sequence[str]) -> int:
    """The lines of YAML between `---` at the very start, or 0."""
    if not bodies or bodies[0].removeprefix("\ufeff").rstrip() != "---":
        return 0
    closed = (i for i, body in enumerate(bodies[1:], 2) if body.rstrip() in ("---", "..."))
    return next(closed, 0)


def _fence(bodies: Sequence[str], at: int, closing: Sequence[tuple[int, re.Match[str]]]) -> int:
    """Where the fence that line `at` opens ends (the line after its last), or 0.

    A fence that is never closed runs to the end of the text; one within a list, which may stand deeper, must
    be closed to count.
    """
    opened = _OPEN.fullmatch(bodies[at])
    if opened is None or (opened["mark"][0] == "`" and "`" in opened["info"]):
        return 0
    width = len(opened["before"].expandtabs(4))
    for i, found in closing[bisect_right(closing, at, key=itemgetter(0)) :]:
        if found[2].startswith(opened["mark"]) and len(found[1].expandtabs(4)) <= width + 3:
            return i + 1
    nested = width > 3 or bool(opened["before"].strip())
    return 0 if nested else len(bodies)


def _html(body: str, at: int, ends: Sequence[Sequence[int]]) -> int:
    """Where the raw HTML that begins in line `at` ends, or 0; where its end is missing it is text."""
    for (begin, _), closed in zip(_RAW, ends, strict=True):
        if begin.match(body):
            following = bisect_left(closed, at)
            return closed[following] + 1 if following < len(closed) else 0
    return 0
