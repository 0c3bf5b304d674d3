"""Running a model over pairs so that a score depends on its pair alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from runner.reranker.contract import Scored


@dataclass(frozen=True, slots=True)
class Tokenized:
    """One pair as the model reads it."""

    inputs: Any
    total: int
    """Tokens of query and text, special tokens left out."""
    read: int
    """How many of them are in `inputs`."""


def one_by_one(
    query: str,
    texts: Sequence[str],
    tokenize: Callable[[str, str], Tokenized],
    logit: Callable[[Any], float],
    threads: int,
) -> Scored:
    """One pair per forward pass, many Python threads: bit-equal in any order and any batch.

    Tokenized here, in one thread: a fast tokenizer must not be used while another thread sets its truncation.
    The longest go first, so that no thread is left with a long one at the end.
    """
    pairs = [tokenize(query, t) for t in texts]
    order = sorted(range(len(pairs)), key=lambda i: -pairs[i].read)
    scores = np.zeros(len(pairs), np.float64)
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        for i, score in zip(order, pool.map(lambda i: logit(pairs[i].inputs), order), strict=True):
            scores[i] = score
    total, read = (np.array([getattr(p, f) for p in pairs], np.int32) for f in ("total", "read"))
    return Scored(scores, total, read)
