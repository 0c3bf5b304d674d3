"""Exact cosine search, and the one way a similarity is computed whichever leg found the chunk."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.float32]
"""Shape (n, dimensions), unit or zero rows."""
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

BLOCK = 128
"""Queries multiplied at a time."""
_SLACK = 1e-5
"""More than float32 rounding can move a product of two unit vectors of a few thousand dimensions."""


def similarities(rows: Rows, query: Rows) -> Floats:
    """Cosine of each row to `query`, row by row in float64: it depends on these two vectors alone."""
    exact = (rows.astype(np.float64) * query.astype(np.float64)).sum(axis=1)
    return np.asarray(np.clip(exact, -1.0, 1.0), np.float64)


def search(rows: Rows, queries: Rows, depth: int) -> Iterator[tuple[Ints, Floats]]:
    """For each query the chunks that can be among the best `depth`, with their similarities; unordered.

    A blocked matrix product in float32 finds them, `similarities` says how near they are. A zero query has
    nothing near it.
    """
    for first in range(0, len(queries), BLOCK):
        block = queries[first : first + BLOCK]
        products = block @ rows.T if len(rows) else np.zeros((len(block), 0), np.float32)
        for query, product in zip(block, products, strict=True):
            if not query.any():
                yield np.zeros(0, np.int64), np.zeros(0)
                continue
            n = len(product)
            least = np.partition(product, n - depth)[n - depth] - _SLACK if n > depth else -np.inf
            chunks = np.flatnonzero(product >= least)
            yield chunks, similarities(rows[chunks], query)


def recall(found: Floats, best: Floats, depth: int) -> float:
    """How much of the exact best `depth` an approximate search found; 1 where there was nothing to find.

    Equal similarities stand for each other (a copy of a chunk is as good as the chunk), but a chunk that is
    better than the last of the best has no substitute.

    Args:
        found: similarities of what was found, each chunk once.
        best: similarities of what `search` gave.
        depth: how many were asked for.
    """
    n = min(depth, len(best))
    if not n:
        return 1.0
    least = np.partition(best, len(best) - n)[len(best) - n]
    room = n - int((best > least).sum())
    return float(((found > least).sum() + min(int((found == least).sum()), room)) / n)
