"""Keys: a digest of what a result depends on, in canonical JSON, tagged with a format version."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

FORMAT = "runner/1"
"""Raise it when the meaning of a recorded column or of a key changes: no old artifact is then found again."""

SHORT = 12
"""Characters of a key that a person is shown."""


def canonical(value: Any) -> str:
    """Canonical JSON: sorted keys, no white space, no NaN, code points as they are.

    Raises:
        ValueError: `value` holds NaN or infinity.
        TypeError: `value` is not JSON.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(value: Any) -> str:
    """SHA-256 (64 hex characters) of the canonical JSON of `[FORMAT, value]`."""
    return hashlib.sha256(canonical([FORMAT, value]).encode("utf-8", "surrogatepass")).hexdigest()


def stage_key(
    stage: str, component: str, version: int | str, config: dict[str, Any], inputs: Sequence[str] = ()
) -> str:
    """The key of a stage's output: what ran, in which version, with which config, on which inputs."""
    return digest([stage, component, version, config, list(inputs)])


def text_keys(texts: Iterable[str]) -> list[bytes]:
    """SHA-256 (32 bytes) of each text, as it is."""
    return [hashlib.sha256(t.encode("utf-8", "surrogatepass")).digest() for t in texts]


def file_digest(path: Path) -> str:
    """SHA-256 (64 hex characters) of a file's bytes."""
    with path.open("rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()
