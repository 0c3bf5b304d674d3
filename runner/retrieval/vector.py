"""`vector`: exact cosine similarity in float32 blocks, the best rescored in float64."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from runner.retrieval.contract import Leg, Scored, Side

_BLOCK = 128
_SLACK = 1e-5
"""More than float32 rounding can move a product of two unit vectors of a few thousand dimensions."""


class Vector(Leg):
    """Exact search.

    A blocked matrix product finds who can be among the best; their similarity is then computed row by
    row in float64, so that a score does not depend on how many queries or chunks were searched together.
    """

    version: ClassVar[int] = 1
    reads: ClassVar[Literal["texts", "vectors"]] = "vectors"
    similarity: ClassVar[bool] = True
    keeps_index: ClassVar[bool] = False
    name: Literal["vector"] = "vector"

    def search(self, index: Mapping[str, npt.NDArray[Any]], chunks: Side, queries: Side) -> Iterator[Scored]:
        """See `Leg`. A zero query vector finds nothing; a zero chunk vector has similarity 0."""
        rows, asked = chunks.vectors, queries.vectors
        if rows is None or asked is None:
            raise TypeError("the vector leg reads vectors")
        for first in range(0, len(asked), _BLOCK):
            block = asked[first : first + _BLOCK]
            products = block @ rows.T if len(rows) else np.zeros((len(block), 0), np.float32)
            for query, product in zip(block, products, strict=True):
                yield self._best(rows, query, product)

    def _best(
        self, rows: npt.NDArray[np.float32], query: npt.NDArray[np.float32], product: npt.NDArray[np.float32]
    ) -> Scored:
        if not query.any():
            return Scored(np.zeros(0, np.int64), np.zeros(0), "zero vector")
        n = len(product)
        least = np.partition(product, n - self.depth)[n - self.depth] - _SLACK if n > self.depth else -np.inf
        chunks = np.flatnonzero(product >= least)
        exact = (rows[chunks].astype(np.float64) * query.astype(np.float64)).sum(axis=1)
        return Scored(chunks, np.clip(exact, -1.0, 1.0))
