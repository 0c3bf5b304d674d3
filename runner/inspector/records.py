"""Records that several views share: the run and its scope, models, indexes, the data set now, neighbors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

SourceState = Literal["unchanged", "changed", "unreadable"]


@dataclass(frozen=True, slots=True)
class RunCard:
    """The run that is looked at, and so the scope: every id is a locator in this chunking of this corpus."""

    run: str
    created: str
    data_set: str
    corpus: str
    """Key of the data set as the run read it."""
    strategy: str
    chunking: str
    """Key of the chunk table; a chunk id means nothing outside it."""
    chunks: int
    badge: str


@dataclass(frozen=True, slots=True)
class EmbeddingIdentity:
    """The model behind the vectors of a run."""

    name: str
    model: str
    """Key of the model: digest of everything that decides a vector."""
    identity: dict[str, Any]


@dataclass(frozen=True, slots=True)
class LegFacts:
    """What a component says of its leg; a view cannot ask it, so whoever opens the view does."""

    leg: str
    component: str
    reads: Literal["texts", "vectors", "tokens"]
    similarity: bool
    """Its scores are cosine similarities in [-1, 1], never a backend's own distance."""
    keeps_index: bool


@dataclass(frozen=True, slots=True)
class IndexIdentity:
    """What a leg searches."""

    leg: str
    component: str
    index: str
    """Key of the index: component, settings, libraries, and the key of what was indexed."""
    identity: dict[str, Any]
    stored: bool | None
    """Whether its files are in the store; None: nothing is kept of it (exact search), or it is not known."""


@dataclass(frozen=True, slots=True)
class Source:
    """The data set where the run read it, as it is now."""

    state: SourceState
    detail: str


@dataclass(frozen=True, slots=True)
class Near:
    """A chunk near another. What `value` is, the list it stands in says."""

    chunk_id: str
    value: float
    text: str
    entities: tuple[str, ...]
    """Labels of the entities that both chunks name."""


@dataclass(frozen=True, slots=True)
class NearList:
    """Chunks near another in one sense, nearest first."""

    label: str
    unit: str
    """What `value` of an entry is."""
    found: tuple[Near, ...]


@dataclass(frozen=True, slots=True)
class NeighborsView:
    """`inspect neighbors`. A list that the run has nothing for is None, and a note says why."""

    view: Literal["neighbors"]
    run: RunCard
    chunk_id: str
    doc_id: str
    start: int
    end: int
    text: str
    entities: tuple[str, ...]
    embedding: EmbeddingIdentity | None
    document: NearList
    vector: NearList | None
    lexical: NearList | None
    entity: NearList | None
    notes: tuple[str, ...]
