"""Asking an embedding service: batches out, answers checked and put in order, tokens counted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from runner.embedding._rows import encodable, unit
from runner.embedding.contract import Encoded, Progress
from runner.errors import ComponentError
from runner.http_json import HttpJson

Floats = npt.NDArray[np.float32]


class ServiceEncoder:
    """Batches are asked for from several threads at once; the client keeps all of them to one rate."""

    def __init__(
        self,
        client: HttpJson,
        model: str,
        *,
        threads: int,
        batch: int,
        dimensions: int | None,
        served_as: str | None,
    ) -> None:
        self._client, self._model, self._batch = client, model, batch
        self._threads = threads or os.cpu_count() or 1
        self._width, self._served_as = dimensions, served_as
        self._asked: dict[str, Any] = {"model": model, "encoding_format": "float"}
        if dimensions is not None:
            self._asked["dimensions"] = dimensions

    def encode(self, texts: Sequence[str], progress: Progress) -> Encoded:
        """See `Encoder`. A request's tokens are shared among its texts by their length; all count as read."""
        parts = [list(texts[i : i + self._batch]) for i in range(0, len(texts), self._batch)]
        rows: list[Floats] = []
        tokens: list[int] = []
        with ThreadPoolExecutor(self._threads) as pool:
            for part, (found, billed) in zip(parts, pool.map(self._ask, parts), strict=True):
                rows.append(self._of_one_width(found))
                tokens += shares(billed, [len(t.encode("utf-8", "replace")) for t in part])
                progress(len(part))
        raw = np.concatenate(rows) if rows else np.zeros((0, 0), np.float32)
        counts = np.array(tokens, np.int32)
        return Encoded(unit(raw), counts, counts.copy(), tokens_billed=sum(tokens))

    def count(self, texts: Sequence[str]) -> None:
        """See `Encoder`: only the service knows its tokens, and it counts when it is paid."""

    def _ask(self, part: list[str]) -> tuple[Floats, int]:
        answer = self._client.post("/embeddings", {**self._asked, "input": [encodable(t) for t in part]})
        if not isinstance(answer, dict) or not isinstance(answer.get("data"), list):
            raise ComponentError("the service's answer has no list `data`; is this an embedding service?")
        self._check_name(answer.get("model"))
        return in_order(answer["data"], part), _billed(answer.get("usage"))

    def _check_name(self, said: object) -> None:
        """The answers must name one model: vectors of two would be compared as if they were of one."""
        want = self._served_as or self._model
        if said == want or (said is None and self._served_as is None):
            return
        raise ComponentError(
            f"the service answers as {said!r}, not as {want!r}; if that is the model you mean, set "
            f"embedding.served_as={said}"
        )

    def _of_one_width(self, found: Floats) -> Floats:
        self._width = self._width or found.shape[1]
        if found.shape[1] != self._width:
            raise ComponentError(
                f"the service gave vectors of {found.shape[1]} dimensions, not of {self._width}"
            )
        return found


def in_order(data: Sequence[Any], part: Sequence[str]) -> Floats:
    """The vectors of the texts of a request, shape (n, dimensions); the service may answer in any order.

    Raises:
        ComponentError: a text has no vector, or two, or one that is no list of numbers.
    """
    found: dict[int, Floats] = {}
    for item in data:
        index, values = (item.get(f) if isinstance(item, dict) else None for f in ("index", "embedding"))
        if type(index) is not int or not 0 <= index < len(part) or index in found:
            raise ComponentError(
                f"the service gave a vector to text {index!r}; wanted are 0 to {len(part) - 1}, once each"
            )
        found[index] = _vector(values, part[index])
    lost = [i for i in range(len(part)) if i not in found]
    if lost:
        raise ComponentError(
            f"the service left out {len(lost)} of {len(part)} texts, first {part[lost[0]][:80]!r}"
        )
    widths = {len(v) for v in found.values()}
    if len(widths) > 1:
        raise ComponentError(
            f"the service gave vectors of {min(widths)} and of {max(widths)} dimensions in one answer"
        )
    return np.stack([found[i] for i in range(len(part))])


def _vector(values: object, text: str) -> Floats:
    numbers = isinstance(values, list) and values and all(type(v) in {int, float} for v in values)
    vector = np.array(values if numbers else [np.nan], np.float32)
    if not np.isfinite(vector).all():
        raise ComponentError(f"the service gave no vector of finite numbers for {text[:80]!r}")
    return vector


def _billed(usage: object) -> int:
    """The tokens that the service says it counted; 0 where it says nothing."""
    said = usage if isinstance(usage, dict) else {}
    counts = [said.get(f) for f in ("total_tokens", "prompt_tokens")]
    return next((c for c in counts if type(c) is int and c > 0), 0)


def shares(total: int, weights: Sequence[int]) -> list[int]:
    """`total` parted by `weights` into whole numbers that add up to it (by largest remainder)."""
    whole = sum(weights)
    if not whole:
        return [total, *[0] * (len(weights) - 1)] if weights else []
    out = [total * w // whole for w in weights]
    by_remainder = sorted(range(len(weights)), key=lambda i: -(total * weights[i] % whole))
    for i in by_remainder[: total - sum(out)]:
        out[i] += 1
    return out
