"""Similarities between neighboring pieces of a text, from the run's embedding model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from runner.errors import ComponentError
from runner.strategy.contract import Span, Tools

Floats = npt.NDArray[np.float64]


def vectors(text: str, spans: Sequence[Span], tools: Tools) -> Floats:
    """Unit (or zero) vectors of the spans of `text`, shape (n, dimensions), in float64.

    Raises:
        ComponentError: the run has no embedding model to ask.
    """
    if tools.embed is None:
        raise ComponentError("this strategy reads vectors, and was given no embedding model")
    return tools.embed([text[s:e] for s, e in spans]).astype(np.float64)


def products(left: Floats, right: Floats) -> Floats:
    """Row-wise inner products, shape (n,); summed in numpy's own order, which no thread count changes."""
    return np.asarray((left * right).sum(axis=1))


def token_counts(text: str, spans: Sequence[Span], tools: Tools) -> npt.NDArray[np.int64]:
    """Tokens of the text that start in each span, shape (n,), so that counts of neighbors add up."""
    starts = tools.tokens.offsets(text)[:, 0]
    bounds = np.asarray(spans, np.int64).reshape(-1, 2)
    return np.searchsorted(starts, bounds[:, 1]) - np.searchsorted(starts, bounds[:, 0])
