"""The books of enrichment: headers that keep the contract, the line each becomes, and what they came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from runner.enrichment.contract import Enrichment, Material, line
from runner.errors import ComponentError
from runner.tokenizer.contract import Ints, Tokens

_LIST = pl.List(pl.String)
SCHEMA: Mapping[str, Any] = {
    "chunk": pl.Int64, "chunk_id": pl.String,
    "entities": _LIST, "entity_types": _LIST, "neighbor_triples": _LIST,
    "kg_node_ids": _LIST, "neighbor_node_ids": _LIST, "situating_sentence": pl.String, "model_id": pl.String,
    "capped_node_ids": _LIST, "text": pl.String, "tokens": pl.Int64,
}  # fmt: skip
"""A row per chunk with a header: `records.ContextHeader`, the line it becomes and that line's tokens."""
_OURS = ("chunk_id", "text", "tokens")
"""Columns that the house adds."""


class Remembered:
    """A tokenizer that counts no text twice: a provider counts the lines that the books count again."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._counts: dict[str, int] = {}

    def offsets(self, text: str) -> Ints:
        """See `Tokens`."""
        return self._tokens.offsets(text)

    def counts(self, texts: Sequence[str]) -> Ints:
        """See `Tokens`."""
        new = [t for t in dict.fromkeys(texts) if t not in self._counts]
        self._counts.update(zip(new, self._tokens.counts(new).tolist(), strict=True))
        return np.array([self._counts[t] for t in texts], np.int64)


def checked(raw: pl.DataFrame, material: Material, name: str) -> pl.DataFrame:
    """The headers a provider gave as a table of `SCHEMA`, sorted by chunk; one that says nothing is none.

    Raises:
        ComponentError: a chunk twice or one there is not, a column the contract does not know or of another
            type.
    """
    known = [c for c in SCHEMA if c not in _OURS]
    if "chunk" not in raw.columns or not set(raw.columns) <= set(known):
        raise ComponentError(f"enrichment {name}: gave the columns {raw.columns}; known: {', '.join(known)}")
    absent = [pl.lit(None, SCHEMA[c]).alias(c) for c in known if c not in raw.columns]
    try:
        whole = raw.with_columns(absent).cast({c: SCHEMA[c] for c in known})
    except pl.exceptions.PolarsError as e:
        raise ComponentError(f"enrichment {name}: a column of another type than its record has: {e}") from e
    if whole["chunk"].is_duplicated().any():
        raise ComponentError(f"enrichment {name}: two headers for one chunk")
    if not whole["chunk"].is_in(material.chunks["chunk"].implode()).fill_null(False).all():
        raise ComponentError(f"enrichment {name}: a header for a chunk that there is not")
    whole = whole.with_columns(pl.col(c).fill_null([]) for c in known if SCHEMA[c] == _LIST)
    whole = whole.with_columns(line(known).alias("text")).filter(pl.col("text") != "").sort("chunk")
    ids = material.chunks.select("chunk", "chunk_id")
    whole = whole.join(ids, on="chunk", how="left", maintain_order="left")
    counts = material.tokens.counts(whole["text"].to_list())
    return whole.with_columns(pl.Series("tokens", counts, pl.Int64)).select(list(SCHEMA))


def facts(headers: pl.DataFrame, chunks: int) -> dict[str, Any]:
    """The roll-up, counts only; means are over the chunks with a header, tokens of the run's tokenizer."""
    enriched = headers.height
    near, tokens = int(headers["neighbor_node_ids"].list.len().sum()), int(headers["tokens"].sum())
    return {
        "chunks": chunks,
        "chunks_enriched": enriched,
        "avg_neighbors_per_chunk": round(near / enriched, 6) if enriched else 0.0,
        "hub_entities_capped": headers["capped_node_ids"].explode().drop_nulls().n_unique(),
        "avg_header_tokens": round(tokens / enriched, 6) if enriched else 0.0,
    }


def warnings(made: Enrichment, rolled_up: Mapping[str, Any]) -> list[str]:
    """What a reader must know of headers with this roll-up."""
    out = made.notes()
    if not rolled_up["chunks_enriched"]:
        out.append(
            f"enrichment {made.name}: none of {rolled_up['chunks']} chunks has {made.needs}, so none has a "
            "header: vectors are those of enrichment=none"
        )
    return out


def money(rolled_up: Mapping[str, Any], made: Enrichment) -> dict[str, float]:
    """At the prices for a million tokens: what these answers cost, and what was charged for them now."""
    asked, answered = made.prices()
    if not made.asks or asked is None or answered is None:
        return {}
    return {
        name: (rolled_up[f"prompt_tokens{b}"] * asked + rolled_up[f"completion_tokens{b}"] * answered) / 1e6
        for name, b in (("cost", ""), ("cost_billed", "_billed"))
    }
