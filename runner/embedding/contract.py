"""What an embedding model gives: a unit vector per text, and how much of the text it read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Progress = Callable[[int], None]
"""Called with the number of texts done since the last call."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """Vectors of a batch of texts, in its order."""

    vectors: npt.NDArray[np.float32]
    """Shape (n, dimensions), float32. Unit length, or all zero where the model has nothing to say."""
    tokens_total: npt.NDArray[np.int32]
    """Shape (n,): the model's tokens of each text, special tokens left out."""
    tokens_embedded: npt.NDArray[np.int32]
    """Shape (n,): how many of them the model read before its limit."""


class Encoder(Protocol):
    """A loaded model. A vector depends on its text alone, not on its neighbors in a batch."""

    def encode(self, texts: Sequence[str], progress: Progress) -> Encoded:
        """The vectors of `texts`."""
        ...


@runtime_checkable
class Embedding(Protocol):
    """A component of the group `embedding`."""

    name: str
    query_prompt: str
    document_prompt: str

    def notes(self) -> list[str]:
        """What a reader of the results must know of this choice (prompts left out, for instance)."""
        ...

    def identity(self) -> dict[str, Any]:
        """Everything besides the input text that decides a vector, as JSON.

        Read without any model library.
        """
        ...

    def load(self, threads: int, device: str) -> Encoder:
        """The model, ready. Raises ComponentError with the mend."""
        ...
