"""Records of `why`: where the gold of a run was lost, the fate of an item, what a change would bring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from runner.fates import Stage


@dataclass(frozen=True, slots=True)
class Depth:
    """A deeper look: where a leg has the first carrier of an item when every chunk is ranked, exactly.

    It was looked up after the run, and is no part of its trace.
    """

    leg: str
    rank: int | None
    """None: the leg has no score for it at any depth (it shares no term with the query)."""
    chunk_id: str | None
    score: float | None
    of: int
    """Chunks that the leg ranks for this query."""
    depth: int
    """How deep the run had searched."""


@dataclass(frozen=True, slots=True)
class GoldItem:
    """A gold item, the stage that lost it, and the numbers that say so; see `fates.Attribution`."""

    doc_id: str
    start: int | None
    end: int | None
    grade: int
    quote: str
    """The text of the span; of a whole document its beginning."""
    stage: Stage
    says: str
    """The stage's reason in words, with its value and limit."""
    reason: str | None
    value: float | None
    limit: float | None
    held: float
    covered: float
    covered_expanded: float
    chunk_id: str | None
    legs: dict[str, int | None]
    """The rank of that chunk in each leg."""
    fused_rank: int | None
    rerank_rank: int | None
    final_rank: int | None
    deeper: tuple[Depth, ...] = ()
    """Asked for `outside_window` only."""


@dataclass(frozen=True, slots=True)
class LostQuestion:
    """A question that lost gold at a stage."""

    query_id: str
    text: str
    lost: int
    n_gold: int
    item: GoldItem
    """Of those it lost there, the one that was furthest from being kept."""


@dataclass(frozen=True, slots=True)
class StageLoss:
    """One step of the waterfall."""

    stage: Stage
    items: int
    share: float
    left: float
    """Share of all gold that no stage so far has lost."""
    questions: int
    """Questions with an item here."""
    worst: tuple[LostQuestion, ...]


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What could be in the context at best, if everything after a stage were perfect."""

    stage: str
    items: int
    share: float


@dataclass(frozen=True, slots=True)
class WhyRun:
    """The waterfall of a run."""

    run: str
    data_set: str
    n: int
    """Gold items."""
    questions: int
    """Questions that have any."""
    stages: tuple[StageLoss, ...]
    ceilings: tuple[Ceiling, ...]
    notes: tuple[str, ...] = ()
    view: Literal["why"] = "why"


@dataclass(frozen=True, slots=True)
class Change:
    """One thing changed, everything else as in the run: what then became of the items of one question."""

    kind: str
    says: str
    """`top_k 5 → 12`."""
    stages: tuple[Stage, ...]
    """Of each item, in the order of the items."""
    brings_back: int
    """Items that are in the context now and were not."""
    loses: int
    """Items that were in the context and are not."""
    tokens: int
    """Tokens of the context."""
    tokens_added: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """Of one lost item: whether undoing the stage that is blamed, and nothing else, brings it back."""

    item: int
    """Which of the items, from 0."""
    stage: Stage
    confirmed: bool
    by: tuple[str, ...]
    """Changes to that stage that bring it back."""
    then: tuple[Stage, ...]
    """Where it is lost when that stage is undone, by the changes to it that do not bring it back."""
    cheapest: str | None
    """The change with the fewest tokens that brings it back, and if there is one, that loses no other item.

    None: no single change does.
    """


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The counterfactuals of one question."""

    tokens: int
    """Of the context as the run had it."""
    changes: tuple[Change, ...]
    not_tried: tuple[str, ...]
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class WhyQuery:
    """The gold of one question of a run."""

    run: str
    query_id: str
    text: str
    items: tuple[GoldItem, ...]
    confirmation: Confirmation | None = None
    notes: tuple[str, ...] = ()
    view: Literal["why query"] = "why query"
