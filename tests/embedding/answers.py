"""What a well-behaved embedding service answers, and a key that must turn up in no file."""

from __future__ import annotations

from typing import Any

from service import Reply

KEY = "sk-very-secret-0123456789"


def answer(body: Any, **changes: Any) -> Reply:
    """Vectors (letters, 1), the last text's first, and a token for every four letters begun."""
    data = [{"index": i, "embedding": [len(t), 1.0]} for i, t in enumerate(body["input"])]
    tokens = sum(-(-len(t) // 4) for t in body["input"])
    said = {"object": "list", "model": "m-1", "data": data[::-1], "usage": {"total_tokens": tokens}}
    return Reply({**said, **changes})
