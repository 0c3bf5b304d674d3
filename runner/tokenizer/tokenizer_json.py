"""`tokenizer_json`: any tokenizer that is saved as a Hugging Face `tokenizer.json`."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from runner.config import Component
from runner.tokenizer import _fast
from runner.tokenizer.contract import Tokens

_WANTED = "a tokenizer.json (every fast tokenizer on the Hugging Face hub has one)"


class TokenizerJson(Component):
    """The tokens of the file's model; its truncation, padding and special tokens are left aside."""

    version: ClassVar[int] = 1
    name: Literal["tokenizer_json"] = "tokenizer_json"
    path: str = Field(min_length=1)
    """The file, from the working directory; `~` is the home folder."""

    def settings(self) -> dict[str, Any]:
        """Nothing: `identity` holds the content of the file, and where it lies changes no result."""
        return {}

    def identity(self) -> str:
        """A digest of the file and the library release. Raises ComponentError when the file is not there."""
        return _fast.identity(_fast.file_at(self.path, self.name, _WANTED))

    def load(self) -> Tokens:
        """The tokenizer, ready. Raises ComponentError when the file is not there or is something else."""
        return _fast.from_json(_fast.file_at(self.path, self.name, _WANTED))
