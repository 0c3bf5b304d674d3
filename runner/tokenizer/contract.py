"""What a tokenizer gives: where the tokens of a text lie, and how many a text has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


class Tokens(Protocol):
    """A loaded tokenizer."""

    def offsets(self, text: str) -> Ints:
        """Shape (n, 2): `[start, end)` of every token of `text`, in code points of `text`, starts ascending.

        Tokens that are parts of one character (byte-level vocabularies) share that character's span. No
        special tokens, no truncation; text that looks like a special token is ordinary text.
        """
        ...

    def counts(self, texts: Sequence[str]) -> Ints:
        """Shape (len(texts),): tokens of each text by itself."""
        ...


@runtime_checkable
class Tokenizer(Protocol):
    """A component of the group `tokenizer`."""

    name: str

    def identity(self) -> str:
        """A digest of what decides the tokens (files, pattern, library major); never a name."""
        ...

    def load(self) -> Tokens:
        """The tokenizer, ready. Raises ComponentError with the mend when its files are not there."""
        ...
