"""`onnx`: an encoder saved as an ONNX file beside its `tokenizer.json`, run by onnxruntime (extra `onnx`)."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from runner import model_files
from runner.embedding import _declared
from runner.embedding.contract import Embedding, Encoder, Prompts
from runner.errors import ComponentError

_TOKENIZER = "tokenizer.json"


class Onnx(Embedding):
    """An encoder whose output is a vector for each token, pooled here."""

    version: ClassVar[int] = 1
    name: str = Field("onnx", pattern="^onnx$")
    model: str
    """A folder, or the place of one inside `package`."""
    package: str | None = Field(None, pattern=r"^[A-Za-z_]\w*$")
    """Import name of a package that carries the files; it is read, never imported."""
    file: str = "model.onnx"
    digests: dict[str, str] = Field(default_factory=dict)
    pooling: Literal["cls", "mean"] = "mean"
    """The vector of a text: its first token's, or the mean of all its tokens'."""
    weights: Literal["fp32", "fp16", "int8"] = "fp32"
    """What the file holds. Recorded: quantised weights are another model than the one they were made from."""
    query_prompt: str | None = None
    document_prompt: str | None = None
    max_length: int = Field(512, gt=2)
    dimensions: int | None = Field(None, gt=0)

    def folder(self) -> Path:
        """Where the model's files are. Raises ComponentError with the mend."""
        inside = model_files.folder_in_package(self.package, self.model) if self.package else None
        folder = Path(self.model) if Path(self.model).is_dir() else inside
        if folder is None:
            raise ComponentError(f"embedding {self.name}: '{self.model}' is not on this disk; {self._mend()}")
        for name in (self.file, _TOKENIZER):
            if not (folder / name).is_file():
                raise ComponentError(f"{folder / name}: missing")
        return model_files.checked(folder, self.digests)

    def _mend(self) -> str:
        return f"install the package that carries it ({self.package})" if self.package else "name a folder"

    def prompts(self) -> Prompts:
        """The config's, or where it has None what the folder declares."""
        return _declared.prompts(self.folder(), self.query_prompt, self.document_prompt)

    def notes(self) -> list[str]:
        """That the folder declares prompts of which none is used."""
        return _declared.left_out(self.folder(), self.prompts(), self.name)

    def identity(self) -> dict[str, Any]:
        """Digests of graph, weights and tokenizer, the settings, and the releases of what computes."""
        try:
            libraries = {p: ".".join(installed(p).split(".")[:2]) for p in ("onnxruntime", "tokenizers")}
        except PackageNotFoundError as e:
            raise ComponentError("onnxruntime is not installed: pip install 'rag-runner[onnx]'") from e
        return {
            # Large weights lie beside the graph, in a file whose name begins with the graph's.
            "files": model_files.folder_digests(self.folder(), (f"{self.file}*", _TOKENIZER)),
            "version": self.version,
            "pooling": self.pooling,
            "format": f"onnx-{self.weights}",
            "max_length": self.max_length,
            "dimensions": self.dimensions,
            "normalize": True,
            "batching": "single",
            "libraries": libraries,
        }

    def load(self, threads: int, device: str) -> Encoder:
        """The model on the CPU, whatever the device; onnxruntime is imported here and nowhere else."""
        from runner.embedding._onnx import OnnxEncoder

        return OnnxEncoder(
            self.folder() / self.file,
            self.folder() / _TOKENIZER,
            threads=threads,
            pooling=self.pooling,
            max_length=self.max_length,
            dimensions=self.dimensions,
        )
