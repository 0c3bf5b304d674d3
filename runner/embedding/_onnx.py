"""Running an ONNX encoder so that a vector depends on its text alone."""

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


class OnnxEncoder:
    """One text per call, one intra-op thread, many Python threads: bit-equal in any order.

    An int8 model scales its activations by what is in the call, so a batch would move every vector in it.
    """

    def __init__(
        self,
        graph: Path,
        tokenizer: Path,
        *,
        threads: int,
        pooling: str,
        max_length: int,
        dimensions: int | None,
    ) -> None:
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as e:
            raise ComponentError("onnxruntime is not installed: pip install 'rag-runner[onnx]'") from e
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3  # errors only; what it warns of is its own business
        try:
            self._session: Any = onnxruntime.InferenceSession(
                str(graph), options, providers=["CPUExecutionProvider"]
            )
            self._whole, self._cut = (Tokenizer.from_file(str(tokenizer)) for _ in range(2))
        except Exception as e:  # both libraries raise kinds of their own: no such file, or a bad one
            raise ComponentError(f"{graph}: does not load here with {tokenizer.name} ({e})") from e
        for loaded in (self._whole, self._cut):
            loaded.no_padding()
        self._whole.no_truncation()
        self._cut.enable_truncation(max_length)
        self._special = self._cut.num_special_tokens_to_add(False)
        self._inputs = [i.name for i in self._session.get_inputs()]
        output = _token_vectors(graph, self._session.get_outputs())
        self._output = str(output.name)
        refuse_more_than(output.shape[2] if isinstance(output.shape[2], int) else None, dimensions)
        self._threads = threads or os.cpu_count() or 1
        self._mean, self._dimensions, self._limit = pooling == "mean", dimensions, max_length

    def encode(self, texts: Sequence[str], progress: Progress) -> Encoded:
        """See `Encoder`."""
        rows, total, kept = [], np.zeros(len(texts), np.int32), np.zeros(len(texts), np.int32)
        with ThreadPoolExecutor(self._threads) as pool:
            for i, (row, whole, read) in enumerate(pool.map(self._one, map(encodable, texts))):
                rows.append(row)
                total[i], kept[i] = whole, read
                progress(1)
        raw = np.stack(rows) if rows else np.zeros((0, 0), np.float32)
        return Encoded(unit(raw, self._dimensions), total, kept)

    def count(self, texts: Sequence[str]) -> npt.NDArray[np.int32]:
        """See `Encoder`."""
        whole = self._whole.encode_batch_fast([encodable(t) for t in texts], add_special_tokens=False)
        return np.array([len(e.ids) for e in whole], np.int32)

    def _one(self, text: str) -> tuple[npt.NDArray[np.float32], int, int]:
        """The vector of a text, how many tokens it has, and how many were read."""
        read = self._cut.encode(text)
        whole = len(read.ids)
        if whole >= self._limit:
            whole = len(self._whole.encode(text).ids)
        had = {"input_ids": read.ids, "attention_mask": read.attention_mask, "token_type_ids": read.type_ids}
        try:
            given = {name: np.array([had[name]], np.int64) for name in self._inputs}
            out = self._session.run([self._output], given)[0][0].astype(np.float32)
        except Exception as e:  # onnxruntime raises kinds of its own; KeyError: an unknown input
            raise ComponentError(
                f"the model failed on {text[:80]!r} ({e}); it was to read up to {self._limit} tokens: "
                "a smaller embedding.max_length may help"
            ) from e
        vector: npt.NDArray[np.float32] = out.mean(axis=0) if self._mean else out[0]
        return vector, whole - self._special, len(read.ids) - self._special


def _token_vectors(graph: Path, outputs: Sequence[Any]) -> Any:
    """The output with a vector for each token."""
    found = [o for o in outputs if len(o.shape) == 3]
    known = [o for o in found if o.name in {"last_hidden_state", "token_embeddings"}]
    if not found:
        raise ComponentError(f"{graph}: has no output of shape (texts, tokens, dimensions) to pool")
    return (known or found)[0]
