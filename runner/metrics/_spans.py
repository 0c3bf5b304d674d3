"""Half-open spans as columns: unions, what they cover and what touches what, without a loop in Python.

Every query gets its own copy of the corpus, and all copies lie end to end on one line of integers. A span of
a document, seen by a query, is then two integers; a union is one sort; nothing can run into its neighbor,
since documents lie one unit apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from runner.metrics.contract import Judged

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Spans:
    """Spans `[start, end)` in code points of document `doc`, seen by query `query`; all of shape (n,)."""

    query: Ints
    doc: Ints
    start: Ints
    end: Ints

    def take(self, index: Ints | npt.NDArray[np.bool_], query: Ints | None = None) -> Spans:
        """The spans at `index`, seen by `query` (shape of the result) instead, where it is given."""
        owner = self.query[index] if query is None else query
        return Spans(owner, self.doc[index], self.start[index], self.end[index])


def spans_of(judged: Judged) -> tuple[Spans, Spans]:
    """The chunks (seen by query 0, in row order) and the judgments, their documents numbered alike.

    Judgments of whole documents come as the empty span at 0.
    """
    names = pl.concat([judged.chunks["doc_id"], judged.judgments["doc_id"]])
    codes = names.cast(pl.Enum(names.unique(maintain_order=True))).to_physical().cast(pl.Int64).to_numpy()
    n = judged.chunks.height
    chunks = Spans(np.zeros(n, np.int64), codes[:n], ints(judged.chunks["start"]), ints(judged.chunks["end"]))
    gold = judged.judgments
    return chunks, Spans(ints(gold["query"]), codes[n:], ints(gold["start"]), ints(gold["end"]))


def ints(column: pl.Series) -> Ints:
    """A column of integers as an array; null is 0."""
    return column.cast(pl.Int64).fill_null(0).to_numpy()


class Line:
    """The line that spans are laid on: which query and document lies where."""

    def __init__(self, *all_spans: Spans) -> None:
        width = np.zeros(1 + max((int(s.doc.max()) for s in all_spans if len(s.doc)), default=0), np.int64)
        for s in all_spans:
            np.maximum.at(width, s.doc, s.end)
        self._base = np.cumsum(width + 1) - (width + 1)
        self._length = int((width + 1).sum())

    def pieces(self, spans: Spans) -> Pieces:
        """`spans` on the line, in their order."""
        offset = spans.query * self._length + self._base[spans.doc]
        return Pieces(offset + spans.start, offset + spans.end)

    def totals(self, pieces: Pieces, sizes: Ints, n_queries: int) -> Floats:
        """Shape (n_queries,): the sum of `sizes` (one per piece) for each query."""
        return np.bincount(pieces.start // self._length, sizes, n_queries).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Pieces:
    """Pieces `[start, end)` of the line, in any order, overlapping or not; shape (n,)."""

    start: Ints
    end: Ints

    def sizes(self) -> Ints:
        """The length of each piece."""
        return self.end - self.start

    def union(self) -> Pieces:
        """The same points as ascending pieces that neither overlap nor touch."""
        if not len(self.start):
            return self
        order = np.argsort(self.start, kind="stable")
        start, reach = self.start[order], np.maximum.accumulate(self.end[order])
        first = np.flatnonzero(np.concatenate(([True], start[1:] > reach[:-1])))
        last = np.concatenate((first[1:] - 1, [len(start) - 1]))
        return Pieces(start[first], reach[last])

    def covered(self, by: Pieces) -> Ints:
        """How much of each piece lies in `by`, which must be a union."""
        if not len(by.start):
            return np.zeros(len(self.start), np.int64)
        size = by.sizes()
        before = np.cumsum(size) - size

        def up_to(point: Ints) -> Ints:
            at = np.searchsorted(by.start, point, side="right") - 1
            inside = np.minimum(point, by.end[at]) - by.start[at]
            return np.where(at < 0, 0, before[at] + inside)

        return up_to(self.end) - up_to(self.start)


def ratio(part: Floats, whole: Floats) -> Floats:
    """`part` ÷ `whole`, shape (n_queries,); 0 where `whole` is 0."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def meetings(line: Line, chunks: Spans, gold: Spans, *, touching: bool = False) -> tuple[Ints, Ints]:
    """Which gold spans meet which chunks of the same document.

    Args:
        line: holds both.
        chunks: seen by query 0, in any order.
        gold: seen by any query.
        touching: spans that merely abut (`max(starts) <= min(ends)`) meet too; else they share a code point.

    Returns:
        Indices into `gold` and into `chunks`, one pair per meeting.
    """
    there = line.pieces(chunks)
    order = np.argsort(there.start, kind="stable")
    start, end = there.start[order], there.end[order]
    here = line.pieces(gold.take(np.arange(len(gold.doc)), np.zeros_like(gold.query)))
    stop = np.searchsorted(start, here.end, side="right" if touching else "left")
    # Ends need not ascend as starts do; the furthest end so far does, and bounds the chunks that can reach.
    go = np.searchsorted(np.maximum.accumulate(end), here.start, side="left" if touching else "right")
    count = np.maximum(stop - go, 0)
    which = np.repeat(np.arange(len(count)), count)
    at = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count) + go[which]
    meets = end[at] >= here.start[which] if touching else end[at] > here.start[which]
    return which[meets], order[at[meets]]
