"""Small corpora for the tests of the legs, and what a leg finds in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runner.retrieval.bm25 import BM25
from runner.retrieval.contract import Side
from runner.retrieval.stage import LegHits, search
from runner.retrieval.vector import Vector

Rows = list[tuple[int, float]]


def by_query(hits: LegHits, n: int) -> list[Rows]:
    """(chunk, score) of each of `n` queries, by rank."""
    out: list[Rows] = [[] for _ in range(n)]
    for query, chunk, score, rank in hits.frame.sort("query", "rank").iter_rows():
        out[query].append((chunk, score))
        assert rank == len(out[query])
    return out


def plain(**settings: object) -> BM25:
    """BM25 without stop words and stemming, so that words are terms."""
    return BM25.model_validate({"stopwords": "none", "stemmer": "none", **settings})


def words_found(leg: BM25, texts: Sequence[str], queries: Sequence[str]) -> tuple[list[Rows], dict[int, str]]:
    """What BM25 finds, and why a query has nothing."""
    hits = search(leg, leg.index(Side(texts=list(texts))), Side(), Side(texts=list(queries)))
    return by_query(hits, len(queries)), hits.reasons


def near(
    chunks: Sequence[Sequence[float]] | np.ndarray,
    queries: Sequence[Sequence[float]] | np.ndarray,
    depth: int = 100,
) -> tuple[list[Rows], dict[int, str]]:
    """What the vector leg finds."""
    sides = (Side(vectors=np.asarray(x, np.float32)) for x in (chunks, queries))
    hits = search(Vector(depth=depth), {}, *sides)
    return by_query(hits, len(queries)), hits.reasons
