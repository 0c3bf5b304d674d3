"""`cluster`: the best segmentation under a maximum size, by similarity within pieces (Chroma, 2024)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from runner.config import Component
from runner.strategy import _similar
from runner.strategy._similar import Floats
from runner.strategy.contract import Piece, Source, Tools
from runner.strategy.recursive import Recursive


class Cluster(Component):
    """Small units of at most `min_tokens` are embedded, and joined so that the pieces' rewards are greatest.

    The reward of a piece is the sum, over the pairs of units in it, of their cosine less the mean cosine of
    all pairs of the text. The optimum is exact, found by dynamic programming over pieces of `max_tokens` or
    less; of equal ones, that with the longer last piece. ClusterSemanticChunker in Smith and Troynikov (2024)
    limits a piece to max ÷ min units instead, and joins leading units that have nothing in common.
    """

    version: ClassVar[int] = 1
    windows: ClassVar[bool] = False
    lossy: ClassVar[bool] = False
    reads_vectors: ClassVar[bool] = True
    name: Literal["cluster"] = "cluster"
    min_tokens: int = Field(50, gt=0)
    """Tokens in a unit at most; units are those of `recursive`."""
    max_tokens: int = Field(400, gt=0)
    """Tokens in a piece at most, counted in the whole text."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.min_tokens > self.max_tokens:
            raise ValueError(f"min_tokens {self.min_tokens} is above max_tokens {self.max_tokens}")
        return self

    def pieces(self, source: Source, tools: Tools) -> list[Piece]:
        """See `Strategy`."""
        units = Recursive(size=self.min_tokens).spans(source.text, tools.tokens)
        if not units:
            return []
        v = _similar.vectors(source.text, units, tools)
        counts = _similar.token_counts(source.text, units, tools).tolist()
        cuts = segmentation(v, counts, self.max_tokens)
        return [Piece(units[a][0], units[b - 1][1]) for a, b in itertools.pairwise(cuts)]


def mean_similarity(v: Floats) -> float:
    """The mean inner product of two different rows of `v`; 0 for a lone row."""
    n = len(v)
    if n < 2:
        return 0.0
    total = v.sum(axis=0)
    return float((total * total).sum() - (v * v).sum()) / (n * (n - 1))


def segmentation(v: Floats, counts: Sequence[int], most: int) -> list[int]:
    """Where the pieces of the best segmentation begin, and n at the end.

    With r(j, i) the reward of units j … i - 1: best(i) = max over j of best(j) + r(j, i), in O(n · width)
    products, width being the most units that a piece of `most` tokens holds. A unit alone always fits.

    Args:
        v: unit vectors, shape (n, dimensions).
        counts: tokens of each unit.
        most: tokens in a piece at most.
    """
    n, mean = len(v), mean_similarity(v)
    best = np.zeros(n + 1)
    came = np.zeros(n + 1, np.int64)
    reward = np.zeros(n + 1)  # reward[j]: of units j … i - 1, for the i at hand
    ahead = np.concatenate(([0], np.cumsum(counts)))
    low = 0
    for i in range(1, n + 1):
        while low < i - 1 and ahead[i] - ahead[low] > most:
            low += 1
        near = _similar.products(v[low : i - 1], v[i - 1]) - mean
        # A piece that begins at j gains the pairs of unit i - 1 with j … i - 2.
        reward[low : i - 1] += np.cumsum(near[::-1])[::-1]
        totals = best[low:i] + reward[low:i]
        came[i] = low + int(np.argmax(totals))
        best[i] = totals[came[i] - low]
    cuts = [n]
    while cuts[-1]:
        cuts.append(int(came[cuts[-1]]))
    return cuts[::-1]
