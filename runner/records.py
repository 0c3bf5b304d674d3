"""The records: one item each, typed and frozen. Table schemas are derived from these classes (tables.py)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Role = Literal["hit", "neighbor"]
Fate = Literal["hit", "dropped"]


@dataclass(frozen=True, slots=True)
class Document:
    """A source text. `text` is kept as it was read: no newline translation, no normalisation."""

    doc_id: str
    text: str
    title: str = ""
    metadata: str = "{}"
    """Canonical JSON object of scalars and lists of strings; filters read it."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked of the index."""

    query_id: str
    text: str
    tags: str = "[]"
    """Canonical JSON list of strings."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """One judged item.

    `start`/`end`: code points, half open; both None for a judgment of the whole document.
    """

    query_id: str
    doc_id: str
    start: int | None = None
    end: int | None = None
    grade: int = 1


@dataclass(frozen=True, slots=True)
class GivenChunk:
    """A chunk that the data set brings along: code points `[start, end)` of a document."""

    doc_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SituatingText:
    """A ready-made text that says where a part of a document stands; both offsets None: all of it."""

    doc_id: str
    text: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity named in a document, at code points `[start, end)`; both None: somewhere in it."""

    mention_id: str
    doc_id: str
    start: int | None
    end: int | None
    entity_type: str
    confidence: float
    node_id: str | None
    """The node it is a member of; None: not resolved to any."""


@dataclass(frozen=True, slots=True)
class Node:
    """A canonical entity of the knowledge graph."""

    node_id: str
    label: str
    type: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation between two nodes, `source —label→ target`."""

    source: str
    label: str
    target: str
    confidence: float
    evidence: str = "[]"
    """Canonical JSON list of `{doc_id, start, end}`."""


@dataclass(frozen=True, slots=True)
class ContextHeader:
    """What enrichment says about a chunk; goes into the embedding input and nowhere else."""

    entities: tuple[str, ...] = ()
    entity_types: tuple[str, ...] = ()
    neighbor_triples: tuple[str, ...] = ()
    kg_node_ids: tuple[str, ...] = ()
    neighbor_node_ids: tuple[str, ...] = ()
    situating_sentence: str | None = None
    model_id: str | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A numbered piece of a document. `chunk_id` locates it within one chunking key only."""

    chunk_id: str
    doc_id: str
    chunk_index: int
    start: int
    end: int
    tokens: int
    """Tokens of the piece by itself, in the run's tokenizer."""
    heading: str | None = None
    row: int | None = None
    row_type: str | None = None
    """As `strategy.contract.Piece` has them; a strategy that knows none leaves the column out."""
    parent_start: int | None = None
    parent_end: int | None = None
    parent_tokens: int | None = None
    """The span that is returned and paid for when this chunk is a hit, where it is not the chunk itself."""


@dataclass(frozen=True, slots=True)
class LegSignal:
    """What one retrieval leg said about a candidate; a rank counts from 1."""

    score: float
    normalized: float | None
    """On the fusion's scale; None where a filter or threshold kept the hit out of the fusion."""
    rank: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk in a query's recorded window: every rank and score it ever had, and its fate.

    The legs are recorded as `<leg>_score`, `<leg>_norm`, `<leg>_rank` columns. It has a final rank xor a
    drop.
    """

    query_id: str
    chunk_id: str
    fused_score: float | None
    fused_rank: int | None
    final_score: float | None
    final_rank: int | None
    fate: Fate
    drop_stage: str | None = None
    drop_reason: str | None = None
    drop_value: float | None = None
    drop_limit: float | None = None
    legs: dict[str, LegSignal] = field(default_factory=dict)
    rerank_score: float | None = None
    rerank_rank: int | None = None


@dataclass(frozen=True, slots=True)
class ExpansionRow:
    """One member of a hit's window. `offset` is −P … +N in chunks; 0 is the hit itself."""

    query_id: str
    hit_rank: int
    offset: int
    chunk_id: str
    role: Role


@dataclass(frozen=True, slots=True)
class ContextRow:
    """One chunk of the context the LLM sees, once each, in document order; `position` counts from 1."""

    query_id: str
    position: int
    chunk_id: str
    role: Role
    tokens: int


@dataclass(frozen=True, slots=True)
class MeasureRow:
    """One value of one measure for one judged query; NaN never, absent where a measure does not apply."""

    query_id: str
    measure: str
    value: float


@dataclass(frozen=True, slots=True)
class TreeMember:
    """A chunk as a person reads it, in an expansion tree or a context."""

    chunk_id: str
    doc_id: str
    chunk_index: int
    start: int
    end: int
    tokens: int
    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class TreeHit:
    """A hit in score order with its neighbors in document order (empty tuples at ±0/0)."""

    rank: int
    score: float
    hit: TreeMember
    neighbors_prev: tuple[TreeMember, ...]
    neighbors_next: tuple[TreeMember, ...]


@dataclass(frozen=True, slots=True)
class QueryTrace:
    """Everything a run recorded about one query, for one person to read."""

    query_id: str
    text: str
    reasons: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    expansion_tree: tuple[TreeHit, ...]
    retrieved_chunks: tuple[TreeMember, ...]
    measures: dict[str, float]
