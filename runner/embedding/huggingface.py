"""`huggingface`: any sentence-transformers model, by folder or hub id at a pinned revision."""

from __future__ import annotations

from importlib.metadata import version as installed
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from runner import model_files, trust
from runner.embedding import _declared
from runner.embedding.contract import Embedding, Encoder, Prompts
from runner.errors import RequestError


class HuggingFace(Embedding):
    """A sentence-transformers model.

    Its identity is a digest of its files and of every setting that moves a vector.
    """

    version: ClassVar[int] = 1
    wants_prompts: ClassVar[tuple[str, str] | None] = None
    """Query and document prompt that a model was trained with and must not go without."""
    name: str = Field("huggingface", pattern="^huggingface$")
    model: str
    revision: str | None = Field(None, pattern="^[0-9a-f]{40}$")
    package: str | None = None
    digests: dict[str, str] = Field(default_factory=dict)
    query_prompt: str | None = None
    document_prompt: str | None = None
    max_length: int | None = Field(None, gt=2)
    dimensions: int | None = Field(None, gt=0)
    """The first so many values of a vector, brought to length 1 again; for models trained to allow it."""
    precision: Literal["fp32", "bf16"] = "fp32"
    batching: Literal["single", "batched"] = "single"
    batch: int = Field(32, gt=0)
    """Texts at once where `batching` is `batched`. A matter of speed: not in the identity."""
    trust_remote_code: bool = False

    @model_validator(mode="after")
    def _allowed(self) -> HuggingFace:
        if self.trust_remote_code and not trust.allowed():
            raise ValueError(
                "trust_remote_code: a config cannot allow a model to run code of its own; read that code, "
                f"then give {trust.FLAG} on the command line (or set {trust.VARIABLE}=1)"
            )
        if self.trust_remote_code and self.revision is None and not Path(self.model).is_dir():
            raise ValueError("trust_remote_code: pin the code that you read: give the hub id's `revision`")
        if self.wants_prompts and "" in (self.query_prompt, self.document_prompt):
            raise ValueError(self._mend())
        return self

    def settings(self) -> dict[str, Any]:
        """All fields but `batch`."""
        return {k: v for k, v in super().settings().items() if k != "batch"}

    def folder(self) -> Path:
        """Where the model's files are. Raises ComponentError with the mend."""
        return model_files.locate_model(self.model, self.revision, self.package, self.digests)

    def prompts(self) -> Prompts:
        """The config's, or where it has None the model's own.

        Raises:
            RequestError: the model needs prompts and there is none.
        """
        found = _declared.prompts(self.folder(), self.query_prompt, self.document_prompt)
        if self.wants_prompts and not all(found):
            raise RequestError(f"embedding: {self._mend()}")
        return found

    def _mend(self) -> str:
        query, document = self.wants_prompts or ("", "")
        return (
            f"{self.name} was trained with prompts and misleads without: set query_prompt (upstream's is "
            f"{query!r}) and document_prompt ({document!r})"
        )

    def notes(self) -> list[str]:
        """That the model declares prompts (a query prefix, say) of which none is used."""
        return _declared.left_out(self.folder(), self.prompts(), self.name)

    def identity(self) -> dict[str, Any]:
        """Digests of the files, the settings, and the major versions of the libraries that compute."""
        folder = self.folder()
        _declared.check_modules(folder, trusted=self.trust_remote_code)
        code = ("*.py", "*/*.py") if self.trust_remote_code else ()
        return {
            "files": model_files.folder_digests(folder, (*model_files.PARTS, *code)),
            "version": self.version,
            "max_length": self.max_length,
            "dimensions": self.dimensions,
            "precision": self.precision,
            "normalize": True,
            "batching": self.batching,
            "trust_remote_code": self.trust_remote_code,
            "libraries": {
                p: installed(p).split(".")[0] for p in ("sentence-transformers", "transformers", "torch")
            },
        }

    def load(self, threads: int, device: str) -> Encoder:
        """The model on `device`; torch and sentence-transformers are imported here and nowhere else."""
        from runner.embedding._transformer import TransformerEncoder

        trusted = self.trust_remote_code and trust.allowed()
        _declared.check_modules(self.folder(), trusted=trusted)
        return TransformerEncoder(
            self.folder(),
            threads=threads,
            device=device,
            batched=self.batching == "batched",
            batch=self.batch,
            max_length=self.max_length,
            dimensions=self.dimensions,
            precision=self.precision,
            trusted=trusted,
        )
