"""`vector`: exact cosine similarity in float32 blocks, the best rescored in float64."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

import numpy.typing as npt

from runner.retrieval import _exact
from runner.retrieval.contract import Leg, Scored, Side


class Vector(Leg):
    """Exact search.

    A blocked matrix product finds who can be among the best; their similarity is then computed row by
    row in float64, so that a score does not depend on how many queries or chunks were searched together.
    """

    version: ClassVar[int] = 1
    reads: ClassVar[Literal["texts", "vectors", "tokens"]] = "vectors"
    similarity: ClassVar[bool] = True
    keeps_index: ClassVar[bool] = False
    name: Literal["vector"] = "vector"

    def search(self, index: Mapping[str, npt.NDArray[Any]], chunks: Side, queries: Side) -> Iterator[Scored]:
        """See `Leg`. A zero query vector finds nothing; a zero chunk vector has similarity 0."""
        rows, asked = chunks.vectors, queries.vectors
        if rows is None or asked is None:
            raise TypeError("the vector leg reads vectors")
        found = _exact.search(rows, asked, self.depth)
        for query, (best, scores) in zip(asked, found, strict=True):
            yield Scored(best, scores, "" if query.any() else "zero vector")
