"""`e5_small`: intfloat/e5-small-v2, 384 dimensions, reads 512 tokens; it cannot do without its prompts."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from runner.embedding.huggingface import HuggingFace

REVISION = "dca8b1a9dae0d4575df2bf423a5edb485a431236"
PROMPTS = ("query: ", "passage: ")


class E5Small(HuggingFace):
    """Its prompts tell queries from passages (Wang et al. 2022): to give none is a mistake, not a choice.

    `intfloat/multilingual-e5-small` goes by the same rules: give `model` and `revision`.
    """

    version: ClassVar[int] = 1
    wants_prompts: ClassVar[tuple[str, str] | None] = PROMPTS
    name: str = Field("e5_small", pattern="^e5_small$")
    model: str = "intfloat/e5-small-v2"
    revision: str | None = Field(REVISION, pattern="^[0-9a-f]{40}$")
    query_prompt: str | None = PROMPTS[0]
    document_prompt: str | None = PROMPTS[1]
