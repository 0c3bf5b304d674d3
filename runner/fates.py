"""What became of a gold item: the twelve fates, in the order of the pipeline, and the record of one item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Stage = Literal[
    "not_in_corpus",
    "split_by_chunking",
    "outside_window",
    "filtered",
    "below_similarity",
    "below_score",
    "fusion",
    "beyond_pool",
    "rerank",
    "top_k",
    "expansion_recovered",
    "found",
]
STAGES: tuple[Stage, ...] = get_args(Stage)
"""Ten ways to be lost, and two to be in the context."""
FOUND: tuple[Stage, ...] = ("expansion_recovered", "found")


@dataclass(frozen=True, slots=True)
class Attribution:
    """A positive judgment of a run, the stage that lost it, and the chunk that decided it.

    The ranks of that chunk in the legs are recorded as `<leg>_rank` columns.
    """

    query_id: str
    doc_id: str
    start: int | None
    end: int | None
    grade: int
    stage: Stage
    held: float
    """The largest share of the item that one chunk (or its window, where windows are on) holds, in [0, 1]."""
    covered: float
    """The share that the hits hold together."""
    covered_expanded: float
    """The share that the context holds."""
    chunk_id: str | None
    """The carrier that came furthest; where no chunk holds the item whole, the one that holds most of it."""
    fused_rank: int | None
    final_rank: int | None
    drop_reason: str | None
    drop_value: float | None
    drop_limit: float | None
    rerank_rank: int | None = None
