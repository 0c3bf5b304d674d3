"""`cross_encoder`: a transformer that reads query and chunk together and gives one logit."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from runner import model_files
from runner.config import Component
from runner.errors import ComponentError
from runner.reranker._pairs import Tokenized, one_by_one
from runner.reranker.contract import Scored, Scorer

_NO_LIMIT = 1 << 20
REVISION = "c5ee24cb16019beea0893ab7796b1df96625c6b8"


class CrossEncoder(Component):
    """Any sentence-transformers CrossEncoder with a single logit, by folder or hub id at a pinned revision.

    The logit is the score: no sigmoid, which makes 40 and 41 the same number.
    """

    version: ClassVar[int] = 1
    off: ClassVar[bool] = False
    cached: ClassVar[bool] = True
    name: str = Field("cross_encoder", pattern="^cross_encoder$")
    model: str = "cross-encoder/ms-marco-MiniLM-L-6-v2"
    revision: str | None = Field(REVISION, pattern="^[0-9a-f]{40}$")
    package: str | None = Field(None, pattern=r"^[A-Za-z_]\w*$")
    digests: dict[str, str] = Field(default_factory=dict)
    max_length: int | None = Field(None, gt=3)
    """Tokens of query, chunk and special tokens that are read; None: the model's own limit."""
    precision: Literal["fp32", "bf16"] = "fp32"
    pool: int = Field(50, gt=0)
    on_error: Literal["raise", "fallback"] = "raise"

    def folder(self) -> Path:
        """Where the model's files are. Raises ComponentError with the mend."""
        return model_files.locate_model(self.model, self.revision, self.package, self.digests)

    def identity(self) -> dict[str, Any]:
        """Digests of the files, the settings, and the major versions of the libraries that compute."""
        return {
            "files": model_files.folder_digests(self.folder()),
            "version": self.version,
            "max_length": self.max_length,
            "precision": self.precision,
            "activation": "identity",
            "truncation": "longest_first",
            "libraries": {p: installed(p).split(".")[0] for p in ("transformers", "torch")},
        }

    def load(self, threads: int, device: str) -> Scorer:
        """The model on `device`; torch and transformers are imported here and nowhere else."""
        return _TorchScorer(
            self.folder(),
            threads=threads,
            device=device,
            max_length=self.max_length,
            bf16=self.precision == "bf16",
        )


class _TorchScorer:
    def __init__(
        self, folder: Path, *, threads: int, device: str, max_length: int | None, bf16: bool
    ) -> None:
        try:
            import torch
            from transformers import AutoModelForSequenceClassification, AutoTokenizer
            from transformers.utils import logging as noise

            noise.disable_progress_bar()
            torch.set_num_threads(1)
            local = {"local_files_only": True, "trust_remote_code": False}
            model, found = AutoModelForSequenceClassification.from_pretrained(
                str(folder), output_loading_info=True, **local
            )
            _refuse(folder, int(model.config.num_labels), sorted(found["missing_keys"]))
            self._tokenizer: Any = AutoTokenizer.from_pretrained(str(folder), **local)
            model = model.float()  # some checkpoints are stored, and then loaded, in half precision
            self._model: Any = (model.to(torch.bfloat16) if bf16 else model).to(device).eval()
        except (OSError, ValueError, ImportError, RuntimeError) as e:
            raise ComponentError(f"{folder}: is no cross-encoder that loads here ({e})") from e
        self._limit = _limit(self._tokenizer.model_max_length, model.config, max_length)
        self._special = int(self._tokenizer.num_special_tokens_to_add(pair=True))
        self._threads = threads
        self._torch = torch

    def score(self, query: str, texts: Sequence[str]) -> Scored:
        """See `Scorer`."""
        return one_by_one(query, texts, self._tokenize, self._logit, self._threads)

    def _tokenize(self, query: str, text: str) -> Tokenized:
        whole = self._tokenizer([query], [text], truncation=False, verbose=False)["input_ids"][0]
        features = self._tokenizer(
            [query], [text], truncation="longest_first", max_length=self._limit, return_tensors="pt"
        )
        read = int(features["input_ids"].shape[1]) - self._special
        return Tokenized(dict(features), len(whole) - self._special, read)

    def _logit(self, features: dict[str, Any]) -> float:
        with self._torch.inference_mode():
            placed = {k: v.to(self._model.device) for k, v in features.items()}
            return float(self._model(**placed).logits.float().cpu()[0, 0])


def _refuse(folder: Path, labels: int, missing: list[str]) -> None:
    """Raise where the files hold no single trained logit: what is missing would be made up at random."""
    if missing:
        raise ComponentError(f"{folder}: is no cross-encoder: its files lack {', '.join(missing[:3])}")
    if labels != 1:
        raise ComponentError(f"{folder}: gives {labels} values a pair; a reranker needs a single logit")


def _limit(tokenizer: int, config: Any, asked: int | None) -> int:
    """How many tokens are read: what is asked, or what the model can."""
    places = int(getattr(config, "max_position_embeddings", 0) or 0) or _NO_LIMIT
    if asked and asked > places:
        raise ComponentError(f"reranker.max_length: {asked} is more than the model's {places} places")
    return asked or min(tokenizer, places, _NO_LIMIT)
