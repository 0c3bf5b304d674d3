"""What the tokenizers that run on the `tokenizers` library (Rust) share: lawful offsets and fast counts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

import numpy as np

from runner import keys
from runner.errors import ComponentError
from runner.tokenizer.contract import Ints

_BATCH = 1024
"""Texts counted at once: the library keeps everything it knows of each until the batch is done."""

_SURROGATES = re.compile("[\ud800-\udfff]")


class FastTokens:
    """A loaded `tokenizers.Tokenizer`. See `Tokens`."""

    def __init__(self, tokenizer: Any) -> None:
        """Switch off what a saved tokenizer brings: truncation, padding, special tokens found in text."""
        tokenizer.no_truncation()
        tokenizer.no_padding()
        # add_special_tokens=False keeps special tokens from being added; this, from being recognised.
        tokenizer.encode_special_tokens = True
        self._tokenizer = tokenizer

    def offsets(self, text: str) -> Ints:
        """See `Tokens`; shape (n, 2). Byte-level tokens inside one character share its span."""
        found = self._tokenizer.encode(_encodable(text), add_special_tokens=False).offsets
        spans = np.array(found, dtype=np.int64).reshape(-1, 2)
        # Whatever a file's normaliser does to the order of characters: a cut point must never go back.
        spans[:, 0] = np.maximum.accumulate(spans[:, 0])
        spans[:, 1] = np.maximum(spans[:, 0], spans[:, 1])
        return spans

    def counts(self, texts: Sequence[str]) -> Ints:
        """See `Tokens`; shape (len(texts),)."""
        out = np.empty(len(texts), np.int64)
        for at in range(0, len(texts), _BATCH):
            batch = [_encodable(t) for t in texts[at : at + _BATCH]]
            encoded = self._tokenizer.encode_batch_fast(batch, add_special_tokens=False)
            out[at : at + len(batch)] = [len(e) for e in encoded]
        return out


def _encodable(text: str) -> str:
    """`text`, with U+FFFD for each lone surrogate: the library takes none, and so no position moves."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def from_json(path: Path) -> FastTokens:
    """The tokenizer that the `tokenizer.json` at `path` describes.

    Raises:
        ComponentError: the file is no such description.
    """
    from tokenizers import Tokenizer

    try:
        described = json.loads(path.read_bytes())
        # The post-processor adds special tokens or trims white space off offsets; we want neither.
        described.update(truncation=None, padding=None, post_processor=None)
        return FastTokens(Tokenizer.from_str(json.dumps(described)))
    except Exception as e:  # the library raises bare Exception
        raise ComponentError(f"{path}: cannot be read as a Hugging Face tokenizer.json ({e})") from e


def file_at(path: str, tokenizer: str, wanted: str) -> Path:
    """`path` as an existing file.

    Raises:
        ComponentError: there is none; names the tokenizer and the knob.
    """
    found = Path(path).expanduser()
    if not found.is_file():
        raise ComponentError(f"tokenizer {tokenizer}: no file at '{path}'; set tokenizer.path to {wanted}")
    return found


def identity(path: Path, *settings: str) -> str:
    """A digest of file, settings and `tokenizers` release (major.minor); the library is not imported."""
    release = ".".join(installed("tokenizers").split(".")[:2])
    return keys.digest([keys.file_digest(path), *settings, f"tokenizers {release}"])
