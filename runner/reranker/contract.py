"""What a reranker gives: a score for each (query, chunk text) pair of the pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of one query's texts, in their order."""

    scores: npt.NDArray[np.float64]
    """Shape (n,): raw (a logit, not a probability), finite, higher is better."""
    tokens_total: npt.NDArray[np.int32] | None = None
    """Shape (n,): the model's tokens of query and text, special tokens left out; None: it does not count."""
    tokens_read: npt.NDArray[np.int32] | None = None
    """Shape (n,): how many of them the model read before its limit."""


class Scorer(Protocol):
    """A loaded reranker. The score of a pair depends on that pair alone, not on those scored beside it."""

    def score(self, query: str, texts: Sequence[str]) -> Scored:
        """The scores of `texts` for `query`. Whatever it raises, nothing of this query is kept."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """A component of the group `reranker`; `none` is off and does nothing."""

    name: str
    off: ClassVar[bool]
    cached: ClassVar[bool]
    """Its scores are worth keeping in the store, so that no pair is ever scored twice."""
    pool: int
    """How many of the first candidates of each query it sees."""
    on_error: Literal["raise", "fallback"]
    """`raise`: a failure fails the cell; `fallback`: that query keeps the fused order, counted."""

    def identity(self) -> dict[str, Any]:
        """Everything besides the pair that decides a score (file digests, precision, activation), as JSON.

        Read without any model library; scores are stored under it.
        """
        ...

    def load(self, threads: int, device: str) -> Scorer:
        """The scorer, ready. Raises ComponentError with the mend."""
        ...
