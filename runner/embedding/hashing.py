"""`hashing`: vectors from hashed words and character trigrams; no model, for tests and dry runs."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from runner.embedding.contract import Embedding, Encoded, Encoder, Progress

_WORD = re.compile(r"\w+")


class Hashing(Embedding):
    """Feature hashing (Weinberger et al. 2009) with signs: words count 1, their character trigrams 0.5."""

    version: ClassVar[int] = 1
    name: Literal["hashing"] = "hashing"
    dimensions: int = Field(256, ge=8, le=4096)

    def notes(self) -> list[str]:
        """That it is no model."""
        return ["embedding hashing knows words, not meaning: for tests and dry runs only"]

    def identity(self) -> dict[str, Any]:
        """Name, version and width: there is no file behind it."""
        return {"model": "hashing", "version": self.version, "dimensions": self.dimensions}

    def load(self, threads: int, device: str) -> Encoder:
        """Itself: nothing has to be loaded."""
        return _HashingEncoder(self.dimensions)


class _HashingEncoder:
    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._places: dict[str, tuple[int, float]] = {}

    def encode(self, texts: Sequence[str], progress: Progress) -> Encoded:
        """See `Encoder`. A text without a word gets the zero vector."""
        rows = np.zeros((len(texts), self._dimensions), np.float64)
        tokens = np.zeros(len(texts), np.int32)
        for row, text in enumerate(texts):
            words = _WORD.findall(text.casefold())
            tokens[row] = len(words)
            # Counted and summed in sorted order: the sum of floats must not depend on where a word stands.
            for feature, weight in sorted(Counter(words).items()):
                for piece, share in _pieces(feature):
                    place, sign = self._place(piece)
                    rows[row, place] += sign * share * weight
            progress(1)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        vectors = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0).astype(np.float32)
        return Encoded(vectors, tokens, tokens.copy())

    def count(self, texts: Sequence[str]) -> npt.NDArray[np.int32]:
        """See `Encoder`."""
        return np.array([len(_WORD.findall(t.casefold())) for t in texts], np.int32)

    def _place(self, piece: str) -> tuple[int, float]:
        if piece not in self._places:
            value = int.from_bytes(
                hashlib.blake2b(piece.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            )
            self._places[piece] = (value // 2 % self._dimensions, 1.0 if value % 2 else -1.0)
        return self._places[piece]


def _pieces(word: str) -> Iterator[tuple[str, float]]:
    yield "w" + word, 1.0
    framed = f"<{word}>"
    for i in range(len(framed) - 2):
        yield "t" + framed[i : i + 3], 0.5
