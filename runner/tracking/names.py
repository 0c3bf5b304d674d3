"""Names and values as MLflow accepts them: short, legal, and different whenever their originals are."""

from __future__ import annotations

import math
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from runner import keys

VALUE = 200
"""Characters of a parameter: MLflow keeps 6,000, a table shows few; `config.yaml` has the whole value."""
TAG = 4000
"""Characters of a tag; MLflow keeps 8,000 bytes and traces 4,096 characters."""
_KEY = 250
_DIGEST = 12
_ILLEGAL = re.compile(r"[^A-Za-z0-9_.\-/ ]")


def short(value: str, limit: int = VALUE) -> str:
    """`value`, or its beginning and a digest of all of it, so that two long values stay different."""
    if len(value) <= limit:
        return value
    tail = f"… sha256:{keys.digest(value)[:_DIGEST]}"
    return value[: limit - len(tail)] + tail


def text(value: Any) -> str:
    """A JSON value as a parameter: a string as it is, anything else in canonical JSON."""
    return value if isinstance(value, str) else keys.canonical(value)


def key(name: str) -> str:
    """`name` as a legal key of at most 250 characters; a changed one carries a digest of the original."""
    legal = posixpath.normpath(_ILLEGAL.sub("_", name)).lstrip("./") or "_"
    if legal == name and len(name) <= _KEY:
        return name
    return f"{legal[: _KEY - _DIGEST - 1]}-{keys.digest(name)[:_DIGEST]}"


def metric(measure: str) -> str:
    """A measure's name: `nDCG@10` is `ndcg_at_10`, `SpanR@5+` is `spanr_at_5_expanded`."""
    name = measure.replace("Ω", "Omega").replace("Ω", "Omega")  # Greek letter and ohm sign
    name, plus = (name[:-1], "_expanded") if name.endswith("+") else (name, "")
    name = re.sub(r"@(\d+)t$", r"@\1_tokens", name).replace("@", "_at_")
    return re.sub(r"_+", "_", re.sub(r"[^a-z0-9_.\-]+", "_", name.lower())).strip("_.") + plus


def metrics(measures: Iterable[str]) -> dict[str, str]:
    """A distinct name per measure; where two would be the same, both carry a digest."""
    named = {m: metric(m) or "measure" for m in measures}
    often = Counter(named.values())
    return {m: n if often[n] == 1 else f"{n}_{keys.digest(m)[:6]}" for m, n in named.items()}


def curve(measure: str) -> str:
    """The metric of all budgets of a measure: `SpanR@250t` is a step of `SpanR_by_tokens`."""
    return key(f"{measure.rpartition('@')[0]}_by_tokens")


def finite(values: Mapping[str, Any]) -> dict[str, float]:
    """The values that are finite numbers: MLflow stores NaN as 0 and infinity as the greatest float."""
    numbers = {k: v for k, v in values.items() if isinstance(v, int | float) and not isinstance(v, bool)}
    return {k: float(v) for k, v in numbers.items() if math.isfinite(v)}


def flat(config: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """A config as `group: name`, `group.field: value`; a list and an empty mapping are one value."""
    out: dict[str, Any] = {}
    for name, value in config.items():
        path = f"{prefix}.{name}" if prefix else str(name)
        if prefix and name == "name":
            out[prefix] = value
        elif isinstance(value, Mapping) and value:
            out |= flat(value, path)
        else:
            out[path] = value
    return out
