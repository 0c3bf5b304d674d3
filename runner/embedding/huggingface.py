"""`huggingface`: any sentence-transformers model, by folder or hub id at a pinned revision."""

from __future__ import annotations

import json
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from runner import model_files
from runner.config import Component
from runner.embedding.contract import Encoder


class HuggingFace(Component):
    """A sentence-transformers model.

    Its identity is a digest of its files and of every setting that moves a vector.
    """

    version: ClassVar[int] = 1
    name: str = Field("huggingface", pattern="^huggingface$")
    model: str
    revision: str | None = None
    package: str | None = None
    digests: dict[str, str] = Field(default_factory=dict)
    query_prompt: str = ""
    document_prompt: str = ""
    max_length: int | None = Field(None, gt=2)
    batching: Literal["single", "batched"] = "single"

    def folder(self) -> Path:
        """Where the model's files are. Raises ComponentError with the mend."""
        return model_files.locate_model(self.model, self.revision, self.package, self.digests)

    def notes(self) -> list[str]:
        """That the model declares prompts (a query prefix, say) of which the config gives none."""
        path = self.folder() / "config_sentence_transformers.json"
        declared = json.loads(path.read_text("utf-8")).get("prompts") if path.is_file() else None
        named = {k: v for k, v in (declared or {}).items() if v}
        if not named or self.query_prompt or self.document_prompt:
            return []
        return [f"embedding {self.name}: the model declares prompts ({named}) and the config gives none"]

    def identity(self) -> dict[str, Any]:
        """Digests of the files, the settings, and the major versions of the libraries that compute."""
        return {
            "files": model_files.folder_digests(self.folder()),
            "version": self.version,
            "max_length": self.max_length,
            "precision": "fp32",
            "normalize": True,
            "batching": self.batching,
            "libraries": {
                p: installed(p).split(".")[0] for p in ("sentence-transformers", "transformers", "torch")
            },
        }

    def load(self, threads: int, device: str) -> Encoder:
        """The model on `device`; torch and sentence-transformers are imported here and nowhere else."""
        from runner.embedding._transformer import TransformerEncoder

        return TransformerEncoder(
            self.folder(),
            threads=threads,
            device=device,
            batched=self.batching == "batched",
            max_length=self.max_length,
        )
