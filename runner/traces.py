"""Traces: everything a run recorded about one query, built from its tables for one person to read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from runner import tables
from runner.errors import RequestError
from runner.records import Candidate, LegSignal, QueryTrace, TreeHit, TreeMember
from runner.runs import Run


def traces(run: Run, query_ids: Sequence[str], *, texts: bool = True) -> Iterator[QueryTrace]:
    """The recorded trace of each of these queries, in their order.

    Without `texts` the store is not read, and a chunk has neither text nor place.
    """
    wanted = pl.col("query_id").is_in(list(query_ids))
    by_query = {
        name: {k[0]: g for k, g in run.table(name).filter(wanted).group_by("query_id", maintain_order=True)}
        for name in ("queries", "candidates", "expansion", "context", "measures")
    }
    for query_id in query_ids:
        if query_id not in by_query["queries"]:
            raise RequestError(f"run {run.short} has no query '{query_id}'")
        yield _trace(run, query_id, {n: frames.get(query_id) for n, frames in by_query.items()}, texts)


def of_tables(run: Run, query_id: str, frames: Mapping[str, pl.DataFrame]) -> QueryTrace:
    """The trace of one query from its own rows of a run's tables, by name: recorded, or executed just now."""
    return _trace(run, query_id, dict(frames), texts=True)


def _trace(run: Run, query_id: str, frames: dict[str, pl.DataFrame | None], texts: bool) -> QueryTrace:
    rows = {name: [] if f is None else f.to_dicts() for name, f in frames.items()}
    wanted = pl.col("chunk_id").is_in(list({r["chunk_id"] for r in rows["expansion"]}))
    found = run.chunks.filter(wanted).to_dicts() if texts else map(_unplaced, rows["context"])
    by_id = {c["chunk_id"]: c for c in found}

    def member(row: dict[str, Any]) -> TreeMember:
        chunk = by_id[row["chunk_id"]]
        places = ("chunk_id", "doc_id", "chunk_index", "start", "end", "tokens", "text")
        return TreeMember(role=row["role"], **{c: chunk[c] for c in places})

    query = rows["queries"][0]
    scores = {c["final_rank"]: c["final_score"] for c in rows["candidates"] if c["fate"] == "hit"}
    return QueryTrace(
        query_id=query_id,
        text=query["text"],
        reasons=tuple(r for r in query["reasons"].split("; ") if r),
        candidates=tuple(_candidate(run.legs, r) for r in rows["candidates"]),
        expansion_tree=tuple(
            _tree_hit(rank, scores[rank], rows["expansion"], member) for rank in sorted(scores)
        ),
        retrieved_chunks=tuple(member(r) for r in rows["context"]),
        measures={r["measure"]: r["value"] for r in rows["measures"]},
    )


def _candidate(names: Sequence[str], row: dict[str, Any]) -> Candidate:
    legs = {
        leg: LegSignal(row[f"{leg}_score"], row[f"{leg}_norm"], row[f"{leg}_rank"])
        for leg in names
        if row[f"{leg}_rank"] is not None
    }
    plain: dict[str, Any] = {f: row.get(f) for f in tables.schema(Candidate)}
    return Candidate(**plain, legs=legs)


def _unplaced(row: dict[str, Any]) -> dict[str, Any]:
    doc_id, _, index = row["chunk_id"].rpartition("#")
    return {**row, "doc_id": doc_id, "chunk_index": int(index), "start": 0, "end": 0, "text": ""}


def _tree_hit(rank: int, score: float, rows: list[dict[str, Any]], member: Any) -> TreeHit:
    mine = [r for r in rows if r["hit_rank"] == rank]
    return TreeHit(
        rank=rank,
        score=score,
        hit=next(member(r) for r in mine if r["offset"] == 0),
        neighbors_prev=tuple(member(r) for r in mine if r["offset"] < 0),
        neighbors_next=tuple(member(r) for r in mine if r["offset"] > 0),
    )


def spent(stages: Sequence[str], meta: Mapping[str, Any]) -> dict[str, float | None]:
    """Seconds of each of these stages of a run, in their order, for all its queries.

    Some share a clock, as filter, thresholds and fusion do: the first has all of it, the others None.
    """
    seconds = {**meta["seconds"], **meta.get("seconds_within", {})}
    clocks = [_clock(stage, seconds) for stage in stages]
    return {
        stage: None if clock in clocks[:place] else seconds.get(clock, 0.0)
        for place, (stage, clock) in enumerate(zip(stages, clocks, strict=True))
    }


def _clock(stage: str, seconds: Mapping[str, float]) -> str:
    """The clock that ran around a stage."""
    if stage in seconds:
        return stage
    first = stage.partition(".")[0]
    return {"retrieval": "retrieval", "parent": "cut"}.get(first, "fusion")


def dropped_at(name: str) -> Callable[[Candidate], bool]:
    """Whether a stage is the one that dropped a candidate."""
    stage, _, what = name.partition(".")
    if stage != "threshold":
        return lambda c: c.drop_stage == stage
    of = what.removeprefix("similarity.") + " similarity" if what.startswith("similarity.") else "fused score"
    return lambda c: c.drop_stage == stage and (c.drop_reason or "").startswith(f"{of} below")
