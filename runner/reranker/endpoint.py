"""`endpoint`: a rerank service over HTTP, in the form that Cohere, Jina and vLLM share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from runner.config import Component
from runner.errors import ComponentError
from runner.http_json import HttpJson
from runner.http_service import Service
from runner.reranker.contract import Scored, Scorer


class Endpoint(Service, Component):
    """POST `base_url`/rerank `{model, query, documents, top_n}`, answered by index and relevance_score.

    What the service calls relevance is the score, as it is served. Whether a score depends on its pair alone,
    and whether the model behind a name stays the same, only the service knows.
    """

    version: ClassVar[int] = 1
    off: ClassVar[bool] = False
    cached: ClassVar[bool] = True
    name: Literal["endpoint"] = "endpoint"
    base_url: str = "https://api.cohere.com/v2"
    model: str = Field(min_length=1)
    key_env: str | None = "COHERE_API_KEY"
    documents_per_request: int = Field(100, gt=0)
    price_per_1000_searches: float | None = Field(None, ge=0)
    """A search is one request. So that a report can show money."""
    pool: int = Field(50, gt=0)
    on_error: Literal["raise", "fallback"] = "raise"

    def identity(self) -> dict[str, Any]:
        """Service, model and form of the request."""
        return {
            "service": self.base_url,
            "model": self.model,
            "version": self.version,
            "documents_per_request": self.documents_per_request,
            "activation": "as served",
        }

    def load(self, threads: int, device: str) -> Scorer:
        """A client; nothing is asked yet. Raises ComponentError where the key's variable is not set."""
        return _ServiceScorer(self.client(), self.model, self.documents_per_request)


class _ServiceScorer:
    def __init__(self, client: HttpJson, model: str, size: int) -> None:
        self._client, self._model, self._size = client, model, size

    def score(self, query: str, texts: Sequence[str]) -> Scored:
        """See `Scorer`."""
        found: list[float] = []
        for first in range(0, len(texts), self._size):
            part = list(texts[first : first + self._size])
            body = {"model": self._model, "query": query, "documents": part, "top_n": len(part)}
            found += _in_order(self._client.post("/rerank", body), len(part))
        return Scored(np.array(found, np.float64))


def _in_order(answer: Any, n: int) -> list[float]:
    """The scores of documents 0 … n - 1, which the service may give in any order, but each once."""
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list):
        raise ComponentError("the service's answer has no list `results`; is this a rerank service?")
    scores: dict[int, float] = {}
    for result in results:
        entry = result if isinstance(result, dict) else {}
        index, score = entry.get("index"), entry.get("relevance_score")
        if type(index) is not int or not 0 <= index < n:
            raise ComponentError(f"the service scored document {index!r}, of 0 to {n - 1}")
        if index in scores:
            raise ComponentError(f"the service scored document {index} twice")
        if not isinstance(score, int | float) or isinstance(score, bool) or not math.isfinite(score):
            raise ComponentError(f"the service gave document {index} no score, but {score!r}")
        scores[index] = float(score)
    lost = [i for i in range(n) if i not in scores]
    if lost:
        raise ComponentError(f"the service left out {len(lost)} of {n} documents (document {lost[0]} first)")
    return [scores[i] for i in range(n)]
