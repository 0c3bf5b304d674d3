"""What an embedding model gives: a unit vector per text, and how much of the text it read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from runner.config import Component

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
    tokens_billed: int = 0
    """What a service says that it charges for; 0 for a model on this machine."""


class Encoder(Protocol):
    """A loaded model. A vector depends on its text alone, not on its neighbors in a batch."""

    def encode(self, texts: Sequence[str], progress: Progress) -> Encoded:
        """The vectors of `texts`."""
        ...

    def count(self, texts: Sequence[str]) -> npt.NDArray[np.int32] | None:
        """The model's tokens of each text, as `Encoded.tokens_total`, without embedding; None: it cannot."""
        ...


class Prompts(NamedTuple):
    """What is put before the text of a query, and before that of a chunk; by the house, once."""

    query: str
    document: str


class Embedding(Component):
    """A component of the group `embedding`. What most models have in common is here; two methods are not."""

    remote: ClassVar[bool] = False
    """Texts leave this machine, perhaps for money: nothing is embedded just to learn its speed."""
    query_prompt: str | None = ""
    document_prompt: str | None = ""
    on_truncate: Literal["warn", "error"] = "warn"
    """Texts longer than the model reads: `warn` counts them, `error` fails the cell."""

    def prompts(self) -> Prompts:
        """The prompts in effect. A component that knows its model's own takes None for `the model's own`."""
        return Prompts(self.query_prompt or "", self.document_prompt or "")

    def notes(self) -> list[str]:
        """What a reader of the results must know of this choice (prompts left out, for instance)."""
        return []

    def price(self) -> float | None:
        """Money for a million tokens; None: nothing is charged, or the price is not known."""
        return None

    def identity(self) -> dict[str, Any]:
        """Everything besides the input text that decides a vector, as JSON.

        Read without any model library.
        """
        raise NotImplementedError

    def load(self, threads: int, device: str) -> Encoder:
        """The model, ready. Raises ComponentError with the mend."""
        raise NotImplementedError
