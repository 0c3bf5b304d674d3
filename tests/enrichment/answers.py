"""What a well-behaved chat service answers, who asks it, and a key that must turn up in no file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from service import Reply, Service

from runner.enrichment.contract import Answer
from runner.enrichment.situating import Situating

KEY = "sk-very-secret-9876543210"
PROMPT = "Of {document} the part {chunk}"
"""The chunk stands last, so the service answers with the chunk's last word."""


def answer(body: Any, text: str | None = None, **changes: Any) -> Reply:
    """`About <last word>.`; ten tokens for the prompt and three for the answer."""
    prompt = body["messages"][0]["content"]
    said = {
        "id": "c-1",
        "object": "chat.completion",
        "model": "m-1-of-today",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text or f"About {prompt.split()[-1]}."},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13},
    }
    return Reply({**said, **changes})


class Kept:
    """Answers in memory."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}

    def known(self, keys: Sequence[str]) -> Mapping[str, Answer]:
        return {k: self.answers[k] for k in keys if k in self.answers}

    def keep(self, answers: Mapping[str, Answer]) -> None:
        self.answers.update(answers)


def made(service: Service, **changes: Any) -> Situating:
    """`situating` that asks this service, one request at a time and each once."""
    reach = {"base_url": service.url, "key_env": "TEST_API_KEY", "requests_at_once": 1, "retries": 0}
    return Situating(**{**reach, "model": "m-1", "prompt": PROMPT, **changes})
