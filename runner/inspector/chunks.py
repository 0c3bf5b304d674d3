"""`inspect chunks`: a document as the index sees it, every status found by comparing digests."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

import polars as pl

from runner.errors import RequestError, did_you_mean
from runner.inspector import boundaries
from runner.inspector.chunk_records import (
    ChunkEmbedding,
    ChunksView,
    ChunkView,
    DocumentView,
    HeaderView,
    RowView,
    Status,
)
from runner.inspector.health import health
from runner.inspector.records import Source
from runner.inspector.stored import Stored, written
from runner.text import one_line

_WORST: tuple[Status, ...] = ("orphaned", "stale", "missing", "pending")
Digests = Mapping[str, str]
"""By document the digest of its text in the data set as it is now."""
_LISTED = 20
"""Ids that an error lists, of perhaps thousands."""


def view(
    stored: Stored,
    source: Source,
    now: Digests | None,
    doc_id: str | None,
    *,
    borders: bool = False,
    healthy: bool = False,
) -> ChunksView:
    """The view of a document, of the health of the whole corpus, or of both.

    Args:
        stored: the run.
        source: what is known of the data set where the run read it.
        now: its texts as they are now; None: not known.
        doc_id: the document.
        borders: with its boundaries.
        healthy: with the health of the corpus.
    """
    notes = [] if source.state != "unreadable" else [f"statuses trust the run's own copy: {source.detail}"]
    if stored.legs is None:
        notes.append("the legs' components cannot be asked, so nothing is said of their indexes' files")
    return ChunksView(
        view="chunks",
        run=stored.card(),
        source=source,
        embedding=stored.embedding,
        indexes=stored.indexes,
        document=None if doc_id is None else _document(stored, now, doc_id, borders),
        health=health(stored) if healthy else None,
        notes=tuple(notes),
    )


def digest(text: str) -> str:
    """SHA-256 of a text, 64 hex characters."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def digests(documents: pl.DataFrame) -> Digests:
    """The digest of every document's text, by id."""
    return {d: digest(t) for d, t in documents.select("doc_id", "text").iter_rows()}


def _document(stored: Stored, now: Digests | None, doc_id: str, borders: bool) -> DocumentView:
    found = stored.documents.filter(pl.col("doc_id") == doc_id)
    if found.is_empty():
        return _unindexed(stored, now or {}, doc_id)
    row = found.row(0, named=True)
    text = row["text"]
    rows = tuple(_rows(stored, now, doc_id, text))
    statuses = Counter(c.status for r in rows for c in r.chunks)
    return DocumentView(
        doc_id=doc_id,
        title=row["title"],
        metadata=json.loads(row["metadata"]),
        characters=len(text),
        text_digest=digest(text),
        status=next((s for s in _WORST if s in statuses), "ready"),
        statuses=dict(statuses),
        rows=rows,
        boundaries=boundaries.boundaries(stored, doc_id, text) if borders else None,
    )


def _unindexed(stored: Stored, now: Digests, doc_id: str) -> DocumentView:
    """A document that came into the data set after the run: nothing of it is in any index yet."""
    known = stored.documents["doc_id"].to_list()
    if doc_id not in now:
        ids, shown = sorted({*known, *now}), one_line(doc_id)
        some = ids if len(ids) <= _LISTED else [*ids[:_LISTED], "…"]
        raise RequestError(
            f"run {stored.run.short} has no document '{shown}'; {did_you_mean(doc_id, ids, some)}"
        )
    return DocumentView(doc_id, "", {}, None, now[doc_id], "pending", {}, (), None)


def _rows(stored: Stored, now: Digests | None, doc_id: str, text: str) -> Iterator[RowView]:
    """Rows in the order in which they begin; a strategy that knows none gives one row, the body."""
    mine = stored.chunks.filter(pl.col("doc_id") == doc_id)
    doubt = _of_document(now, doc_id, digest(text)) or _of_indexes(stored)

    def row(chunk: dict[str, Any]) -> tuple[int, str]:
        return chunk.get("row") or 0, chunk.get("row_type") or "body"

    first: dict[tuple[int, str], int] = {}
    for place, chunk in enumerate(mine.iter_rows(named=True)):
        first.setdefault(row(chunk), place)
    ordered = sorted(mine.to_dicts(), key=lambda c: first[row(c)])
    for (number, kind), some in groupby(ordered, key=row):
        chunks = list(some)
        yield RowView(
            row=number,
            type=kind,
            start=min(c["start"] for c in chunks),
            end=max(c["end"] for c in chunks),
            chunks=tuple(_chunk(stored, c, text[c["start"] : c["end"]], doubt) for c in chunks),
        )


def _chunk(stored: Stored, row: dict[str, Any], text: str, doubt: tuple[Status, str] | None) -> ChunkView:
    chunk_id = row["chunk_id"]
    told = (stored.embedded or {}).get(chunk_id)
    status, why = doubt or _of_vector(stored, told)
    segment = stored.vectors.segment(told["input_key"]) if told else None
    return ChunkView(
        chunk_id=chunk_id,
        ordinal=row["chunk_index"],
        start=row["start"],
        end=row["end"],
        parent_start=row.get("parent_start"),
        parent_end=row.get("parent_end"),
        heading=row.get("heading"),
        tokens=row["tokens"],
        text=text,
        text_digest=digest(text),
        embedding=_embedding(stored, told),
        indexes=dict(stored.keys["indexes"]),
        header=_header(stored.headers.get(chunk_id)),
        status=status,
        why=why,
        updated=written(segment or stored.path("chunks", stored.keys["chunks"])),
    )


def _of_document(now: Digests | None, doc_id: str, indexed: str) -> tuple[Status, str] | None:
    if now is None:
        return None
    if doc_id not in now:
        return "orphaned", "its document is no longer in the data set"
    if now[doc_id] != indexed:
        return "stale", "the document's text has changed since it was indexed"
    return None


def _of_indexes(stored: Stored) -> tuple[Status, str] | None:
    gone = [i.leg for i in stored.indexes if i.stored is False]
    return ("missing", f"the index of {', '.join(gone)} is gone from the store") if gone else None


def _of_vector(stored: Stored, told: dict[str, Any] | None) -> tuple[Status, str]:
    if stored.keys["embedding"] is None:
        return "ready", "no leg reads vectors"
    if stored.embedded is None:
        return "missing", "the record of what was embedded is gone from the store"
    if told is None:
        return "pending", "nothing was embedded of it yet"
    if stored.vectors.segment(told["input_key"]) is None:
        return "missing", "its vector is gone from the store"
    return "ready", "the store has the vector of its input"


def _embedding(stored: Stored, told: dict[str, Any] | None) -> ChunkEmbedding | None:
    if told is None:
        return None
    counts: dict[str, Any] = {c: told[c] for c in ("tokens_total", "tokens_embedded", "truncated")}
    audit: dict[str, Any] = {
        c: told.get(c) for c in ("header_tokens", "own_tokens_embedded", "own_tokens_pushed_out")
    }
    return ChunkEmbedding(stored.keys["model"], told["input_key"].hex(), **counts, **audit)


def _header(row: dict[str, Any] | None) -> HeaderView | None:
    if row is None:
        return None
    plain: dict[str, Any] = {c: tuple(v) if isinstance(v, list) else v for c, v in row.items()}
    return HeaderView(**{c: v for c, v in plain.items() if c not in {"chunk", "chunk_id"}})
