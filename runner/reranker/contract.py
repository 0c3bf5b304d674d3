"""What a reranker gives: a score for each (query, chunk text) pair of the pool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt


class Scorer(Protocol):
    """A loaded reranker. The score of a pair depends on that pair alone."""

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Shape (len(texts),), raw (a logit, not a probability), higher is better."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """A component of the group `reranker`; `none` is off and does nothing."""

    name: str
    off: ClassVar[bool]
    pool: int
    """How many of the first candidates of each query it sees."""
    on_error: Literal["raise", "fallback"]
    """`raise`: a failure fails the cell; `fallback`: that query keeps the fused order, counted."""

    def identity(self) -> dict[str, Any]:
        """Everything besides the pair that decides a score (file digests, precision, activation), as JSON."""
        ...

    def load(self, threads: int, device: str) -> Scorer:
        """The scorer, ready. Raises ComponentError with the mend."""
        ...
