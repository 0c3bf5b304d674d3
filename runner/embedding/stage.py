"""Embedding: builds the inputs, and refuses vectors that break the contract."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runner.embedding.contract import Encoded
from runner.errors import ComponentError
from runner.records import ContextHeader


def inputs(
    texts: Sequence[str], prompt: str, headers: Sequence[ContextHeader | None] | None = None
) -> list[str]:
    """What the model is given: prompt, then the header and a line break where there is one, then text."""
    if headers is None:
        return [prompt + t for t in texts]
    lines = (header_text(h) if h else "" for h in headers)
    return [prompt + (line + "\n" if line else "") + t for t, line in zip(texts, lines, strict=True)]


def header_text(header: ContextHeader) -> str:
    """The compact rendering of a header: one line, the sentence first, then entities, then triples."""
    parts = (header.situating_sentence or "", ", ".join(header.entities), "; ".join(header.neighbor_triples))
    return " | ".join(p for p in parts if p)


def checked(texts: Sequence[str], encoded: Encoded, name: str) -> Encoded:
    """`encoded`, if it keeps the contract: a finite unit (or zero) row per text.

    Raises:
        ComponentError: names the model and the first text at fault; nothing of the batch may then be stored.
    """
    vectors = encoded.vectors
    if vectors.ndim != 2 or len(vectors) != len(texts) or vectors.dtype != np.float32:
        raise ComponentError(f"embedding {name}: gave {vectors.dtype} {vectors.shape} for {len(texts)} texts")
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise ComponentError(f"embedding {name}: NaN or infinity in the vector of {texts[bad[0]][:80]!r}")
    norms = np.linalg.norm(vectors.astype(np.float64), axis=1)
    off = np.flatnonzero((norms > 0) & (np.abs(norms - 1) > 1e-5))
    if len(off):
        raise ComponentError(
            f"embedding {name}: vector of length {norms[off[0]]:.4f} for {texts[off[0]][:80]!r}"
        )
    return encoded
