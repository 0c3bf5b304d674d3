"""The run folder: what the stages returned, with ids instead of row numbers, and `run.json` beside it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import yaml

from runner import artifacts, keys, order, provenance, tables
from runner.errors import StoreError
from runner.judge import Judgement
from runner.keyring import Keyring
from runner.parts import Parts
from runner.records import Candidate, ContextRow, ExpansionRow, MeasureRow
from runner.session import Clock, Session
from runner.store import check

if TYPE_CHECKING:
    from runner.pipeline import Trace

TABLES = ("queries", "candidates", "expansion", "context", "measures")


def find(session: Session, folder: Path) -> bool:
    """Whether the run is there and whole. A damaged one is named, set aside and will be run again."""
    if not folder.is_dir():
        return False
    try:
        check(folder)
    except StoreError as e:
        session.store.set_aside(folder, str(e))
        return False
    return True


def write(draft: Path, p: Parts, k: Keyring, session: Session, trace: Trace, clock: Clock) -> dict[str, Any]:
    """Write every file of a run; returns what its manifest says of it."""
    with clock.stage("record"):
        frames = _frames(p, k, session, trace)
        for name, frame in frames.items():
            tables.write(frame, draft / f"{name}.parquet")
        (draft / "run.trec").write_text(_trec(frames["candidates"], k.run), "utf-8")
    body = p.config.model_dump(mode="json")
    if not p.strategy.windows:
        body["neighbor_prev"] = body["neighbor_next"] = 0
    (draft / "config.yaml").write_text(yaml.safe_dump(body, sort_keys=False, allow_unicode=True), "utf-8")
    meta = _meta(p, k, session, trace, clock)
    (draft / "run.json").write_text(json.dumps(meta, indent=1, ensure_ascii=False, allow_nan=False), "utf-8")
    return {"run": k.run, "dataset": p.dataset.name, "strategy": p.strategy.name}


def _frames(p: Parts, k: Keyring, session: Session, trace: Trace) -> dict[str, pl.DataFrame]:
    table, _ = artifacts.chunks(p, k, session)
    queries, judgments = (artifacts.table(k, session, part) for part in ("queries", "judgments"))
    ids = queries["query_id"]
    chunk_ids = table["chunk_id"]
    reasons = pl.Series(["; ".join(trace.reasons.get(i, [])) for i in range(len(ids))], dtype=pl.String)
    n_gold = (
        judgments.filter(pl.col("grade") >= 1)
        .group_by("query_id")
        .agg(pl.len().cast(pl.Int64).alias("n_gold"))
    )
    queries = (
        queries.select("query_id", "text")
        .join(n_gold, on="query_id", how="left", maintain_order="left")
        .with_columns(pl.col("n_gold").fill_null(0), reasons.alias("reasons"))
    )

    def named(frame: pl.DataFrame, record: type, sort: list[str]) -> pl.DataFrame:
        rows = frame.sort(sort)
        rows = rows.with_columns(ids.gather(rows["query"]).alias("query_id"))
        if "chunk" in rows.columns:
            rows = rows.with_columns(chunk_ids.gather(rows["chunk"]).alias("chunk_id"))
        return tables.conform(rows.drop("query", "chunk", strict=False), record)

    if trace.judgement is None:
        raise StoreError("a run without judgement cannot be recorded")
    first = pl.col("final_rank").fill_null(2**31 - 1).alias("_first")
    ordered = trace.candidates.with_columns(first)
    return {
        "queries": queries,
        "candidates": named(ordered, Candidate, ["query", "_first", "fused_rank", "chunk"]).drop("_first"),
        "expansion": named(trace.expansion, ExpansionRow, ["query", "hit_rank", "offset"]),
        "context": named(trace.context, ContextRow, ["query", "position"]),
        "measures": named(trace.judgement.values, MeasureRow, ["query", "measure"]),
    }


def _trec(candidates: pl.DataFrame, run_key: str) -> str:
    """TREC run lines of the hits, with strictly falling scores; white space in ids is percent-encoded."""
    hits = candidates.filter(pl.col("final_rank").is_not_null())
    scores = order.falling(hits["query_id"].rle_id().to_numpy(), hits["final_score"].to_numpy())
    safe = [pl.col(c).str.replace_all(r"\s", "%20") for c in ("query_id", "chunk_id")]
    lines = hits.select(
        safe[0], pl.lit("Q0").alias("q0"), safe[1], "final_rank",
        pl.Series("score", scores), pl.lit(run_key[: keys.SHORT]).alias("tag"),
    )  # fmt: skip
    return lines.write_csv(separator=" ", include_header=False, quote_style="never")


def _meta(p: Parts, k: Keyring, session: Session, trace: Trace, clock: Clock) -> dict[str, Any]:
    judgement = trace.judgement
    data = session.store.find("corpus", k.corpus)
    _, chunk_meta = artifacts.chunks(p, k, session)
    return {
        "format": keys.FORMAT,
        "run": k.run,
        "status": "finished",
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "config": p.config.model_dump(mode="json"),
        "keys": {f: getattr(k, f) for f in ("corpus", "chunks", "model", "embedding", "indexes", "legs")},
        "fingerprints": k.fingerprints,
        "identities": k.identities,
        "data": data.meta if data else {},
        "chunking": chunk_meta,
        "expansion": {"applied": p.strategy.windows, "prev": p.neighbors[0], "next": p.neighbors[1]},
        "not_applied": p.not_applied,
        "measures": [] if judgement is None else judgement.summary,
        "judged": {} if judgement is None else _judged(judgement),
        "stages": trace.stages,
        "seconds": {name: round(s, 6) for name, s in clock.seconds.items()},
        "warnings": trace.warnings + ([] if judgement is None else list(judgement.notes)),
        "fallbacks": len(trace.fallbacks),
        "environment": provenance.environment(),
    }


def _judged(judgement: Judgement) -> dict[str, Any]:
    fields = ("unit", "n_queries", "excluded", "unanswered", "hits", "holes", "repeats")
    return {f: getattr(judgement, f) for f in fields}
