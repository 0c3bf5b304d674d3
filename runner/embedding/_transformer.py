"""Running a sentence-transformers model so that a vector depends on its text alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from runner.embedding._rows import encodable, refuse_more_than, unit
from runner.embedding.contract import Encoded, Progress
from runner.errors import ComponentError


class TransformerEncoder:
    """One text per forward pass, one intra-op thread, many Python threads: bit-equal in any order.

    `batched` hands whole batches to the library instead (for accelerators); the last bits of a vector then
    depend on the batch it was in, which is why the choice is in the model's identity.
    """

    def __init__(
        self,
        folder: Path,
        *,
        threads: int,
        device: str,
        batched: bool,
        max_length: int | None,
        batch: int = 32,
        dimensions: int | None = None,
        precision: str = "fp32",
        trusted: bool = False,
    ) -> None:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        try:
            import torch
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging as noise

            noise.disable_progress_bar()
            torch.set_num_threads(1)
            model: Any = SentenceTransformer(
                str(folder), device=device, local_files_only=True, trust_remote_code=trusted
            )
        except (OSError, ValueError, ImportError, RuntimeError) as e:
            raise ComponentError(f"{folder}: is no sentence-transformers model that loads here ({e})") from e
        # Some checkpoints are stored, and then loaded, in half precision: what is asked for decides.
        self._model = model.to(torch.bfloat16 if precision == "bf16" else torch.float32).eval()
        refuse_more_than(_width(self._model), dimensions)
        if max_length:
            self._model.max_seq_length = max_length
        self._limit = int(self._model.max_seq_length or 0)
        self._threads = threads or os.cpu_count() or 1
        self._batched, self._batch = batched, batch
        self._dimensions = dimensions
        self._torch = torch

    def encode(self, texts: Sequence[str], progress: Progress) -> Encoded:
        """See `Encoder`."""
        texts = [encodable(t) for t in texts]
        total, kept = self._count(texts)
        if self._batched:
            # prompt="": the library must not add the model's own to the text, which has its prompt already.
            out = self._model.encode(
                texts, prompt="", batch_size=self._batch, show_progress_bar=False, convert_to_tensor=True
            )
            raw = out.float().cpu().numpy() if texts else np.zeros((0, 0), np.float32)
            progress(len(texts))
        else:
            with ThreadPoolExecutor(self._threads) as pool:
                rows = []
                for row in pool.map(self._one, texts):
                    rows.append(row)
                    progress(1)
            raw = np.stack(rows) if rows else np.zeros((0, 0), np.float32)
        return Encoded(unit(raw, self._dimensions), total, kept)

    def count(self, texts: Sequence[str]) -> npt.NDArray[np.int32]:
        """See `Encoder`."""
        return self._count([encodable(t) for t in texts])[0]

    def _one(self, text: str) -> npt.NDArray[np.float32]:
        model = self._model
        try:
            with self._torch.inference_mode():
                features = (model.preprocess if hasattr(model, "preprocess") else model.tokenize)([text])
                placed = {k: v.to(model.device) for k, v in features.items() if hasattr(v, "to")}
                out = model.forward(placed)["sentence_embedding"][0]
                vector: npt.NDArray[np.float32] = out.float().cpu().numpy()
        except (IndexError, RuntimeError) as e:  # more tokens than places, or no memory left
            raise ComponentError(
                f"the model failed on {text[:80]!r} ({e}); it was to read up to {self._limit} tokens: "
                "a smaller embedding.max_length may help"
            ) from e
        return vector

    def _count(self, texts: Sequence[str]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Tokens of each text, and how many the model's limit lets in beside its special tokens."""
        tokenizer = self._model.tokenizer
        if not texts:
            return np.zeros(0, np.int32), np.zeros(0, np.int32)
        ids = tokenizer(
            list(texts), add_special_tokens=False, truncation=False, padding=False, verbose=False
        )["input_ids"]
        total = np.fromiter((len(i) for i in ids), np.int32, len(texts))
        room = (
            self._limit - int(tokenizer.num_special_tokens_to_add())
            if self._limit
            else np.iinfo(np.int32).max
        )
        return total, np.minimum(total, room).astype(np.int32)


def _width(model: Any) -> int | None:
    """The dimensions that the model says it gives; the method was renamed in sentence-transformers 6."""
    for name in ("get_embedding_dimension", "get_sentence_embedding_dimension"):
        if hasattr(model, name):
            found = getattr(model, name)()
            return None if found is None else int(found)
    return None
