"""A reranker whose scorer is a function, and which remembers every pair it was asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from runner.config import Component
from runner.reranker.contract import Scored, Scorer

Score = Callable[[str, Sequence[str]], Any]


class Spy(Component):
    """`calls`: what it was given; `says`: what it answers; it reads `limit` words of a pair."""

    off: ClassVar[bool] = False
    cached: ClassVar[bool] = True
    says: ClassVar[Score] = staticmethod(lambda query, texts: [float(len(t)) for t in texts])
    calls: ClassVar[list[tuple[str, list[str]]]] = []
    loaded: ClassVar[list[str]] = []
    name: Literal["spy"] = "spy"
    model: str = "m1"
    limit: int = 1000
    pool: int = 5
    on_error: Literal["raise", "fallback"] = "raise"

    @classmethod
    def pairs(cls) -> list[tuple[str, str]]:
        """Every pair it was asked for, in order, as often as it was asked."""
        return [(query, text) for query, texts in cls.calls for text in texts]

    def identity(self) -> dict[str, Any]:
        return {"model": self.model, "limit": self.limit}

    def load(self, threads: int, device: str) -> Scorer:
        self.loaded.append(self.model)
        return _SpyScorer(self.limit)


class _SpyScorer:
    def __init__(self, limit: int) -> None:
        self._limit = limit

    def score(self, query: str, texts: Sequence[str]) -> Scored:
        Spy.calls.append((query, list(texts)))
        total = np.array([len(query.split()) + len(t.split()) for t in texts], np.int32)
        made = np.array(Spy.says(query, texts), np.float64)
        return Scored(made, total, np.minimum(total, self._limit))
