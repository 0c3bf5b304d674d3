"""`static`: a table of token vectors (model2vec's form), averaged; far faster than a transformer."""

from __future__ import annotations

from importlib.metadata import version as installed
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from runner import model_files
from runner.embedding import _declared
from runner.embedding.contract import Embedding, Encoder, Prompts
from runner.errors import ComponentError


class Static(Embedding):
    """Token vectors from a safetensors or npy file, with weights and a mapping where it has them."""

    version: ClassVar[int] = 1
    name: str = Field("static", pattern="^static$")
    model: str
    revision: str | None = Field(None, pattern="^[0-9a-f]{40}$")
    digests: dict[str, str] = Field(default_factory=dict)
    table: str = "model.safetensors"
    """The file with the vectors, in the model's folder: .safetensors, or .npy."""
    tokenizer: str = "tokenizer.json"
    query_prompt: str | None = None
    document_prompt: str | None = None
    max_length: int | None = Field(512, gt=0)
    """Tokens read; None: all. model2vec reads 512."""
    dimensions: int | None = Field(None, gt=0)

    def folder(self) -> Path:
        """Where the model's files are. Raises ComponentError with the mend."""
        return model_files.locate_model(self.model, self.revision, None, self.digests)

    def prompts(self) -> Prompts:
        """The config's, or where it has None what the folder declares."""
        return _declared.prompts(self.folder(), self.query_prompt, self.document_prompt)

    def notes(self) -> list[str]:
        """That the folder declares prompts of which none is used."""
        return _declared.left_out(self.folder(), self.prompts(), self.name)

    def identity(self) -> dict[str, Any]:
        """Digests of table and tokenizer, the settings, and the release of the tokenizers library."""
        return {
            "files": self._digests(),
            "version": self.version,
            "max_length": self.max_length,
            "dimensions": self.dimensions,
            "normalize": True,
            "libraries": {"tokenizers": ".".join(installed("tokenizers").split(".")[:2])},
        }

    def _digests(self) -> dict[str, str]:
        folder = self.folder()
        found = model_files.folder_digests(folder, (self.table, self.tokenizer))
        for name in (self.table, self.tokenizer):
            if name not in found:
                raise ComponentError(f"embedding {self.name}: {folder} has no file '{name}'")
        return {"table": found[self.table], "tokenizer": found[self.tokenizer]}

    def load(self, threads: int, device: str) -> Encoder:
        """The table in memory. Raises ComponentError when a file is missing or is something else."""
        from runner.embedding._static import StaticEncoder

        folder = self.folder()
        return StaticEncoder(
            folder / self.table,
            folder / self.tokenizer,
            max_length=self.max_length,
            dimensions=self.dimensions,
        )
