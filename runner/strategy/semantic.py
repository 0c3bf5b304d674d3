"""`semantic`: cut where neighboring sentences differ most, by the distance of their embeddings."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from runner.config import Component
from runner.sentences import sentences
from runner.strategy import _similar, _spans
from runner.strategy._similar import Floats
from runner.strategy.contract import Piece, Source, Span, Tools

_THRESHOLDS = {"percentile": 95.0, "standard_deviation": 3.0, "interquartile": 1.5, "gradient": 95.0}
"""Those of LangChain's SemanticChunker, which took the idea from Kamradt's notebook (2024)."""


class Semantic(Component):
    """Each sentence is embedded with `buffer` neighbors on both sides; d is 1 - cosine of one and the next.

    A text is cut after a sentence whose d is above a limit taken over the text. `percentile`: the
    threshold-th percentile of d; `standard_deviation`: mean + threshold · deviation; `interquartile`: mean +
    threshold · (75th - 25th percentile); `gradient`: where the slope of d is above its threshold-th
    percentile. Then a piece below `min_tokens` joins the one after it (the last the one before), unless both
    together are above `max_tokens`, and a piece above `max_tokens` is cut at its greatest d, a sentence above
    it into windows of tokens.
    """

    version: ClassVar[int] = 1
    windows: ClassVar[bool] = False
    lossy: ClassVar[bool] = False
    reads_vectors: ClassVar[bool] = True
    name: Literal["semantic"] = "semantic"
    rule: Literal["percentile", "standard_deviation", "interquartile", "gradient"] = "percentile"
    """How the limit is taken from the distances of a text."""
    threshold: float | None = Field(None, ge=0)
    """Of the rule; null: 95 (percentile, gradient), 3 (standard_deviation), 1.5 (interquartile)."""
    buffer: int = Field(1, ge=0)
    """Sentences embedded with each one, on either side."""
    min_tokens: int = Field(0, ge=0)
    """Tokens below which a piece joins its neighbor."""
    max_tokens: int = Field(512, gt=0)
    """Tokens in a piece at most."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.min_tokens > self.max_tokens:
            raise ValueError(f"min_tokens {self.min_tokens} is above max_tokens {self.max_tokens}")
        if self.rule in ("percentile", "gradient") and (self.threshold or 0) > 100:
            raise ValueError(f"threshold {self.threshold:g} is above 100; rule {self.rule} asks a percentile")
        return self

    def pieces(self, source: Source, tools: Tools) -> list[Piece]:
        """See `Strategy`."""
        text = source.text
        found = sentences(text)
        if not found:
            return []
        counts = _similar.token_counts(text, found, tools).tolist()
        d = self._distances(text, found, tools)
        cuts = [0, *(np.flatnonzero(self._breaks(d)) + 1).tolist(), len(found)]
        groups = self._joined(list(itertools.pairwise(cuts)), counts)
        spans: list[Span] = []
        for first, last in (part for g in groups for part in self._halves(g, counts, d)):
            span = (found[first][0], found[last - 1][1])
            long = last - first == 1
            spans += _spans.trimmed_windows(text, span, tools.tokens, self.max_tokens) if long else [span]
        return [Piece(start, end) for start, end in spans]

    def _distances(self, text: str, found: Sequence[Span], tools: Tools) -> Floats:
        """Shape (n - 1,): 1 - cosine between the windows of a sentence and of the next."""
        if len(found) == 1:
            return np.zeros(0)
        b, n = self.buffer, len(found)
        windows = [(found[max(0, i - b)][0], found[min(n - 1, i + b)][1]) for i in range(n)]
        v = _similar.vectors(text, windows, tools)
        return 1.0 - _similar.products(v[:-1], v[1:])

    def _breaks(self, d: Floats) -> np.typing.NDArray[np.bool_]:
        """After which sentences the text is cut, shape (n - 1,)."""
        # A slope needs two points; equal distances have no break, whatever the last bits of their mean say.
        if not len(d) or d.min() == d.max() or (self.rule == "gradient" and len(d) < 2):
            return np.zeros(len(d), np.bool_)
        t = _THRESHOLDS[self.rule] if self.threshold is None else self.threshold
        if self.rule == "gradient":
            slope = np.gradient(d)
            return np.asarray(slope > np.percentile(slope, t))
        if self.rule == "percentile":
            return np.asarray(d > np.percentile(d, t))
        low, high = np.percentile(d, [25, 75])
        return np.asarray(d > d.mean() + t * (d.std() if self.rule == "standard_deviation" else high - low))

    def _joined(self, groups: Sequence[Span], counts: Sequence[int]) -> list[Span]:
        """Groups of sentences (first, end), small ones joined to a neighbor where both fit."""
        out: list[Span] = []
        for group in groups:
            small = out and sum(counts[slice(*out[-1])]) < self.min_tokens
            last = group[1] == len(counts) and sum(counts[slice(*group)]) < self.min_tokens
            if out and (small or last) and sum(counts[out[-1][0] : group[1]]) <= self.max_tokens:
                out[-1] = (out[-1][0], group[1])
            else:
                out.append(group)
        return out

    def _halves(self, group: Span, counts: Sequence[int], d: Floats) -> list[Span]:
        """The group, cut at its greatest distance (the first of equals) until each part fits."""
        todo, out = [group], []
        while todo:
            first, last = todo.pop()
            if last - first == 1 or sum(counts[first:last]) <= self.max_tokens:
                out.append((first, last))
                continue
            at = first + 1 + int(np.argmax(d[first : last - 1]))
            todo += [(at, last), (first, at)]
        return out
