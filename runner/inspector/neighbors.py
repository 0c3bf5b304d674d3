"""`inspect neighbors`: what lies near a chunk in its document, by stored vector, by words, by entities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from runner.errors import RequestError, did_you_mean
from runner.inspector.records import Near, NearList, NeighborsView
from runner.inspector.stored import Stored
from runner.text import one_line

Vector = npt.NDArray[np.float32]
"""Shape (dimensions,), unit or zero."""


def view(
    stored: Stored, chunk_id: str, *, top: int, anew: tuple[Vector, str] | None, lexical: NearList | str
) -> NeighborsView:
    """The neighbors of a chunk, at most `top` of each kind.

    Args:
        stored: the run.
        chunk_id: a chunk of it.
        top: how many of each kind.
        anew: a vector made just now, and what to call it; None: the stored one.
        lexical: the nearest by words, or why there are none.
    """
    row = chunk_of(stored, chunk_id)
    vector = _by_vector(stored, chunk_id, top, anew)
    entity, mine = _by_entity(stored, chunk_id, top)
    missing = [part for part in (vector, lexical, entity) if isinstance(part, str)]
    return NeighborsView(
        view="neighbors",
        run=stored.card(),
        chunk_id=chunk_id,
        doc_id=row["doc_id"],
        start=row["start"],
        end=row["end"],
        text=stored.texts[row["place"]],
        entities=mine,
        embedding=stored.embedding,
        document=_in_document(stored, chunk_id, top),
        vector=None if isinstance(vector, str) else vector,
        lexical=None if isinstance(lexical, str) else lexical,
        entity=None if isinstance(entity, str) else entity,
        notes=tuple(missing),
    )


def chunk_of(stored: Stored, chunk_id: str) -> dict[str, Any]:
    """The row of a chunk.

    Raises:
        RequestError: the run has no such chunk.
    """
    if chunk_id not in stored.rows:
        of_document = [c for c in stored.rows if c.rpartition("#")[0] == chunk_id.rpartition("#")[0]]
        near = did_you_mean(chunk_id, stored.rows, of_document[:20])
        raise RequestError(f"run {stored.run.short} has no chunk '{one_line(chunk_id)}'; {near}")
    return stored.rows[chunk_id]


def near(stored: Stored, places: Sequence[int], values: Sequence[float], but: int, top: int) -> list[Near]:
    """The best `top` of the chunks at `places`, one of which (`but`) is the chunk itself.

    By value descending, then in document order, as hits are ordered everywhere.
    """
    ids = stored.chunks["chunk_id"]
    best = sorted((-v, p) for v, p in zip(values, places, strict=True) if p != but)[:top]
    return [Near(ids[p], -v, stored.texts[p], ()) for v, p in best]


def _in_document(stored: Stored, chunk_id: str, top: int) -> NearList:
    row = stored.rows[chunk_id]
    of_document = stored.chunks.filter(pl.col("doc_id") == row["doc_id"])
    away = (pl.col("chunk_index") - row["chunk_index"]).alias("away")
    some = of_document.with_columns(away).filter(pl.col("away") != 0)
    some = some.sort(pl.col("away").abs(), "away").head(top)
    rows = some.select("chunk_id", "away", "place").rows()
    found = [Near(c, float(a), stored.texts[p], ()) for c, a, p in rows]
    return NearList("document neighbors", "places away in document order", tuple(found))


def _by_vector(stored: Stored, chunk_id: str, top: int, anew: tuple[Vector, str] | None) -> NearList | str:
    told = stored.embedded
    if stored.embedding is None:
        return "vector: no leg of this run reads vectors"
    if told is None:
        return "vector: the record of what was embedded is gone from the store"
    there = [r for r in stored.rows.values() if _key(told, r["chunk_id"], stored) is not None]
    rows = stored.vectors.by_key([told[r["chunk_id"]]["input_key"] for r in there]).vectors
    places = [r["place"] for r in there]
    here = stored.rows[chunk_id]["place"]
    label = "exact cosine of stored vectors"
    if anew:
        query, label = anew
    elif here in places:
        query = rows[places.index(here)]
    else:
        return "vector: the vector of this chunk is gone from the store; --re-embed makes it anew"
    similarities = np.clip((rows.astype(np.float64) * query.astype(np.float64)).sum(axis=1), -1.0, 1.0)
    found = near(stored, places, similarities.tolist(), here, top)
    return NearList(label, "cosine similarity", tuple(found))


def _key(told: dict[str, dict[str, object]], chunk_id: str, stored: Stored) -> bytes | None:
    """The key of a chunk's vector, if the store has it."""
    key = told.get(chunk_id, {}).get("input_key")
    return key if isinstance(key, bytes) and stored.vectors.segment(key) else None


def _by_entity(stored: Stored, chunk_id: str, top: int) -> tuple[NearList | str, tuple[str, ...]]:
    mentions, nodes = stored.graph("mentions"), stored.graph("nodes")
    if mentions is None or nodes is None:
        return "entity: this run has no knowledge graph", ()
    cuts = stored.chunks.lazy().select("place", "chunk_id", "doc_id", "start", "end")
    named = (
        mentions.lazy()
        .filter(pl.col("node_id").is_not_null() & pl.col("start").is_not_null())
        .select("doc_id", "node_id", m_start="start", m_end="end")
        .join(cuts, on="doc_id")
        .filter((pl.col("m_start") >= pl.col("start")) & (pl.col("m_end") <= pl.col("end")))
        .join(nodes.lazy().select("node_id", "label"), on="node_id")
        .select("place", "chunk_id", "node_id", "label")
        .unique()
        .collect()
    )
    mine = named.filter(pl.col("chunk_id") == chunk_id)
    shared = (
        named.filter((pl.col("chunk_id") != chunk_id) & pl.col("node_id").is_in(mine["node_id"].implode()))
        .group_by("place", "chunk_id")
        .agg(pl.col("label").sort(), pl.len().cast(pl.Float64).alias("n"))
        .sort("n", "place", descending=[True, False])
        .head(top)
    )
    found = [
        Near(c, n, stored.texts[p], tuple(labels))
        for p, c, labels, n in shared.select("place", "chunk_id", "label", "n").iter_rows()
    ]
    unit = "entities shared, by mentions that lie wholly inside a chunk"
    return NearList("chunks that share KG entities", unit, tuple(found)), tuple(sorted(mine["label"]))
