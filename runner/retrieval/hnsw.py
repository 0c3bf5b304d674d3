"""`hnsw`: approximate nearest neighbors by usearch, and how much of the exact answer they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import version as installed
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from runner.errors import ComponentError
from runner.retrieval import _exact
from runner.retrieval.contract import Arrays, Leg, Scored, Side


class HNSW(Leg):
    """Hierarchical navigable small world graph (Malkov and Yashunin, TPAMI 2020) over cosine.

    It is built by one thread in the order of the chunks, so that equal chunks give an equal graph, and a
    vector is in it once however many chunks have it: copies would link to each other and hide the rest. The
    graph says who is near; the similarity is then computed from the stored vectors as the exact leg does, so
    a score is the same whichever leg found the chunk. Every query is searched exactly as well, to know the
    share of the exact best `depth` that was found.
    """

    version: ClassVar[int] = 1
    reads: ClassVar[Literal["texts", "vectors", "tokens"]] = "vectors"
    similarity: ClassVar[bool] = True
    keeps_index: ClassVar[bool] = True
    search_fields: ClassVar[frozenset[str]] = frozenset({"depth", "expansion_search"})
    name: Literal["hnsw"] = "hnsw"
    dtype: Literal["f32", "f16", "i8"] = "f32"
    """How the graph holds vectors; fewer bits are smaller and miss more."""
    connectivity: int = Field(16, ge=2, le=512)
    """Edges of a node."""
    expansion_add: int = Field(128, ge=1)
    """Candidates looked at when a chunk is added."""
    expansion_search: int = Field(128, ge=1)
    """Candidates looked at when a query is searched, or `depth` where that is more."""

    def identity(self) -> dict[str, Any]:
        """The version of usearch, which decides the graph."""
        return {"usearch": installed("usearch")}

    def index(self, chunks: Side) -> Arrays:
        """`graph`, the index as usearch saves it (no byte without chunks), and `node`, that of each chunk."""
        rows = chunks.vectors
        if rows is None:
            raise TypeError("the hnsw leg reads vectors")
        _finite(rows, "chunk")
        nodes: dict[bytes, int] = {}
        node = np.array([nodes.setdefault(row.tobytes(), len(nodes)) for row in rows], np.int64)
        if not nodes:
            return {"graph": np.zeros(0, np.uint8), "node": node}
        from usearch.index import Index

        made = Index(
            ndim=rows.shape[1],
            metric="cos",
            dtype=self.dtype,
            connectivity=self.connectivity,
            expansion_add=self.expansion_add,
        )
        # More threads would race for the edges: another graph at every build.
        first = np.unique(node, return_index=True)[1]
        made.add(np.arange(len(nodes), dtype=np.uint64), np.ascontiguousarray(rows[first]), threads=1)
        return {"graph": np.frombuffer(made.save(), np.uint8), "node": node}

    def search(self, index: Mapping[str, npt.NDArray[Any]], chunks: Side, queries: Side) -> Iterator[Scored]:
        """See `Leg`. A zero query vector finds nothing; each answer says how exact it is."""
        rows, asked = chunks.vectors, queries.vectors
        if rows is None or asked is None:
            raise TypeError("the hnsw leg reads vectors")
        _finite(asked, "query")
        near = self._near(index, asked)
        for query, found, (_, best) in zip(asked, near, _exact.search(rows, asked, self.depth), strict=True):
            if not query.any():
                yield Scored(np.zeros(0, np.int64), np.zeros(0), "zero vector", 1.0)
                continue
            scores = _exact.similarities(rows[found], query)
            yield Scored(found, scores, recall=_exact.recall(scores, best, self.depth))

    def _near(
        self, index: Mapping[str, npt.NDArray[Any]], asked: npt.NDArray[np.float32]
    ) -> Iterator[npt.NDArray[np.int64]]:
        """The chunks whose vectors the graph says are near, for each query."""
        node = index["node"]
        if not len(node):
            yield from (node for _ in asked)
            return
        graph, chunks, sizes = self._graph(index["graph"]), np.argsort(node, kind="stable"), np.bincount(node)
        starts = np.cumsum(sizes) - sizes
        for first in range(0, len(asked), _exact.BLOCK):
            for nodes in _nodes(graph, np.ascontiguousarray(asked[first : first + _exact.BLOCK]), self.depth):
                many = sizes[nodes]
                within = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
                yield chunks[np.repeat(starts[nodes], many) + within]

    def _graph(self, saved: npt.NDArray[np.uint8]) -> Any:
        from usearch.index import Index

        graph = Index.restore(saved.tobytes())
        if graph is None:
            raise ComponentError("the stored graph is none that this usearch can read")
        graph.expansion_search = max(self.expansion_search, self.depth)
        return graph


def _nodes(graph: Any, block: npt.NDArray[np.float32], depth: int) -> list[npt.NDArray[np.int64]]:
    """The nodes near each query; usearch pads short answers, and `counts` says where they end."""
    answer = graph.search(block, depth)
    keys, counts = np.atleast_2d(answer.keys), [len(answer)] if len(block) == 1 else answer.counts
    return [k[:n].astype(np.int64) for k, n in zip(keys, counts, strict=True)]


def _finite(rows: npt.NDArray[np.float32], what: str) -> None:
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(bad):  # a NaN would rank first everywhere
        raise ComponentError(f"leg hnsw: {what} row {bad[0]}: its vector is not finite")
