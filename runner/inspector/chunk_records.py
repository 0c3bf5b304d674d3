"""Records of `inspect chunks`: a document as the index sees it, its chunks, and the health of a corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from runner.inspector.records import EmbeddingIdentity, IndexIdentity, RunCard, Source

Status = Literal["ready", "pending", "stale", "missing", "orphaned"]
Kind = Literal["tiny", "oversized", "mid_sentence", "duplicated", "truncated"]


@dataclass(frozen=True, slots=True)
class HeaderView:
    """What enrichment put before a chunk, in the embedding input and nowhere else."""

    text: str
    tokens: int
    entities: tuple[str, ...]
    entity_types: tuple[str, ...]
    neighbor_triples: tuple[str, ...]
    kg_node_ids: tuple[str, ...]
    neighbor_node_ids: tuple[str, ...]
    situating_sentence: str | None
    model_id: str | None
    capped_node_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChunkEmbedding:
    """What the model was given of a chunk, and how much of it was read. Token counts are the model's."""

    model: str
    input_key: str
    """SHA-256 of the embedding input: the vector's key in the store."""
    tokens_total: int
    tokens_embedded: int
    truncated: bool
    header_tokens: int | None
    own_tokens_embedded: int | None
    own_tokens_pushed_out: int | None


@dataclass(frozen=True, slots=True)
class ChunkView:
    """A chunk as the index sees it. Offsets are code points of the document, half open."""

    chunk_id: str
    ordinal: int
    start: int
    end: int
    parent_start: int | None
    parent_end: int | None
    heading: str | None
    tokens: int
    text: str
    text_digest: str
    """SHA-256 of the text."""
    embedding: ChunkEmbedding | None
    """None: no leg of the run reads vectors, or nothing is recorded of this chunk."""
    indexes: dict[str, str]
    """Leg -> key of the index it is in."""
    header: HeaderView | None
    status: Status
    why: str
    updated: str | None
    """When its vector was stored; without vectors, its chunk table."""


@dataclass(frozen=True, slots=True)
class RowView:
    """A row of the document (`entity`, `observation`, `relation` of a note; else one `body`), with chunks."""

    row: int
    type: str
    start: int
    end: int
    chunks: tuple[ChunkView, ...]


@dataclass(frozen=True, slots=True)
class Border:
    """Where a chunk begins and ends."""

    chunk_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class GoldView:
    """A judged item of the document, and what the chunking did to it."""

    query_id: str
    query: str
    start: int | None
    end: int | None
    grade: int
    held_by: tuple[str, ...]
    """Chunks that return it whole."""
    best_share: float
    """The largest share of it that one chunk returns."""
    cut: bool
    """No chunk returns it whole."""


@dataclass(frozen=True, slots=True)
class Boundaries:
    """The borders of the chunks in a document, with the gold in it."""

    text: str
    borders: tuple[Border, ...]
    gold: tuple[GoldView, ...]


@dataclass(frozen=True, slots=True)
class DocumentView:
    """One document as the index sees it."""

    doc_id: str
    title: str
    metadata: dict[str, Any]
    characters: int | None
    """Code points; None: it is not in the run, only in the data set."""
    text_digest: str
    """SHA-256 of the text that was indexed; of one that is not indexed yet, of what lies in the data set."""
    status: Status
    """The worst of its chunks; `pending`: the run never saw it."""
    statuses: dict[Status, int]
    """Chunks by status."""
    rows: tuple[RowView, ...]
    boundaries: Boundaries | None


@dataclass(frozen=True, slots=True)
class Finding:
    """Chunks of the whole corpus with one trait that makes retrieval worse."""

    kind: Kind
    rule: str
    count: int
    share: float
    chunks: tuple[str, ...]
    """All of them, in document order."""


@dataclass(frozen=True, slots=True)
class Health:
    """What is odd among the chunks of the whole corpus."""

    chunks: int
    tokens_least: int
    tokens_median: float
    tokens_most: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class ChunksView:
    """`inspect chunks`."""

    view: Literal["chunks"]
    run: RunCard
    source: Source
    embedding: EmbeddingIdentity | None
    indexes: tuple[IndexIdentity, ...]
    document: DocumentView | None
    health: Health | None
    notes: tuple[str, ...]
