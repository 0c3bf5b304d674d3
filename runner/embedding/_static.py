"""A table of token vectors: the vector of a text is the mean of those of its tokens."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from runner.embedding._rows import encodable, refuse_more_than, unit
from runner.embedding.contract import Encoded, Progress
from runner.errors import ComponentError

_NAMES = ("embeddings", "embedding.weight")
"""What the table is called in a safetensors file: by model2vec, and by torch for an embedding layer."""


class StaticEncoder:
    """Sums in float64, in the order of the tokens: a vector depends on its text alone."""

    def __init__(
        self, table: Path, tokenizer: Path, *, max_length: int | None, dimensions: int | None
    ) -> None:
        try:
            from tokenizers import Tokenizer

            self._tokenizer: Any = Tokenizer.from_file(str(tokenizer))
        except Exception as e:  # the library raises bare Exception
            raise ComponentError(f"{tokenizer}: cannot be read as a Hugging Face tokenizer.json ({e})") from e
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        parts = _arrays(table)
        self._table = parts["table"]
        refuse_more_than(self._table.shape[1], dimensions)
        self._rows, self._weights = parts.get("mapping"), parts.get("weights")
        known = len(self._table) if self._rows is None else len(self._rows)
        if self._tokenizer.get_vocab_size() > known:
            raise ComponentError(
                f"{table}: {known} rows for {self._tokenizer.get_vocab_size()} tokens of {tokenizer.name}"
            )
        self._unknown = _unknown(self._tokenizer)
        self._limit, self._dimensions = max_length, dimensions

    def encode(self, texts: Sequence[str], progress: Progress) -> Encoded:
        """See `Encoder`. A text without a known token gets the zero vector."""
        raw = np.zeros((len(texts), self._table.shape[1]), np.float64)
        total, kept = np.zeros(len(texts), np.int32), np.zeros(len(texts), np.int32)
        encodings = self._tokenizer.encode_batch_fast([encodable(t) for t in texts], add_special_tokens=False)
        for i, encoding in enumerate(encodings):
            ids = np.array(encoding.ids, np.int64)
            read = ids[: self._limit]
            total[i], kept[i] = len(ids), len(read)
            if self._unknown is not None:
                read = read[read != self._unknown]
            if len(read):
                raw[i] = self._vectors(read).sum(axis=0) / len(read)
            progress(1)
        return Encoded(unit(raw.astype(np.float32), self._dimensions), total, kept)

    def count(self, texts: Sequence[str]) -> npt.NDArray[np.int32]:
        """See `Encoder`."""
        known = self._tokenizer.encode_batch_fast([encodable(t) for t in texts], add_special_tokens=False)
        return np.array([len(e.ids) for e in known], np.int32)

    def _vectors(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        found = self._table[ids if self._rows is None else self._rows[ids]].astype(np.float64)
        return found if self._weights is None else found * self._weights[ids].astype(np.float64)[:, None]


def _arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """`table` (rows, dimensions), and where the file has them `mapping` and `weights` of each token."""
    try:
        if path.suffix == ".npy":
            found = {"table": np.load(path, allow_pickle=False)}
        else:
            from safetensors.numpy import load_file

            held = load_file(path)
            name = next((n for n in _NAMES if n in held), "")
            found = {"table": held[name], **{k: held[k] for k in ("mapping", "weights") if k in held}}
    except Exception as e:  # the libraries raise kinds of their own
        raise ComponentError(f"{path}: holds no table of token vectors ({type(e).__name__}: {e})") from e
    if found["table"].ndim != 2:
        raise ComponentError(f"{path}: the table has shape {found['table'].shape}, not (tokens, dimensions)")
    return found


def _unknown(tokenizer: Any) -> int | None:
    """The id of the token that stands for any unknown word: it says nothing, so it is left out."""
    model = json.loads(tokenizer.to_str())["model"]
    if model.get("unk_id") is not None:
        return int(model["unk_id"])
    found: int | None = tokenizer.token_to_id(model["unk_token"]) if model.get("unk_token") else None
    return found
