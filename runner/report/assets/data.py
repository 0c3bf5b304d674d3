"""Data for the script: JSON from which no text can break out, as a file beside a page or inside it."""

from __future__ import annotations

import base64
import json
import re

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

_KEY = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_ESCAPED = re.compile("[<>&\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What closes a tag, begins an entity, ends a line in old scripts, turns text round, or is no UTF-8."""


def as_json(value: object) -> str:
    """JSON for a page or a script; NaN and infinities are refused.

    Raises:
        ValueError: a number has no JSON.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _ESCAPED.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def put(key: str, value: object) -> str:
    """The text of `data/<key>.js`, which hands the value to the page that asked for it.

    Raises:
        ValueError: the key is no plain name, or the value has no JSON.
    """
    return f"report.put({as_json(plain(key))},{as_json(value)});\n"


def block(key: str, value: object) -> Markup:
    """The same inside a page that is sent as one file; a block of data never runs.

    Raises:
        ValueError: the key is no plain name, or the value has no JSON.
    """
    body = Markup(as_json(value))  # noqa: S704 - `as_json` left no character of markup
    return Markup('<script type="application/json" id="data-{}">{}</script>').format(plain(key), body)


def plain(key: str) -> str:
    """The key, if the page will look for it: lower-case letters and digits, joined by single hyphens.

    Raises:
        ValueError: it is anything else, so it could not be a file's name either.
    """
    if not _KEY.fullmatch(key):
        raise ValueError(f"a key of data is lower-case letters, digits and hyphens, not {key!r}")
    return key


def floats(values: npt.ArrayLike) -> str:
    """Numbers as base64 of little-endian float64, the exact values; NaN stands for no value."""
    return base64.b64encode(np.asarray(values, dtype="<f8").tobytes()).decode("ascii")
