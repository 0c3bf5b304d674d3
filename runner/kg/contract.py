"""What a component of the group `kg` gives: the knowledge graph of a corpus, as three frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import polars as pl


@dataclass(frozen=True, slots=True)
class Graph:
    """A knowledge graph. Mentions lie in documents, so it survives any chunking of them."""

    mentions: pl.DataFrame
    """Columns of `records.Mention`."""
    nodes: pl.DataFrame
    """Columns of `records.Node`."""
    edges: pl.DataFrame
    """Columns of `records.Edge`."""


@runtime_checkable
class KnowledgeGraph(Protocol):
    """A component of the group `kg`."""

    name: str
    reads_own: ClassVar[bool]
    """It takes the graph that the data set brings, which there must then be."""

    def graph(self, documents: pl.DataFrame, own: Graph | None) -> Graph:
        """The graph of `documents` (columns of `records.Document`), the same whatever their order.

        `own` is the graph that the data set brings, for a component that `reads_own`; else None.
        """
        ...

    def identity(self) -> dict[str, str]:
        """What decides the graph beside the fields and the documents, as JSON (versions of libraries)."""
        ...
