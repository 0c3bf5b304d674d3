"""Embedding: builds the inputs, and refuses vectors that break the contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import polars as pl

from runner.embedding.contract import Encoded
from runner.errors import ComponentError


def inputs(texts: Sequence[str], prompt: str, lines: Sequence[str] | None = None) -> list[str]:
    """What the model is given: prompt, where there is a header its line and a line break, then text."""
    if lines is None:
        return [prompt + t for t in texts]
    return [prompt + (line + "\n" if line else "") + t for t, line in zip(texts, lines, strict=True)]


def audit(rows: Counts, plain: npt.NDArray[np.int32] | None, lines: Sequence[str]) -> pl.DataFrame:
    """What headers cost: `header_tokens, own_tokens_embedded, own_tokens_pushed_out` of each chunk.

    Args:
        rows: what was read of the inputs with their headers.
        plain: tokens of the prompt, then of each input without its header; None: the model cannot count.
        lines: the header's line of each chunk, `""` for none.
    """
    names = ("header_tokens", "own_tokens_embedded", "own_tokens_pushed_out")
    if plain is None:
        return pl.DataFrame({n: pl.Series([None] * len(lines), dtype=pl.Int64) for n in names})
    prompt, own = int(plain[0]), plain[1:].astype(np.int64) - int(plain[0])
    total, read = rows.tokens_total.astype(np.int64), rows.tokens_embedded.astype(np.int64)
    with_header = np.array([bool(line) for line in lines], bool)
    header = np.where(with_header, total - prompt - own, 0)
    embedded = np.where(total > read, np.clip(read - prompt - header, 0, own), own)
    # Without the header the model would have read up to the same limit.
    alone = np.where(total > read, np.minimum(own, np.maximum(read - prompt, 0)), own)
    pushed = np.where(with_header, alone - embedded, 0)
    return pl.DataFrame(dict(zip(names, (header, embedded, pushed), strict=True)))


def audited(found: pl.DataFrame) -> dict[str, int | None]:
    """The totals of an audit, and how many chunks lost text to their header; None: not counted."""
    if found["header_tokens"].null_count():
        return {**dict.fromkeys(found.columns), "chunks_truncated_by_header": None}
    totals = {c: int(found[c].sum()) for c in found.columns}
    return {**totals, "chunks_truncated_by_header": int((found["own_tokens_pushed_out"] > 0).sum())}


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
    if (read.get("audit") or {}).get("chunks_truncated_by_header"):
        tokens, chunks = (read["audit"][c] for c in ("own_tokens_pushed_out", "chunks_truncated_by_header"))
        out.append(
            f"headers pushed {tokens} tokens of {chunks} chunks "
            "beyond what the model reads; a header budget (enrichment.max_header_tokens) leaves them room"
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
