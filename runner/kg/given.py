"""`given`: the graph that the data set brings along in its `kg/`, as it is."""

from __future__ import annotations

from typing import ClassVar, Literal

import polars as pl

from runner.config import Component
from runner.errors import ComponentError
from runner.kg.contract import Graph


class Given(Component):
    """For data sets with a graph of their own."""

    version: ClassVar[int] = 1
    reads_own: ClassVar[bool] = True
    name: Literal["given"] = "given"

    def graph(self, documents: pl.DataFrame, own: Graph | None) -> Graph:
        """See `KnowledgeGraph`."""
        if own is None:
            raise ComponentError(
                "kg given: the data set brings no graph; kg=extract makes one from its texts"
            )
        return own

    def identity(self) -> dict[str, str]:
        """Nothing: the graph is in the fingerprints of the data set."""
        return {}
