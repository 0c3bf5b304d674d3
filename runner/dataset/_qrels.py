"""Qrels lines: query, document and grade, in BEIR's three columns or TREC's four."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from runner.dataset import _read as read
from runner.dataset._problems import Bad, Problems

Qrel = tuple[str, str, int]


def qrels(path: Path, problems: Problems) -> Iterator[tuple[str, Qrel]]:
    """`(place, (query_id, doc_id, grade))`; with or without a header, three columns or TREC's four."""
    first = True
    for number, line in enumerate(read.content(path).removeprefix(read.BOM).split(b"\n"), 1):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            cells = _cells(read.decode(line))
            if not (first and not _is_integer(cells[-1])):  # a header has no number in its last column
                yield place, _qrel(cells)
        except Bad as bad:
            problems.add(bad, place)
        first = False


def _cells(line: str) -> list[str]:
    line = line.rstrip("\r")
    return [c.strip() for c in line.split("\t")] if "\t" in line else line.split()


def _qrel(cells: list[str]) -> Qrel:
    if len(cells) not in (3, 4):
        raise Bad("bad qrels line", f"expected 3 columns (or TREC's 4), found {len(cells)}")
    if not _is_integer(cells[-1]):
        raise Bad("bad grade", f"the grade must be a whole number, found {read.describe(cells[-1])}")
    return cells[0], cells[-2], int(cells[-1])


def _is_integer(cell: str) -> bool:
    return cell.isascii() and cell.removeprefix("-").isdigit() and len(cell) <= 11
