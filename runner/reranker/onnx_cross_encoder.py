"""`onnx_cross_encoder`: a cross-encoder exported to ONNX, quantised or not, run by onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from runner import model_files
from runner.config import Component
from runner.errors import ComponentError
from runner.reranker._pairs import Tokenized, one_by_one
from runner.reranker.contract import Scored, Scorer

_TOKENIZER = "tokenizer.json"


class OnnxCrossEncoder(Component):
    """A folder with a model file and its `tokenizer.json`; the one logit is the score.

    An int8 model quantises its activations by what it is given at a time, so that pairs in one batch would
    move each other's scores by far more than rounding: here each pair is a forward pass of its own.
    """

    version: ClassVar[int] = 1
    off: ClassVar[bool] = False
    cached: ClassVar[bool] = True
    name: str = Field("onnx_cross_encoder", pattern="^onnx_cross_encoder$")
    model: str
    """A folder, or the place of one inside `package`."""
    package: str | None = Field(None, pattern=r"^[A-Za-z_]\w*$")
    """Import name of a package that carries the files; it is read, never imported."""
    file: str = "model.onnx"
    digests: dict[str, str] = Field(default_factory=dict)
    weights: Literal["fp32", "fp16", "int8"] = "fp32"
    """What the file holds. Recorded: quantised weights are another model than the one they were made from."""
    max_length: int = Field(512, gt=3)
    pool: int = Field(50, gt=0)
    on_error: Literal["raise", "fallback"] = "raise"

    def folder(self) -> Path:
        """Where the files are; what `digests` names is checked. Raises ComponentError with the mend."""
        inside = model_files.folder_in_package(self.package, self.model) if self.package else None
        folder = Path(self.model) if Path(self.model).is_dir() else inside
        if folder is None:
            raise ComponentError(f"reranker {self.name}: '{self.model}' is not on this disk; {self._mend()}")
        for name in (self.file, _TOKENIZER):
            if not (folder / name).is_file():
                raise ComponentError(f"{folder / name}: missing")
        return model_files.checked(folder, self.digests)

    def _mend(self) -> str:
        return f"install the package that carries it ({self.package})" if self.package else "name a folder"

    def identity(self) -> dict[str, Any]:
        """Digests of model and tokenizer, the settings, and the libraries that compute."""
        return {
            # Large weights lie beside the graph, in a file whose name begins with the graph's.
            "files": model_files.folder_digests(self.folder(), (f"{self.file}*", _TOKENIZER)),
            "format": f"onnx-{self.weights}",
            "version": self.version,
            "max_length": self.max_length,
            "activation": "identity",
            "truncation": "longest_first",
            "libraries": {n: _minor(n) for n in ("onnxruntime", "tokenizers")},
        }

    def load(self, threads: int, device: str) -> Scorer:
        """The model on the CPU; onnxruntime is imported here and nowhere else."""
        return _OnnxScorer(self.folder(), self.file, self.max_length, threads)


class _OnnxScorer:
    def __init__(self, folder: Path, file: str, max_length: int, threads: int) -> None:
        _minor("onnxruntime")
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3  # errors only; what it warns of is its own business
        try:
            self._session: Any = onnxruntime.InferenceSession(
                str(folder / file), options, providers=["CPUExecutionProvider"]
            )
            self._tokenizer, self._whole = (Tokenizer.from_file(str(folder / _TOKENIZER)) for _ in range(2))
        except Exception as e:  # both libraries raise kinds of their own
            raise ComponentError(f"{folder}: is no model that loads here ({e})") from e
        if [o.shape[1:] for o in self._session.get_outputs()] != [[1]]:
            raise ComponentError(f"{folder / file}: does not give one logit a pair; a reranker needs one")
        self._names = {i.name for i in self._session.get_inputs()}
        for tokenizer in (self._tokenizer, self._whole):
            tokenizer.no_padding()
        self._whole.no_truncation()
        self._tokenizer.enable_truncation(max_length, strategy="longest_first")
        self._special = int(self._whole.num_special_tokens_to_add(True))
        self._threads = threads

    def score(self, query: str, texts: Sequence[str]) -> Scored:
        """See `Scorer`."""
        return one_by_one(query, texts, self._tokenize, self._logit, self._threads)

    def _tokenize(self, query: str, text: str) -> Tokenized:
        total = len(self._whole.encode(query, text).ids) - self._special
        cut = self._tokenizer.encode(query, text)
        given = {"input_ids": cut.ids, "attention_mask": cut.attention_mask, "token_type_ids": cut.type_ids}
        inputs = {n: np.array([v], np.int64) for n, v in given.items() if n in self._names}
        return Tokenized(inputs, total, len(cut.ids) - self._special)

    def _logit(self, inputs: dict[str, Any]) -> float:
        return float(self._session.run(None, inputs)[0][0, 0])


def _minor(library: str) -> str:
    """Its version, major and minor: kernels of onnxruntime change between these."""
    try:
        return ".".join(installed(library).split(".")[:2])
    except PackageNotFoundError:
        raise ComponentError(f"{library} is not installed: pip install 'rag-runner[onnx]'") from None
