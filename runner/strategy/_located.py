"""Where pieces of text that a splitter returned lie in the document: proven, or refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from runner.errors import ComponentError
from runner.strategy.contract import Span
from runner.text import is_blank, one_line


def proven(text: str, found: Iterable[tuple[int, str]]) -> list[Span] | None:
    """The spans of pieces whose starts a library tells, if each is just what stands there; else None."""
    spans = [(start, start + len(piece), piece) for start, piece in found]
    right = all(start >= 0 and text[start:end] == piece for start, end, piece in spans)
    return [(start, end) for start, end, _ in spans] if right else None


def located(text: str, pieces: Sequence[str], *, overlapping: bool) -> list[Span]:
    """The spans of `pieces`, which come in order and leave out nothing but white space between them.

    A piece begins after the start of the one before (after its end where pieces do not overlap) and ends
    after its end; a gap between the two is blank. In a text that repeats itself several places can fit where
    pieces overlap, and then none is proven.

    Raises:
        ComponentError: no place fits, or several do.
    """
    out: list[Span] = []
    start, end = -1, 0
    for piece in pieces:
        if is_blank(piece):
            continue
        places = _places(text, piece, start + 1 if overlapping else end, end)
        if len(places) != 1:
            why = "is at no place that fits" if not places else f"fits at {places[0]} and at {places[1]}"
            raise ComponentError(
                f"strategy library: the splitter's piece '{one_line(piece, 40)}' {why}: offsets cannot be "
                "proven. Set strategy.overlap=0, or take a splitter that tells them (semantic_text)"
            )
        start, end = places[0], places[0] + len(piece)
        out.append((start, end))
    return out


def _places(text: str, piece: str, least: int, end: int) -> list[int]:
    """The first two places from `least` on where `piece` may lie after a piece that ends at `end`."""
    following = len(text) - len(text[end:].lstrip())
    # It may begin with the white space after the last piece, but must not skip anything visible.
    out: list[int] = []
    at = text.find(piece, least, following + len(piece))
    while at >= 0 and len(out) < 2:
        if at + len(piece) > end and (at <= end or is_blank(text[end:at])):
            out.append(at)
        at = text.find(piece, at + 1, following + len(piece))
    return out
