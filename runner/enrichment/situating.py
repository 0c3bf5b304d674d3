"""`situating`: a language model, asked over HTTP, says in a sentence what a chunk is part of."""

from __future__ import annotations

import re
from typing import Any, ClassVar, Literal

import polars as pl
from pydantic import Field, field_validator

from runner import keys
from runner.enrichment import _chat
from runner.enrichment._text import TextHeader
from runner.enrichment.contract import Material
from runner.errors import ComponentError
from runner.http_service import Service

_REACH = Service.REACH | {
    "requests_at_once", "price_per_million_prompt_tokens", "price_per_million_completion_tokens",
}  # fmt: skip
"""How the service is reached and what it costs: in no key."""
_PLACES = re.compile(r"\{(document|chunk)\}")
PROMPT = """\
Here are the beginning of a document and a passage of the same document.

<document>
{document}
</document>

<passage>
{chunk}
</passage>

A search index will hold the passage alone. Write one short sentence, in the language of the passage,
that says what the document is and what part of it the passage is, so that the passage can be found
and understood without the rest. Answer with that sentence and nothing else."""


class Situating(Service, TextHeader):
    """POST `base_url`/chat/completions, one request for each chunk of which there is no answer yet.

    An answer is kept under model, prompt and caps, and the digests of document and chunk: nothing is asked
    twice. It is untrusted text: control characters are taken out, what is too long is cut, and it goes into
    the embedding input and nowhere else. The same request may be answered otherwise another time.
    """

    version: ClassVar[int] = 1
    asks: ClassVar[bool] = True
    needs: ClassVar[str] = "an answer with any text"
    name: Literal["situating"] = "situating"
    base_url: str = "https://api.openai.com/v1"
    model: str = Field(min_length=1)
    prompt: str = PROMPT
    """Holds `{document}` and `{chunk}` once each."""
    request: dict[str, str | int | float | bool] = Field(
        default_factory=lambda: dict[str, str | int | float | bool](temperature=0.0, max_tokens=100)
    )
    """What is sent beside model and prompt."""
    max_document_chars: int = Field(24000, gt=0)
    """A longer document is sent from its beginning to there, the same for all of its chunks."""
    max_answer_chars: int = Field(600, gt=0)
    key_env: str | None = "OPENAI_API_KEY"
    requests_at_once: int = Field(4, gt=0, le=64)
    """Also what a killed run can lose at most."""
    price_per_million_prompt_tokens: float | None = Field(None, ge=0)
    price_per_million_completion_tokens: float | None = Field(None, ge=0)
    """So that a report can show money."""

    @field_validator("prompt")
    @classmethod
    def _whole(cls, value: str) -> str:
        if sorted(_PLACES.findall(value)) != ["chunk", "document"]:
            raise ValueError("must hold {document} and {chunk}, once each")
        return value

    @field_validator("request")
    @classmethod
    def _beside(cls, value: dict[str, Any]) -> dict[str, Any]:
        if taken := sorted({"model", "messages", "stream", "n"} & set(value)):
            raise ValueError(f"{', '.join(taken)}: set by the runner")
        return value

    def settings(self) -> dict[str, Any]:
        """All fields but those that say how to reach the service."""
        return {k: v for k, v in super().settings().items() if k not in _REACH}

    def identity(self) -> dict[str, Any]:
        """Service, model, prompt and caps: what an answer depends on beside document and chunk."""
        return {
            "service": self.base_url,
            "model": self.model,
            "prompt": self.prompt,
            "request": self.request,
            "max_document_chars": self.max_document_chars,
            "max_answer_chars": self.max_answer_chars,
            "version": self.version,
            "deterministic": False,
        }

    def prices(self) -> tuple[float | None, float | None]:
        """As the config has them."""
        return self.price_per_million_prompt_tokens, self.price_per_million_completion_tokens

    def notes(self) -> list[str]:
        """That texts leave the machine, and that the answers are one draw."""
        return [
            f"enrichment situating: documents were sent to {self.host}; its answers are kept, but asked "
            "again, say for an empty outputs folder, it may answer otherwise"
        ]

    def said(self, material: Material) -> pl.DataFrame:
        """See `TextHeader`."""
        if material.answers is None:
            raise ComponentError("enrichment situating: was given no place to keep answers in")
        whole = dict(material.documents.select("doc_id", "text").iter_rows())
        digests = dict(zip(whole, keys.text_keys(whole.values()), strict=True))
        doc_ids = material.chunks["doc_id"].to_list()
        pairs = zip(doc_ids, keys.text_keys(material.texts), strict=True)
        asked = [keys.digest([digests[doc_id].hex(), chunk.hex()]) for doc_id, chunk in pairs]
        places = {key: row for row, key in enumerate(asked)}
        answers = dict(material.answers.known(list(places)))

        def prompt(key: str) -> str:
            row = places[key]
            texts = {
                "document": whole[doc_ids[row]][: self.max_document_chars],
                "chunk": material.texts[row],
            }
            return _PLACES.sub(lambda place: texts[place[1]], self.prompt)

        due = [key for key in places if key not in answers]
        if due:
            body = {**self.request, "model": self.model}
            keep, limit = material.answers.keep, self.max_answer_chars
            answers |= _chat.ask(self.client(), body, prompt, due, limit, self.requests_at_once, keep)
        found = [answers[key] for key in asked]
        return material.chunks.select("chunk").with_columns(
            pl.Series("situating_sentence", [a.text for a in found], pl.String),
            pl.Series("model_id", [a.model or self.model for a in found], pl.String),
        )
