"""Records of `inspect query` and `inspect diff`: what every stage said of each candidate, and what moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from runner.fates import Attribution
from runner.inspector.records import EmbeddingIdentity, IndexIdentity, RunCard
from runner.records import Fate, TreeHit, TreeMember

Change = Literal["same", "scores", "order", "items"]
"""How far two outputs of a stage differ: not, in scores alone, in order too, in which chunks there are."""
Reason = Literal[
    "none", "other_corpus", "other_chunks", "other_model", "other_embedding_input",
    "leg_in_one_only", "other_depth", "other_leg_settings", "other_library", "other_filter",
    "other_threshold", "other_fusion", "other_reranker", "reranker_fallback", "other_top_k",
    "other_neighbors", "same_settings",
]  # fmt: skip
"""Why the first stage that differs does; `same_settings`: nothing recorded explains it."""


@dataclass(frozen=True, slots=True)
class TermWeight:
    """What one term of the query adds to a chunk's BM25 score."""

    term: str
    """As it is indexed, after stemming."""
    asked: int
    """How often it stands in the query; `weight` counts each time."""
    in_chunk: bool
    """False: the variant gives a constant share to chunks without the term (`bm25l`, `bm25+`)."""
    weight: float


@dataclass(frozen=True, slots=True)
class SignalView:
    """What one leg said of a candidate."""

    score: float
    """Raw: a BM25 score, or a cosine similarity in [-1, 1]; higher is better."""
    normalized: float | None
    """On the fusion's scale within this query; None: a filter or threshold kept it out of the fusion."""
    rank: int
    terms: tuple[TermWeight, ...] | None
    """Weights that add up to `score`; None: not asked for, or the score is no sum over terms."""


@dataclass(frozen=True, slots=True)
class CandidateView:
    """A chunk in the window of a query, its source row, every score and rank it ever had, and its fate."""

    chunk_id: str
    doc_id: str
    ordinal: int
    start: int
    end: int
    row: int | None
    row_type: str
    heading: str | None
    tokens: int
    text: str
    signals: dict[str, SignalView]
    fused_score: float | None
    fused_rank: int | None
    rerank_score: float | None
    rerank_rank: int | None
    rerank_movement: int | None
    """Fused rank − rerank rank: places won by the reranker."""
    final_score: float | None
    final_rank: int | None
    fate: Fate
    drop_stage: str | None
    drop_reason: str | None
    drop_value: float | None
    drop_limit: float | None


@dataclass(frozen=True, slots=True)
class StageView:
    """A stage of the funnel: chunks or candidates in, out, dropped."""

    stage: str
    component: str
    rows_in: int
    rows_out: int
    dropped: int
    ms: float | None
    """Milliseconds, of what `timed` of the query says; None: timed with the stage before it."""
    settings: dict[str, Any]


@dataclass(frozen=True, slots=True)
class LegView:
    """A leg as it searched: how deep, with which settings, over which index."""

    leg: str
    component: str
    depth: int
    unit: str
    """What its raw score is."""
    index: IndexIdentity
    settings: dict[str, Any]
    found: int


@dataclass(frozen=True, slots=True)
class RerankerView:
    """The reranker: its configuration, the identity of its model, and whether this query fell back."""

    component: str
    settings: dict[str, Any]
    identity: dict[str, Any]
    fallback: str | None
    """Why the fused order was kept; None: it was not."""


@dataclass(frozen=True, slots=True)
class WindowView:
    """The bounded window of a query: misses are shown within it, never beyond."""

    heading: str
    candidates: int
    chunks: int
    returned: int


@dataclass(frozen=True, slots=True)
class QueryView:
    """`inspect query`: one execution of the pipeline, as it was captured while it happened."""

    view: Literal["query"]
    run: RunCard
    origin: Literal["recorded", "executed"]
    """From the trace that the run recorded, or from an execution of the same pipeline just now."""
    query_id: str
    text: str
    mode: str
    legs: tuple[LegView, ...]
    embedding: EmbeddingIdentity | None
    fusion: str
    """Formula and version; `identity` with one leg."""
    fusion_component: str
    threshold: dict[str, float | None]
    filter: dict[str, Any]
    reranker: RerankerView | None
    top_k: int
    timed: str
    funnel: tuple[StageView, ...]
    reasons: tuple[str, ...]
    """Why something did not happen: no query terms, zero vector, fallback."""
    window: WindowView
    hits: tuple[CandidateView, ...]
    misses: tuple[CandidateView, ...] | None
    """None: not asked for (`--show-misses`)."""
    expansion_tree: tuple[TreeHit, ...]
    retrieved_chunks: tuple[TreeMember, ...]
    context_tokens: int
    measures: dict[str, float]
    gold: tuple[Attribution, ...]
    """Its gold items, each with the stage that lost it; none for a new text."""
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Moved:
    """A chunk that a stage of both runs gave, at other ranks."""

    chunk: str
    rank_a: int
    rank_b: int


@dataclass(frozen=True, slots=True)
class StageDiff:
    """What one stage gave in B against A. Chunks are the same where document and span are."""

    stage: str
    change: Change
    in_a: int
    in_b: int
    entered: tuple[str, ...]
    left: tuple[str, ...]
    moved: tuple[Moved, ...]
    rescored: int
    """Chunks of both whose score differs by more than 1e-6."""


@dataclass(frozen=True, slots=True)
class QueryChange:
    """How far the answers to one question differ."""

    query_id: str
    text: str
    change: float
    """1 − shared ÷ all code points of the two contexts: 0 the same context, 1 nothing in common."""
    stage: str | None
    """The first stage whose output differs, be it in scores alone; None: none does."""
    reason: Reason
    entered: int
    left: int
    moved: int
    """Hits, by final rank."""
    measures: dict[str, tuple[float, float]]
    """Measures of both runs: A, B."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A setting, key or identity in which the two runs differ."""

    what: str
    a: str
    b: str


@dataclass(frozen=True, slots=True)
class DiffView:
    """`inspect diff`: two runs stage by stage, for one question or for all they share."""

    view: Literal["diff"]
    a: RunCard
    b: RunCard
    differences: tuple[Difference, ...]
    first: dict[str, int]
    """Questions by the first stage that differs (`none`: same at every stage)."""
    queries: tuple[QueryChange, ...]
    """Most changed first."""
    stages: tuple[StageDiff, ...] | None
    """Of the one question that was asked for; None: all were."""
    only_in_a: tuple[str, ...]
    only_in_b: tuple[str, ...]
    notes: tuple[str, ...]
