"""Gold rows of the native form: a span, a quote that says which span it is, or a whole document."""

from __future__ import annotations

from typing import Any

from runner.dataset import _read as read
from runner.dataset._build import Builder
from runner.dataset._problems import Bad
from runner.dataset._read import Row, field
from runner.text import is_blank, one_line

_FIELDS = ("query_id", "doc_id", "start", "end", "quote", "grade", "occurrence")


def judge(build: Builder, row: Row) -> None:
    """Add what one row of gold judges.

    Raises:
        Bad: it names nothing that there is, or not exactly one thing.
    """
    read.only(row, _FIELDS)
    query_id, doc_id = field(row, "query_id", str), field(row, "doc_id", str)
    grade = field(row, "grade", int, 1)
    start, end = (None if row.get(k) is None else field(row, k, int) for k in ("start", "end"))
    if row.get("quote") is None:
        if row.get("occurrence") is not None:
            raise Bad("occurrence without quote", "`occurrence` is there and the `quote` it counts is not")
        build.judge(query_id, doc_id, start, end, grade)
        return
    quote = field(row, "quote", str)
    places = _places(build.judged_text(query_id, doc_id), quote, doc_id)
    if start is None and end is None:
        starts = _chosen(places, row.get("occurrence"), quote, doc_id)
    elif start in places and end == start + len(quote):
        starts = [start]
    else:
        raise Bad(
            "wrong span", f"[{start}, {end}) of '{one_line(doc_id)}' is not the quote '{one_line(quote)}'"
        )
    for at in starts:
        build.judge(query_id, doc_id, at, at + len(quote), grade)


def _places(text: str, quote: str, doc_id: str) -> list[int]:
    """Every start of `quote` in `text` (code points), overlapping ones too; at least one."""
    if is_blank(quote):
        raise Bad("blank quote", "`quote` is blank")
    found, at = [], text.find(quote)
    while at >= 0:
        found.append(at)
        at = text.find(quote, at + 1)
    if not found:
        raise Bad("quote not found", f"the quote '{one_line(quote)}' does not occur in '{one_line(doc_id)}'")
    return found


def _chosen(places: list[int], occurrence: Any, quote: str, doc_id: str) -> list[int]:
    """Those of `places` that a row means: the only one, the n-th, or all."""
    if occurrence == "all" or (occurrence is None and len(places) == 1):
        return places
    where = f"the quote '{one_line(quote)}' occurs {len(places)} times in '{one_line(doc_id)}'"
    if occurrence is None:
        which = f'`occurrence` from 1 to {len(places)}, or "all"'
        raise Bad("ambiguous quote", f"{where}; say which: {which}")
    if type(occurrence) is not int:
        found = read.describe(occurrence)
        raise Bad("wrong type of occurrence", f'`occurrence` must be "all" or a number, found {found}')
    if not 1 <= occurrence <= len(places):
        raise Bad("occurrence out of range", f"{where}, so there is no occurrence {occurrence}")
    return [places[occurrence - 1]]
