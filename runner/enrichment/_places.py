"""Which spans of a document lie in which chunks: pairs of row numbers, found by two binary searches each."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

Ints = npt.NDArray[np.int64]


def inside(chunks: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """The pairs `chunk`, `span` of which the span lies wholly inside the chunk: chunk [0, 9) has [3, 9).

    A span that a border cuts in two is in neither part.

    Args:
        chunks: `chunk, doc_id, start, end`.
        spans: `doc_id, start, end`; `span` is the row number in it.
    """
    (c_lo, c_hi), (s_lo, s_hi) = _laid_out(chunks, spans)
    chunk, span = _starting(c_lo, c_hi, s_lo)
    whole = s_hi[span] <= c_hi[chunk]
    return _pairs(chunks, chunk[whole], span[whole])


def overlapping(chunks: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """The pairs `chunk`, `span` that share a character, and how many they share: `shared`.

    Args:
        chunks: `chunk, doc_id, start, end`.
        spans: `doc_id, start, end`; `span` is the row number in it.
    """
    (c_lo, c_hi), (s_lo, s_hi) = _laid_out(chunks, spans)
    # Of two that overlap, one starts in the other: the span in the chunk, or (strictly later) the reverse.
    chunk, span = _starting(c_lo, c_hi, s_lo)
    reverse, later = _starting(s_lo + 1, s_hi, c_lo)
    chunk, span = np.concatenate([chunk, later]), np.concatenate([span, reverse])
    shared = np.minimum(c_hi[chunk], s_hi[span]) - np.maximum(c_lo[chunk], s_lo[span])
    return _pairs(chunks, chunk, span).with_columns(pl.Series("shared", shared, pl.Int64))


def _laid_out(*frames: pl.DataFrame) -> list[tuple[Ints, Ints]]:
    """Starts and ends as if all documents were one text, in order of their ids, with room between them."""
    ids = pl.concat([f.select("doc_id") for f in frames]).unique().sort("doc_id").with_row_index("at")
    room = 1 + max((int(f["end"].max() or 0) for f in frames), default=0)  # type: ignore[arg-type]
    out = []
    for f in frames:
        placed = f.join(ids, on="doc_id", how="left", maintain_order="left")
        base = placed["at"].to_numpy().astype(np.int64) * room
        out.append((base + placed["start"].to_numpy(), base + placed["end"].to_numpy()))
    return out


def _starting(lo: Ints, hi: Ints, points: Ints) -> tuple[Ints, Ints]:
    """Indices (interval, point) of every point in [lo, hi) of an interval."""
    order = np.argsort(points, kind="stable")
    first, last = (np.searchsorted(points[order], edge, "left") for edge in (lo, hi))
    n = np.maximum(last - first, 0)
    interval = np.repeat(np.arange(len(lo)), n)
    nth = np.arange(int(n.sum())) - np.repeat(np.cumsum(n) - n, n)
    return interval, order[first[interval] + nth]


def _pairs(chunks: pl.DataFrame, chunk: Ints, span: Ints) -> pl.DataFrame:
    return pl.DataFrame({"chunk": chunks["chunk"].gather(chunk), "span": pl.Series(span, dtype=pl.Int64)})
