"""What a retrieval leg gets (the corpus, the queries) and gives (scores of matching chunks)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, SerializeAsAny, field_validator

from runner import registry
from runner.config import Component
from runner.late_interaction import Matrix

Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a search, the chunks or the queries: the form that the leg reads, the others are None."""

    texts: list[str] | None = None
    vectors: npt.NDArray[np.float32] | None = None
    """Shape (n, dimensions), unit or zero rows."""
    tokens: list[Matrix] | None = None
    """The token vectors of each text, of the model that the leg names (a `TokenModel`)."""
    tokens_total: npt.NDArray[np.int64] | None = None
    """Beside `tokens`, shape (n,): the tokens of each whole text, whether the model read them or not."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What a leg says about one query."""

    chunks: npt.NDArray[np.int64]
    """Row numbers of the chunks that match, each once, in no order."""
    scores: npt.NDArray[np.float64]
    """Same shape; finite, higher is better."""
    reason: str = ""
    """Why there is nothing to find, where that is known (`no query terms`, `zero vector`)."""
    recall: float | None = None
    """Of an approximate search: how much of the exact best `depth` it found, in [0, 1]. None: it is exact."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one term of a query adds to the score of a chunk."""

    term: str
    """As the index has it."""
    asked: int
    """How often it stands in the query; `weight` counts each time."""
    in_chunk: bool
    weight: float


class Leg(Component):
    """A component of the group `retrieval`: one retrieval method. It never ranks, cuts or breaks a tie."""

    reads: ClassVar[Literal["texts", "vectors", "tokens"]]
    similarity: ClassVar[bool]
    """Its scores are cosine similarities in [-1, 1]."""
    keeps_index: ClassVar[bool]
    """`index` builds something worth keeping in the store."""
    search_fields: ClassVar[frozenset[str]] = frozenset({"depth"})
    """Fields that move the search alone: an index is shared by legs that differ in nothing else."""
    depth: int = Field(100, gt=0)

    def identity(self) -> dict[str, Any]:
        """What can move a score beside the fields: versions of libraries, digests of files; in the key."""
        return {}

    def notes(self, index: Mapping[str, npt.NDArray[Any]]) -> list[str]:
        """What a reader of the results must know of this leg on this corpus, one sentence each."""
        return []

    def index(self, chunks: Side) -> Arrays:
        """What is built once per corpus and kept, as arrays; not asked where `keeps_index` is false."""
        raise NotImplementedError

    def search(self, index: Mapping[str, npt.NDArray[Any]], chunks: Side, queries: Side) -> Iterator[Scored]:
        """One `Scored` per query, in order. It may leave out chunks that cannot be among the best `depth`.

        Of the chunks, only vectors are given: a leg that reads texts keeps in its index what it needs of
        them.
        """
        raise NotImplementedError

    def contributions(
        self, index: Mapping[str, npt.NDArray[Any]], query: str, chunks: Sequence[int]
    ) -> list[list[Part]] | None:
        """For each of `chunks` (row numbers that match) the parts that its score is the sum of.

        None: the scores of this leg are no sums over terms.
        """
        return None


_TAKEN = ("fused", "rerank", "order", "final", "drop")
"""Prefixes of columns that are no leg's."""
_LEG = re.compile(rf"(?!(?:{'|'.join(_TAKEN)})(?:_|$))[a-z][a-z0-9_]*")


class Retrieval(Component):
    """The choice of the group: a mode and its legs, each searched to its own depth."""

    name: str
    legs: dict[str, SerializeAsAny[Leg]]

    @field_validator("legs", mode="before")
    @classmethod
    def _components(cls, value: object) -> object:
        if not isinstance(value, Mapping) or not value:
            raise ValueError(f"name at least one leg: {', '.join(registry.names('retrieval'))}")
        for name in value:
            if not _LEG.fullmatch(str(name)):
                raise ValueError(f"'{name}' cannot name a leg: a-z, 0-9 and _; not {', '.join(_TAKEN)}")
            if value[name] is None:
                raise ValueError(f"{name}: is empty; {{}} means its defaults, ~retrieval.legs.{name} none")
        return {
            k: registry.parse_component("retrieval", {"name": k, **v}, where=f"retrieval.legs.{k}")
            if isinstance(v, Mapping)
            else v
            for k, v in sorted(value.items())  # how they were listed changes nothing
        }


GROUP = Retrieval
