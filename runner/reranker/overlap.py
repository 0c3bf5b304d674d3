"""`overlap`: how many words query and chunk share, weighed by their number; deterministic, no model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from runner.config import Component
from runner.reranker.contract import Scored, Scorer

_WORD = re.compile(r"\w\w+")


class Overlap(Component):
    """|Q ∩ C| ÷ √(|Q| · |C|) over the sets of case-folded words of two and more characters (Ochiai 1957)."""

    version: ClassVar[int] = 1
    off: ClassVar[bool] = False
    cached: ClassVar[bool] = False  # counting again is faster than reading
    name: Literal["overlap"] = "overlap"
    pool: int = Field(20, gt=0)
    on_error: Literal["raise", "fallback"] = "raise"

    def identity(self) -> dict[str, Any]:
        """Only its version: there is no file behind it."""
        return {"model": "overlap", "version": self.version, "activation": "none"}

    def load(self, threads: int, device: str) -> Scorer:
        """Itself: nothing has to be loaded."""
        return _OverlapScorer()


class _OverlapScorer:
    def score(self, query: str, texts: Sequence[str]) -> Scored:
        """See `Scorer`. 0 where either side has no word."""
        asked = set(_WORD.findall(query.casefold()))
        found = [set(_WORD.findall(t.casefold())) for t in texts]
        shares = [len(asked & f) / (len(asked) * len(f)) ** 0.5 if asked and f else 0.0 for f in found]
        return Scored(np.array(shares, np.float64))
