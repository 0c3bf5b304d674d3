"""`words`: Unicode words, every other visible character by itself; no files. For tests and dry runs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from runner import keys
from runner.config import Component
from runner.tokenizer.contract import Ints, Tokens

_TOKEN = re.compile(r"\w+|[^\w\s]")


class Words(Component):
    """A token is a run of letters, digits and underscores, or one other character that is no white space."""

    version: ClassVar[int] = 1
    name: Literal["words"] = "words"

    def identity(self) -> str:
        """A digest of the pattern and of the Unicode version that says what a letter is."""
        return keys.digest([_TOKEN.pattern, f"Unicode {unicodedata.unidata_version}"])

    def load(self) -> Tokens:
        """Ready at once."""
        return _WordTokens()


class _WordTokens:
    def offsets(self, text: str) -> Ints:
        """See `Tokens`; shape (n, 2)."""
        return np.array([m.span() for m in _TOKEN.finditer(text)], dtype=np.int64).reshape(-1, 2)

    def counts(self, texts: Sequence[str]) -> Ints:
        """See `Tokens`; shape (len(texts),)."""
        return np.array([len(_TOKEN.findall(t)) for t in texts], dtype=np.int64)
