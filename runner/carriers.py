"""Carriers: the chunks, or else the windows, that hold a gold item whole, and what any chunk holds of it.

An item is a span, or a whole document, which any chunk of it holds. Points of a span that lie in no chunk do
not count where the chunking is lossless, for they are blank by the span law; else they are lost text.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from runner.metrics._spans import Floats, Line, Pieces, Spans, ints, meetings
from runner.order import Ints

Bools = np.typing.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Carriers:
    """Of n gold items and the chunks that return them; a pair is an item and the row of a chunk."""

    size: Ints
    """Points that count, shape (n,); 1 for a document; 0: no chunk has any of it."""
    whole: Bools
    """The item is a document, shape (n,)."""
    item: Ints
    chunk: Ints
    pieces: Pieces
    """The pairs that share a point, by item, then chunk: `item`, `chunk`, and where, of one shape."""
    held: Floats
    """The largest share of each item in one chunk or window, shape (n,)."""
    carried: Bools
    """Whether anything holds the item whole, shape (n,)."""
    by_item: Ints
    by_chunk: Ints
    """The carriers of each item, as pairs; of an item without any, the chunk that holds most of it."""

    def covered(self, which: Bools) -> Ints:
        """The points of each item in the pairs `which`, each counted once; shape (n,)."""
        n = len(self.size)
        if not which.any():
            return np.zeros(n, np.int64)
        together = _union(self.item[which], Pieces(self.pieces.start[which], self.pieces.end[which]), n)
        return np.where(self.whole, np.minimum(together, 1), together)


def carriers(
    gold: pl.DataFrame, chunks: pl.DataFrame, neighbors: tuple[int, int], *, lossy: bool
) -> Carriers:
    """The carriers of the judgments `gold` (`doc_id, start, end`; no start and end: the whole document).

    Args:
        gold: one row per item.
        chunks: what each chunk returns, `doc_id, start, end`, in document order.
        neighbors: how many chunks before and after a hit are returned with it.
        lossy: the chunking may leave out text that is not blank.
    """
    near, here, whole = _near(gold, chunks)
    line = Line(near.spans, here)
    item, pair = meetings(line, near.spans, here)
    by = np.lexsort((pair, item))
    item, pair = item[by], pair[by]
    start = np.maximum(here.start[item], near.spans.start[pair])
    pieces = Pieces(start, np.minimum(here.end[item], near.spans.end[pair]))
    n = len(whole)
    size = here.end - here.start
    if not lossy:
        size = line.pieces(here).covered(line.pieces(near.spans).union())
    size = np.where(whole, np.minimum(size, 1), np.where(np.bincount(item, minlength=n) > 0, size, 0))
    share = np.minimum(pieces.sizes() / np.maximum(size[item], 1), 1.0)
    best = np.zeros(n)
    np.maximum.at(best, item, share)
    holds = share == 1
    centers = _windows(item, pair, pieces, near, neighbors, (best < 1) & (size > 0), size)
    np.maximum.at(best, centers[0], centers[2])
    full = centers[2] == 1
    most = _first(item, share) & (best < 1)[item]
    by_item = np.concatenate((item[holds], centers[0][full], item[most]))
    by_chunk = np.concatenate((pair[holds], centers[1][full], pair[most]))
    order = np.lexsort((by_chunk, by_item))
    rows = near.row
    return Carriers(
        size, whole, item, rows[pair], pieces, best, best == 1, by_item[order], rows[by_chunk[order]]
    )


@dataclass(frozen=True, slots=True)
class _Near:
    """The chunks of the documents that hold gold."""

    spans: Spans
    row: Ints
    """Their rows in the chunk table, ascending."""


def _near(gold: pl.DataFrame, chunks: pl.DataFrame) -> tuple[_Near, Spans, Bools]:
    """The chunks, the items as spans (a document: as far as its chunks reach), and which are documents."""
    docs = gold.select("doc_id").unique(maintain_order=True).with_row_index("doc")
    rows = chunks.select("doc_id", "start", "end").with_row_index("row")
    rows = rows.join(docs, on="doc_id", maintain_order="left")
    doc, start, end = (ints(rows[c]) for c in ("doc", "start", "end"))
    of_item = ints(gold.select("doc_id").join(docs, on="doc_id", how="left", maintain_order="left")["doc"])
    whole = gold["start"].is_null().to_numpy()
    reach = np.zeros(docs.height, np.int64)
    np.maximum.at(reach, doc, end)
    last = np.where(whole, reach[of_item], ints(gold["end"]))
    return (
        _Near(Spans(np.zeros_like(doc), doc, start, end), ints(rows["row"])),
        Spans(np.zeros_like(of_item), of_item, ints(gold["start"]), last),
        whole,
    )


def _first(item: Ints, share: Floats) -> Bools:
    """Of each item the first of the pairs with its largest share; pairs come by item, then chunk."""
    out = np.zeros(len(item), np.bool_)
    order = np.lexsort((np.arange(len(item)), -share, item))
    out[order[np.flatnonzero(np.diff(item[order], prepend=-1))]] = True
    return out


def _windows(
    item: Ints, pair: Ints, pieces: Pieces, near: _Near, neighbors: tuple[int, int], cut: Bools, size: Ints
) -> tuple[Ints, Ints, Floats]:
    """For each item that is `cut`: chunks in whose window some of it lies (`item, chunk, share`)."""
    prev, following = neighbors
    mine = np.flatnonzero(cut[item])
    if not (prev or following) or not len(mine):
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    doc = near.spans.doc
    starts = np.flatnonzero(np.diff(doc, prepend=-1))
    ends = np.append(starts[1:], len(doc)) - 1
    block = np.searchsorted(starts, np.arange(len(doc)), side="right") - 1
    at = pair[mine]
    # A piece in chunk c lies in the windows of c - following … c + prev.
    low = np.maximum(at - following, starts[block[at]])
    count = np.minimum(at + prev, ends[block[at]]) - low + 1
    which = np.repeat(np.arange(len(mine)), count)
    center = low[which] + np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    pairs = item[mine][which] * len(doc) + center
    named, group = np.unique(pairs, return_inverse=True)
    some = Pieces(pieces.start[mine][which], pieces.end[mine][which])
    owner = named // len(doc)
    return owner, named % len(doc), _union(group, some, len(named)) / size[owner]


def _union(group: Ints, pieces: Pieces, n: int) -> Ints:
    """The points in the pieces of each group, each counted once; shape (n,)."""
    width = int(pieces.end.max(initial=0)) + 1  # groups lie end to end on a line, one unit apart
    union = Pieces(pieces.start + group * width, pieces.end + group * width).union()
    return np.bincount(union.start // width, union.sizes(), n).astype(np.int64)
