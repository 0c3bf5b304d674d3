"""Embedding: builds the inputs, and refuses vectors that break the contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

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


class Names(Protocol):
    """A list, or a column, of ids."""

    def __len__(self) -> int:
        """How many."""
        ...

    def __getitem__(self, place: int, /) -> str:
        """One of them."""
        ...


class Counts(Protocol):
    """How many tokens texts have, and how many of them were read; shape (n,)."""

    @property
    def tokens_total(self) -> npt.NDArray[np.int32]:
        """All."""
        ...

    @property
    def tokens_embedded(self) -> npt.NDArray[np.int32]:
        """Those before the model's limit."""
        ...


def refuse_truncated(name: str, read: Mapping[str, tuple[Names, Counts]]) -> None:
    """Refuse a run in which the model did not read to the end of some text (`on_truncate: error`).

    Args:
        name: of the model.
        read: by kind of text, the ids of the texts and what was read of them.

    Raises:
        ComponentError: says how many of each kind, and the first.
    """
    said = []
    for kind, (ids, counts) in read.items():
        cut = np.flatnonzero(counts.tokens_total > counts.tokens_embedded)
        if len(cut):
            total, kept = counts.tokens_total[cut[0]], counts.tokens_embedded[cut[0]]
            many = "queries" if kind == "query" else f"{kind}s"
            first = f"{ids[int(cut[0])]!r} ({kept} of {total} tokens read)"
            said.append(f"{len(cut)} of {len(ids)} {many}, first {first}")
    if said:
        raise ComponentError(
            f"embedding {name}: cannot read all of {'; '.join(said)}. Make chunks smaller, raise "
            "embedding.max_length, or take the beginnings with embedding.on_truncate=warn"
        )


def warnings(name: str, read: Mapping[str, Any]) -> list[str]:
    """What a reader must know of `read`, the roll-up of an embedded corpus."""
    out = []
    if read["truncated"]:
        share = read["truncated"] / read["chunks"]
        out.append(
            f"embedding {name} did not read the end of {read['truncated']} of {read['chunks']} chunks "
            f"({share:.0%}): their text is longer than the model's limit"
        )
    if read["truncated_queries"]:
        out.append(
            f"embedding {name} did not read the end of {read['truncated_queries']} of {read['queries']} "
            "queries"
        )
    if read["zero_vectors"]:
        out.append(f"{read['zero_vectors']} chunks have the zero vector: their similarity is 0 to any query")
    return out


def money(read: Mapping[str, Any], price: float | None) -> dict[str, float]:
    """At `price` for a million tokens: what these texts cost, and what was charged for them.

    The difference is what the store had already when they were embedded.
    """
    if price is None:
        return {}
    named = {"cost": read["tokens_distinct"], "cost_billed": read["tokens_billed"]}
    return {"price_per_million_tokens": price, **{k: n * price / 1e6 for k, n in named.items()}}
