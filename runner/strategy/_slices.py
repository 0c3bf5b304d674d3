"""Slices of a text as tokens with ids, for splitters that encode a text and decode parts of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from runner.tokenizer.contract import Tokens


class Slices:
    """A tokenizer with the methods that chonkie asks for; decoding gives back the source, as it was.

    Args:
        tokens: the run's tokenizer: a slice runs from one token's start to the next; None: it is a character.
    """

    def __init__(self, tokens: Tokens | None) -> None:
        self.tokens = tokens
        self._ids: dict[str, int] = {}
        self._texts: list[str] = []

    def tokenize(self, text: str) -> list[str]:
        """The slices, which joined are the text."""
        if self.tokens is None:
            return list(text)
        starts = np.unique(self.tokens.offsets(text)[:, 0]).tolist()
        return [text[s:e] for s, e in pairwise([0, *starts[1:], len(text)])] if text else []

    def encode(self, text: str) -> list[int]:
        """An id for each slice; equal slices share it."""
        out = []
        for piece in self.tokenize(text):
            if piece not in self._ids:
                self._ids[piece] = len(self._texts)
                self._texts.append(piece)
            out.append(self._ids[piece])
        return out

    def decode(self, ids: Sequence[int]) -> str:
        """The slices of these ids, joined."""
        return "".join(self._texts[i] for i in ids)

    def count_tokens(self, text: str) -> int:
        """The length of a text."""
        return len(text) if self.tokens is None else int(self.tokens.counts([text])[0])
