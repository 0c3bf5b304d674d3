"""Neighbor expansion: every hit's window in document order, and the flat context, each chunk once."""

from __future__ import annotations

import numpy as np
import polars as pl

from runner.order import Ints, Ranking, places

_ROLES = pl.when(pl.col("is_hit")).then(pl.lit("hit")).otherwise(pl.lit("neighbor")).alias("role")


def windows(ranking: Ranking, chunks: pl.DataFrame, prev: int, following: int) -> pl.DataFrame:
    """`query, hit_rank, offset, chunk, role`: hits with their neighbors −prev … +following, by document.

    Neighbors are chunks of the same document by `chunk_index`; those beyond an edge do not exist and are
    skipped. `role` says what a chunk is for the query: one that is a hit anywhere is a `hit` in every window.
    """
    query, rank, chunk = (ranking.frame[c].to_numpy().astype(np.int64) for c in ("query", "rank", "chunk"))
    document = chunks["doc_id"].rle_id().to_numpy()
    n, reach = len(document), int(np.bincount(document).max(initial=0))  # no window is wider than a document
    offsets = np.arange(-min(prev, reach), min(following, reach) + 1)
    reached = chunk[:, None] + offsets
    inside = (reached >= 0) & (reached < n)
    inside &= document[np.where(inside, reached, 0)] == document[chunk][:, None]
    row, column = np.nonzero(inside)
    member = reached[row, column]
    pairs = query * n + chunk
    is_hit = np.isin(query[row] * n + member, pairs) if prev or following else np.ones(len(row), np.bool_)
    return pl.DataFrame(
        {
            "query": query[row],
            "hit_rank": rank[row],
            "offset": offsets[column],
            "chunk": member,
            "is_hit": is_hit,
        }
    ).select("query", "hit_rank", "offset", "chunk", _ROLES)


def context(expansion: pl.DataFrame, chunks: pl.DataFrame) -> pl.DataFrame:
    """`query, position, chunk, role, tokens`: the union of the windows, once each, in document order.

    Documents come in the order of their best hit, chunks by index within each; nothing is cut.
    """
    query, rank, chunk = (expansion[c].to_numpy() for c in ("query", "hit_rank", "chunk"))
    document = chunks["doc_id"].rle_id().to_numpy()[chunk].astype(np.int64)
    best = _least(rank, query * len(chunks) + document)
    order = np.argsort((query * (rank.max(initial=0) + 1) + best) * len(chunks) + chunk)
    pair = query[order] * len(chunks) + chunk[order]
    order = order[np.diff(pair, prepend=-1) != 0]
    return pl.DataFrame(
        {
            "query": query[order],
            "position": places(query[order]),
            "chunk": chunk[order],
            "is_hit": (expansion["role"] == "hit").to_numpy()[order],
            "tokens": chunks["tokens"].to_numpy()[chunk[order]],
        }
    ).select("query", "position", "chunk", _ROLES, "tokens")


def _least(values: Ints, groups: Ints) -> Ints:
    """The smallest of `values` within each entry's group, shape (n,)."""
    order = np.argsort(groups * (values.max(initial=0) + 1) + values)
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    out = np.empty_like(values)
    out[order] = np.repeat(values[order][starts], np.diff(np.append(starts, len(order))))
    return out
