"""`late`: late interaction (MaxSim over token vectors) with every chunk, exact; for small corpora."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from runner.late_interaction import TokenModel, maxsims
from runner.retrieval.contract import Arrays, Leg, Scored, Side

_QUERY_TOKENS, _CHUNK_TOKENS = 2048, 4096
"""Tokens multiplied at a time: 64 MB of float64 products."""


class Late(TokenModel, Leg):
    """ColBERT's score (see `late_interaction`) from the token vectors of any sentence-transformers model.

    The index holds the vectors of every token of every chunk as float16, two bytes a dimension (0.75 KB a
    token with 384), and every query is scored against all of them: time and space grow with the corpus. A
    score is a sum over the tokens of the query, not a cosine.
    """

    version: ClassVar[int] = 1
    reads: ClassVar[Literal["texts", "vectors", "tokens"]] = "tokens"
    similarity: ClassVar[bool] = False
    keeps_index: ClassVar[bool] = True
    name: Literal["late"] = "late"

    def settings(self) -> dict[str, Any]:
        """Without the fields of the model: where it was found changes nothing, `identity` says what it is."""
        return {k: v for k, v in super().settings().items() if k not in TokenModel.model_fields}

    def identity(self) -> dict[str, Any]:
        """The digests of the model's files, and how they are read."""
        return self.token_identity()

    def index(self, chunks: Side) -> Arrays:
        """`tokens` (all token vectors, chunk after chunk), `sizes` (rows of each), `whole` (its tokens)."""
        matrices = chunks.tokens
        if matrices is None or chunks.tokens_total is None:
            raise TypeError("the late leg reads tokens")
        return {
            "tokens": np.concatenate(matrices) if matrices else np.zeros((0, 0), np.float16),
            "sizes": np.array([len(m) for m in matrices], np.int64),
            "whole": np.asarray(chunks.tokens_total, np.int64),
        }

    def search(self, index: Mapping[str, npt.NDArray[Any]], chunks: Side, queries: Side) -> Iterator[Scored]:
        """See `Leg`. A query or a chunk without any token has no score."""
        if queries.tokens is None:
            raise TypeError("the late leg reads tokens")
        scored = np.flatnonzero(index["sizes"])
        for some in _blocks([len(q) for q in queries.tokens], _QUERY_TOKENS):
            block = queries.tokens[some]
            scores = iter(_scores([q for q in block if len(q)], index["tokens"], index["sizes"][scored]))
            for query in block:
                if len(query):
                    yield Scored(scored, next(scores))
                else:
                    yield Scored(np.zeros(0, np.int64), np.zeros(0), "no query tokens")

    def notes(self, index: Mapping[str, npt.NDArray[Any]]) -> list[str]:
        """How many chunks the model did not read to their end."""
        cut = int((index["whole"] > index["sizes"]).sum())
        n = len(index["sizes"])
        if not cut:
            return []
        return [f"did not read the end of {cut} of {n} chunks ({cut / n:.0%}): longer than the model's limit"]


def _scores(
    queries: Sequence[npt.NDArray[np.float16]], tokens: npt.NDArray[np.float16], sizes: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Shape (len(queries), len(sizes)); no query and no chunk is empty."""
    if not queries or not len(sizes):
        return np.zeros((len(queries), 0))
    stacked, asked = np.concatenate(queries), np.array([len(q) for q in queries], np.int64)
    ends = np.cumsum(sizes)
    parts = []
    for some in _blocks(sizes.tolist(), _CHUNK_TOKENS):
        rows = slice(ends[some.start] - sizes[some.start], ends[some.stop - 1])
        parts.append(maxsims(stacked, asked, tokens[rows], sizes[some]))
    return np.concatenate(parts, axis=1)


def _blocks(sizes: Sequence[int], limit: int) -> Iterator[slice]:
    """Slices of consecutive entries whose sizes sum to at most `limit`, or that hold one entry."""
    start = total = 0
    for i, size in enumerate(sizes):
        if i > start and total + size > limit:
            yield slice(start, i)
            start, total = i, 0
        total += size
    if len(sizes) > start:
        yield slice(start, len(sizes))
