"""`late`: each token of the query finds its best token of the chunk (MaxSim); needs no training for it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from runner.config import Component
from runner.late_interaction import Matrix, TokenEncoder, TokenModel, maxsim
from runner.reranker.contract import Scored, Scorer

_KEPT = 64 << 20
"""Bytes of token vectors of chunks kept in memory: a chunk is in the pools of many queries."""


class Late(TokenModel, Component):
    """ColBERT's score (Khattab and Zaharia, SIGIR 2020) ÷ tokens of the query, so it lies in [-1, 1].

    Σ over tokens of the query of the largest cosine with a token of the chunk ÷ number of the query's tokens.
    """

    version: ClassVar[int] = 1
    off: ClassVar[bool] = False
    cached: ClassVar[bool] = True
    name: Literal["late"] = "late"
    pool: int = Field(50, gt=0)
    on_error: Literal["raise", "fallback"] = "raise"

    def identity(self) -> dict[str, Any]:
        """What decides the token vectors, and what is made of them."""
        return {"score": f"maxsim/tokens/v{self.version}", "activation": "none", **self.token_identity()}

    def load(self, threads: int, device: str) -> Scorer:
        """The model on `device`."""
        return _LateScorer(self.encoder(threads, device))


class _LateScorer:
    def __init__(self, encoder: TokenEncoder) -> None:
        self._encoder = encoder
        self._kept: OrderedDict[str, Matrix] = OrderedDict()
        self._bytes = 0

    def score(self, query: str, texts: Sequence[str]) -> Scored:
        """See `Scorer`. 0 where either side has no token."""
        new = [t for t in dict.fromkeys(texts) if t not in self._kept]
        asked, *made = self._encoder.token_vectors([query, *new])
        at_hand = {t: self._kept[t] for t in texts if t in self._kept} | dict(zip(new, made, strict=True))
        chunks = [at_hand[t] for t in texts]
        self._keep(at_hand)
        total = self._encoder.tokens_total([query, *texts])
        read = np.array([len(c) for c in chunks], np.int32) + len(asked)
        return Scored(
            maxsim(asked, chunks) / max(1, len(asked)), (total[1:] + total[0]).astype(np.int32), read
        )

    def _keep(self, used: dict[str, Matrix]) -> None:
        """Keep what was used last, within `_KEPT` bytes."""
        for text, rows in used.items():
            if text not in self._kept:
                self._kept[text] = rows
                self._bytes += rows.nbytes
            self._kept.move_to_end(text)
        while self._bytes > _KEPT:
            self._bytes -= self._kept.popitem(last=False)[1].nbytes
