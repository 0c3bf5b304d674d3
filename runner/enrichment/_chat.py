"""Asking a chat model: a few requests at once, kept before the next; answers are checked and cleaned."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

from runner.enrichment.contract import Answer
from runner.errors import ComponentError
from runner.http_json import HttpJson

_JOINERS = {"\u200c", "\u200d"}
"""Invisible, and part of how words of some scripts are spelt."""
Keep = Callable[[Mapping[str, Answer]], None]


def ask(
    client: HttpJson, body: Mapping[str, Any], prompts: Callable[[str], str], due: Sequence[str], limit: int,
    at_once: int, keep: Keep,
) -> dict[str, Answer]:  # fmt: skip
    """The answers to what is `due`, by key.

    Args:
        client: the service.
        body: the request without its messages.
        prompts: the prompt of a key.
        due: the keys.
        limit: characters of an answer at most.
        at_once: requests in flight together. What was answered of a group is kept before anything else
            happens, so that an error or a kill loses (and pays twice) no more than one group.
        keep: takes the answers of a group.

    Raises:
        ComponentError: what `HttpJson.post` raises, or an answer that is none.
    """
    out: dict[str, Answer] = {}

    def one(key: str) -> Answer:
        messages = [{"role": "user", "content": prompts(key)}]
        return answer(client.post("/chat/completions", {**body, "messages": messages}), limit)

    with ThreadPoolExecutor(at_once) as pool:
        for first in range(0, len(due), at_once):
            asked = {key: pool.submit(one, key) for key in due[first : first + at_once]}
            wait(asked.values())
            done = {key: a.result() for key, a in asked.items() if a.exception() is None}
            if done:
                keep(done)
            out |= {key: a.result() for key, a in asked.items()}  # raises what failed
    return out


def answer(said: Any, limit: int) -> Answer:
    """The first choice of a chat completion; a model that says nothing (`content: null`) says an empty text.

    Raises:
        ComponentError: it is no chat completion.
    """
    choices = said.get("choices") if isinstance(said, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    content = message.get("content", "") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(content, str | None):
        raise ComponentError("the service's answer has no message with a text; is this a chat service?")
    usage = said.get("usage") if isinstance(said.get("usage"), dict) else {}
    model = said.get("model")
    return Answer(
        cleaned(content or "", limit),
        cleaned(model, 200) if isinstance(model, str) else "",
        *(_count(usage.get(f)) for f in ("prompt_tokens", "completion_tokens")),
    )


def _count(said: object) -> int:
    return said if type(said) is int and said > 0 else 0


def cleaned(text: str, limit: int) -> str:
    """`text` on one line of at most `limit` characters, without control, format or unassigned characters."""
    plain = "".join(" " if _hidden(c) else c for c in text)
    return " ".join(plain.split())[:limit].rstrip()


def _hidden(char: str) -> bool:
    return unicodedata.category(char)[0] == "C" and char not in _JOINERS
