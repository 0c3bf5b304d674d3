"""`inspect query`: one query as every stage of one execution answered it, from its trace and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from runner import tables
from runner.fates import Attribution
from runner.inspector.funnel import funnel
from runner.inspector.query_records import (
    CandidateView,
    LegView,
    QueryView,
    RerankerView,
    SignalView,
    TermWeight,
    WindowView,
)
from runner.inspector.stored import Stored
from runner.records import Candidate, QueryTrace
from runner.runs import Run
from runner.traces import of_tables

Weights = Mapping[str, Mapping[str, tuple[TermWeight, ...]]]
"""Leg -> chunk id -> what each term of the query adds to its score."""
FALLBACK = "reranker fallback: "
"""How the trace begins the reason of a query that kept its fused order."""


@dataclass(frozen=True, slots=True)
class Execution:
    """One query as a pipeline answered it: the rows of a run folder that are its own, and `run.json`."""

    query_id: str
    tables: Mapping[str, pl.DataFrame]
    meta: Mapping[str, Any]
    origin: Literal["recorded", "executed"]

    @property
    def queries(self) -> int:
        """How many queries the times in `meta` are of."""
        said = self.meta["judged"]
        return 1 if self.origin == "executed" else max(1, said["n_queries"] + said["excluded"])


def recorded(run: Run, query_id: str) -> Execution:
    """The execution that a run recorded of one of its questions."""
    mine = pl.col("query_id") == query_id
    names = ("queries", "candidates", "expansion", "context", "measures", "attribution")
    return Execution(query_id, {n: run.table(n).filter(mine) for n in names}, run.meta, "recorded")


def view(
    stored: Stored, done: Execution, weights: Weights, *, misses: bool = False, notes: Sequence[str] = ()
) -> QueryView:
    """The view of one execution.

    Args:
        stored: the run it is of.
        done: the execution.
        weights: of the terms of the query, where they were asked for.
        misses: whether what the window held and did not return is shown.
        notes: what a reader must know beside it.
    """
    trace = of_tables(stored.run, done.query_id, done.tables)
    meta = done.meta
    hits, others = shown(trace)
    heading = f"bounded window, not exhaustive: {len(trace.candidates)} of {stored.chunks.height} chunks"
    window = WindowView(heading, len(trace.candidates), stored.chunks.height, len(hits))
    config = stored.run.config
    fusing = next(s for s in meta["stages"] if s["stage"] == "fusion")
    fallback = next((r for r in trace.reasons if r.startswith(FALLBACK)), None)
    notes = [*notes, *meta["warnings"]]
    if stored.legs is None:
        notes.append("the legs' components cannot be asked, so their scores have no unit and no terms here")
    return QueryView(
        view="query",
        run=stored.card(),
        origin=done.origin,
        query_id=done.query_id,
        text=trace.text,
        mode=config["retrieval"]["name"],
        legs=tuple(_legs(stored, done.tables["candidates"])),
        embedding=stored.embedding,
        fusion=fusing["formula"],
        fusion_component=fusing["component"],
        threshold=config["threshold"],
        filter=config["filter"],
        reranker=_reranker(stored, fallback),
        top_k=config["top_k"],
        timed="this execution" if done.queries == 1 else f"mean of {done.queries} queries, one after another",
        funnel=tuple(funnel(meta, trace, stored.chunks.height, done.queries)),
        reasons=trace.reasons,
        window=window,
        hits=tuple(_candidate(stored, c, weights) for c in hits),
        misses=tuple(_candidate(stored, c, weights) for c in others) if misses else None,
        expansion_tree=trace.expansion_tree,
        retrieved_chunks=trace.retrieved_chunks,
        context_tokens=sum(m.tokens for m in trace.retrieved_chunks),
        measures=trace.measures,
        gold=tuple(_gold(done.tables["attribution"])),
        notes=tuple(notes),
    )


def _gold(rows: pl.DataFrame) -> Iterator[Attribution]:
    fields = [c for c in rows.columns if c in tables.schema(Attribution)]
    return (Attribution(**row) for row in rows.select(fields).iter_rows(named=True))


def shown(trace: QueryTrace) -> tuple[list[Candidate], list[Candidate]]:
    """The hits by final rank; the rest of the window in the order of the record."""
    hits = [c for c in trace.candidates if c.fate == "hit"]
    return hits, [c for c in trace.candidates if c.fate != "hit"]


def _legs(stored: Stored, candidates: pl.DataFrame) -> Sequence[LegView]:
    facts = {f.leg: f for f in stored.legs or ()}
    out = []
    for index in stored.indexes:
        settings = dict(stored.run.config["retrieval"]["legs"][index.leg])
        known = facts.get(index.leg)
        unit = "cosine similarity" if known and known.similarity else f"{settings['name']} score"
        found = int(candidates[f"{index.leg}_rank"].count())
        depth = settings.pop("depth")
        out.append(LegView(index.leg, settings.pop("name"), depth, unit, index, settings, found))
    return out


def _reranker(stored: Stored, fallback: str | None) -> RerankerView | None:
    settings = dict(stored.run.config["reranker"])
    name = settings.pop("name")
    if "reranker" not in stored.run.meta["identities"]:  # off: it has no identity
        return None
    identity = stored.run.meta["identities"]["reranker"]
    return RerankerView(name, settings, identity, fallback and fallback.removeprefix(FALLBACK))


def _candidate(stored: Stored, of: Candidate, weights: Weights) -> CandidateView:
    chunk = stored.rows[of.chunk_id]
    signals = {
        leg: SignalView(s.score, s.normalized, s.rank, weights.get(leg, {}).get(of.chunk_id))
        for leg, s in of.legs.items()
    }
    moved = None
    if of.fused_rank is not None and of.rerank_rank is not None:
        moved = of.fused_rank - of.rerank_rank
    return CandidateView(
        chunk_id=of.chunk_id,
        doc_id=chunk["doc_id"],
        ordinal=chunk["chunk_index"],
        start=chunk["start"],
        end=chunk["end"],
        row=chunk.get("row"),
        row_type=chunk.get("row_type") or "body",
        heading=chunk.get("heading"),
        tokens=chunk["tokens"],
        text=stored.texts[chunk["place"]],
        signals=signals,
        fused_score=of.fused_score,
        fused_rank=of.fused_rank,
        rerank_score=of.rerank_score,
        rerank_rank=of.rerank_rank,
        rerank_movement=moved,
        final_score=of.final_score,
        final_rank=of.final_rank,
        fate=of.fate,
        drop_stage=of.drop_stage,
        drop_reason=of.drop_reason,
        drop_value=of.drop_value,
        drop_limit=of.drop_limit,
    )
