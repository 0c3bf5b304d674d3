"""A recorded query as spans: a stage is a span, in MLflow's words for retrieval; plain values, no mlflow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from runner.records import Candidate, QueryTrace, TreeMember
from runner.runs import Run
from runner.traces import dropped_at, spent

SHOWN = 10
"""Documents and drops on one span; the run folder has them all."""
CONTENT = 8000
"""Characters of a document on a span; a chunk may be a whole book."""
Texts = Mapping[str, tuple[str, str]]
"""Document and text by chunk_id."""


@dataclass(frozen=True, slots=True)
class Span:
    """One stage of one query."""

    name: str
    kind: str
    outputs: Any
    attributes: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0


def texts(run: Run, traces: Sequence[QueryTrace]) -> dict[str, tuple[str, str]]:
    """Document and text of every chunk that the spans of these queries show, read once."""
    shown = {c.chunk_id for t in traces for group in _shown(run, t) for c in group}
    shown |= {m.chunk_id for t in traces for m in t.retrieved_chunks}
    found = run.chunks.filter(pl.col("chunk_id").is_in(list(shown))).select("chunk_id", "doc_id", "text")
    return {chunk: (doc, text) for chunk, doc, text in found.iter_rows()}


def _shown(run: Run, trace: QueryTrace) -> Iterator[list[Candidate]]:
    for leg in run.legs:
        yield _best(trace, lambda c, leg=leg: c.legs[leg].rank if leg in c.legs else None)
    yield _best(trace, lambda c: c.rerank_rank)


def _best(trace: QueryTrace, rank: Any) -> list[Candidate]:
    ranked = [c for c in trace.candidates if rank(c) is not None]
    return sorted(ranked, key=rank)[:SHOWN]


def root(trace: QueryTrace, found: Texts) -> Span:
    """The whole query. A retriever as well: MLflow's judges read the context from the outermost one."""
    ranks = {h.hit.chunk_id: (h.rank, h.score) for h in trace.expansion_tree}

    def document(member: TreeMember) -> dict[str, Any]:
        rank, score = ranks.get(member.chunk_id, (None, None))
        return _document(
            member.chunk_id, found, role=member.role, rank=rank, score=score, tokens=member.tokens
        )

    attributes = {"query_id": trace.query_id, "measures": trace.measures, "reasons": list(trace.reasons)}
    return Span("retrieve", "RETRIEVER", [document(m) for m in trace.retrieved_chunks], attributes)


def stages(run: Run, trace: QueryTrace, found: Texts) -> list[Span]:
    """The stages that this query went through, in order, each with the parameters the run declared for it."""
    n = max(run.table("queries").height, 1)
    made = [(said, make) for said in run.meta["stages"] if (make := _maker(said["stage"])) is not None]
    seconds = spent([said["stage"] for said, _ in made], run.meta)
    out = []
    for said, make in made:
        kind, outputs, facts = make(said["stage"], trace, found)
        declared = {
            k: v
            for k, v in said.items()
            if not k.startswith("rows_") and k not in {"stage", "dropped", "hits"}
        }
        batch = seconds[said["stage"]] or 0.0  # stages run once for all queries
        facts |= {"batch_seconds": batch, "batch_queries": n}
        out.append(Span(said["stage"], kind, outputs, {**declared, **facts}, batch / n))
    return out


def _maker(stage: str) -> Callable[[str, QueryTrace, Texts], Made] | None:
    """What makes the span of a stage; None: it worked on the corpus, before any query."""
    return next((f for start, f in _STAGES.items() if f"{stage}.".startswith(f"{start}.")), None)


Made = tuple[str, Any, dict[str, Any]]


def _leg(name: str, trace: QueryTrace, found: Texts) -> Made:
    leg = name.partition(".")[2]
    hits = [c for c in trace.candidates if leg in c.legs]
    best = _best(trace, lambda c: c.legs[leg].rank if leg in c.legs else None)
    signals = [(c.chunk_id, c.legs[leg]) for c in best]
    documents = [_document(i, found, rank=s.rank, score=s.score, normalized=s.normalized) for i, s in signals]
    return "RETRIEVER", documents, {"hits": len(hits), "shown": len(documents)}


def _dropped(name: str, trace: QueryTrace, found: Texts) -> Made:
    gone = list(filter(dropped_at(name), trace.candidates))
    rows = [
        {"chunk_id": c.chunk_id, "reason": c.drop_reason, "value": c.drop_value, "limit": c.drop_limit}
        for c in gone
    ]
    return "CHAIN", {"dropped": rows[:SHOWN]}, {"dropped": len(gone), "shown": len(rows[:SHOWN])}


def _fusion(name: str, trace: QueryTrace, found: Texts) -> Made:
    best = _best(trace, lambda c: c.fused_rank)
    rows = [
        {"rank": c.fused_rank, "chunk_id": c.chunk_id, "score": c.fused_score,
         **{leg: {"rank": s.rank, "score": s.score, "normalized": s.normalized} for leg, s in c.legs.items()}}
        for c in best
    ]  # fmt: skip
    candidates = sum(c.fused_rank is not None for c in trace.candidates)
    return "CHAIN", {"candidates": rows}, {"candidates": candidates, "shown": len(rows)}


def _reranked(name: str, trace: QueryTrace, found: Texts) -> Made:
    best = _best(trace, lambda c: c.rerank_rank)
    documents = [
        _document(c.chunk_id, found, rank=c.rerank_rank, score=c.rerank_score, fused_rank=c.fused_rank)
        for c in best
    ]
    return "RERANKER", documents, {"reranked": sum(c.rerank_rank is not None for c in trace.candidates)}


def _cut(name: str, trace: QueryTrace, found: Texts) -> Made:
    hits = [{"rank": h.rank, "chunk_id": h.hit.chunk_id, "score": h.score} for h in trace.expansion_tree]
    _, _, facts = _dropped(name, trace, found)
    return "CHAIN", {"hits": hits}, {"hits": len(hits), "dropped": facts["dropped"]}


def _expansion(name: str, trace: QueryTrace, found: Texts) -> Made:
    tree = [
        {"rank": h.rank, "score": h.score, "hit": h.hit.chunk_id,
         "neighbors_prev": [m.chunk_id for m in h.neighbors_prev],
         "neighbors_next": [m.chunk_id for m in h.neighbors_next]}
        for h in trace.expansion_tree
    ]  # fmt: skip
    flat = [{"chunk_id": m.chunk_id, "role": m.role} for m in trace.retrieved_chunks]
    tokens = sum(m.tokens for m in trace.retrieved_chunks)
    return (
        "CHAIN",
        {"expansion_tree": tree, "retrieved_chunks": flat},
        {"chunks": len(flat), "tokens": tokens},
    )


_STAGES = {
    "retrieval": _leg, "filter": _dropped, "threshold": _dropped, "fusion": _fusion, "reranker": _reranked,
    "cut": _cut, "expansion": _expansion,
}  # fmt: skip


def _document(chunk_id: str, found: Texts, **facts: object) -> dict[str, Any]:
    """A retrieved chunk as MLflow shows one."""
    doc_id, text = found[chunk_id]
    known = {k: v for k, v in facts.items() if v is not None}
    if len(text) > CONTENT:
        text = f"{text[:CONTENT]}… ({len(text) - CONTENT} more characters)"
    return {
        "page_content": text,
        "metadata": {"doc_uri": doc_id, "chunk_id": chunk_id, **known},
        "id": chunk_id,
    }
