"""The funnel of one query: in, out, dropped and milliseconds of every stage that the execution declared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from runner.inspector.query_records import StageView
from runner.records import QueryTrace
from runner.traces import dropped_at, spent

_SETTINGS = (
    "depth", "limit", "formula", "pool", "on_error", "top_k", "neighbor_prev", "neighbor_next", "applied",
)  # fmt: skip
"""What a stage was told; what else it noted are totals over all queries of the run."""
_CORPUS = ("strategy", "enrichment", "embedding")
"""Stages that worked on the corpus, once, before any query; their counts are in `inspect chunks`."""


def funnel(meta: Mapping[str, Any], trace: QueryTrace, chunks: int, queries: int) -> Iterator[StageView]:
    """The stages after the index, in order.

    Counts are this query's own, from the fates of its candidates. Times are those of the clock around a
    stage, divided by `queries`; of stages that share a clock (filter, thresholds and fusion do) the first
    has it all.
    """
    alive = len(trace.candidates)
    stages = [stage for stage in meta["stages"] if stage["stage"] not in _CORPUS]
    seconds = spent([stage["stage"] for stage in stages], meta)
    for stage in stages:
        name = stage["stage"]
        rows_in, rows_out, dropped = _counts(name, trace, alive, chunks)
        if not name.startswith("retrieval.") and name != "expansion":
            alive = rows_out
        took = seconds[name]
        ms = None if took is None else took * 1000 / queries
        settings = {k: stage[k] for k in _SETTINGS if k in stage}
        yield StageView(name, stage["component"], rows_in, rows_out, dropped, ms, settings)


def _counts(name: str, trace: QueryTrace, alive: int, chunks: int) -> tuple[int, int, int]:
    if name.startswith("retrieval."):
        found = sum(name.removeprefix("retrieval.") in c.legs for c in trace.candidates)
        return chunks, found, chunks - found
    if name == "expansion":
        return len(trace.expansion_tree), len(trace.retrieved_chunks), 0
    dropped = sum(dropped_at(name)(c) for c in trace.candidates)
    return alive, alive - dropped, dropped
