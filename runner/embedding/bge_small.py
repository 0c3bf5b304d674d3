"""`bge_small`: BAAI/bge-small-en-v1.5, 384 dimensions, reads 512 tokens; queries get an instruction."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from runner.embedding.huggingface import HuggingFace

REVISION = "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a"
WEIGHTS = "3c9f31665447c8911517620762200d2245a2518d6e7208acc78cd9db317e21ad"
INSTRUCTION = "Represent this sentence for searching relevant passages: "
"""As the model's card has it, for queries alone; the model's own files declare no prompt."""


class BgeSmall(HuggingFace):
    """The vector of the first token (`[CLS]`), as the model's own pooling file says."""

    version: ClassVar[int] = 1
    name: str = Field("bge_small", pattern="^bge_small$")
    model: str = "BAAI/bge-small-en-v1.5"
    revision: str | None = Field(REVISION, pattern="^[0-9a-f]{40}$")
    digests: dict[str, str] = Field(default_factory=lambda: {"model.safetensors": WEIGHTS})
    query_prompt: str | None = INSTRUCTION
    document_prompt: str | None = ""
