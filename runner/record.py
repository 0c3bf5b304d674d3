"""The run folder: what the stages returned, with ids instead of row numbers, and `run.json` beside it."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from runner import artifacts, keys, order, plugins, provenance, tables
from runner.errors import StoreError
from runner.fates import Attribution
from runner.judge import Judgement
from runner.keyring import Keyring, families
from runner.parts import Parts
from runner.records import Candidate, ContextRow, ExpansionRow, MeasureRow
from runner.session import Clock, Session
from runner.store import check
from runner.trace import Trace
from runner.witness import witness

_KEYS = ("corpus", "chunks", "kg", "enrichment", "model", "embedding", "indexes", "legs")
TABLES = ("queries", "candidates", "expansion", "context", "measures", "curve", "attribution")


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
        ordered = _in_order(trace.candidates)
        tabled = frames(p, k, session, trace, ordered)
        with ThreadPoolExecutor(max_workers=1) as pool:
            written = [pool.submit(tables.write, f, draft / f"{name}.parquet") for name, f in tabled.items()]
            (draft / "run.trec").write_text(_trec(p, k, session, ordered), "utf-8")
            for one in written:
                one.result()
    body = p.config.model_dump(mode="json")
    if not p.strategy.windows:
        body["neighbor_prev"] = body["neighbor_next"] = 0
    (draft / "config.yaml").write_text(yaml.safe_dump(body, sort_keys=False, allow_unicode=True), "utf-8")
    body = meta(p, k, session, trace, clock)
    (draft / "run.json").write_text(json.dumps(body, indent=1, ensure_ascii=False, allow_nan=False), "utf-8")
    return {"run": k.run, "dataset": p.dataset.name, "strategy": p.strategy.name}


def frames(
    p: Parts, k: Keyring, session: Session, trace: Trace, ordered: pl.DataFrame | None = None
) -> dict[str, pl.DataFrame]:
    """The tables of a run, by name. Stages return rows in the order of the record, but for candidates.

    Those are given as `ordered`, or put in order here.
    """
    if trace.judgement is None or trace.attribution is None:
        raise StoreError("a run without judgement cannot be recorded")
    ids = artifacts.table(k, session, "queries")["query_id"]
    chunk_ids = artifacts.chunks(p, k, session)[0]["chunk_id"]

    def named(rows: pl.DataFrame, record: type) -> pl.DataFrame:
        rows = rows.with_columns(ids.gather(rows["query"]).alias("query_id"))
        if "chunk" in rows.columns:
            rows = rows.with_columns(chunk_ids.gather(rows["chunk"]).alias("chunk_id"))
        return tables.conform(rows.drop("query", "chunk", strict=False), record)

    return {
        "queries": _queries(k, session, trace),
        "candidates": named(_in_order(trace.candidates) if ordered is None else ordered, Candidate),
        "expansion": named(trace.expansion, ExpansionRow),
        "context": named(trace.context, ContextRow),
        "measures": named(trace.judgement.values, MeasureRow),
        "curve": named(trace.curve, MeasureRow),
        "attribution": named(trace.attribution.items, Attribution),
    }


def _in_order(candidates: pl.DataFrame) -> pl.DataFrame:
    """By query: hits by final rank, then the others by fused rank, then those that never had one."""
    last = 2**62
    keys_of = [pl.col(c).fill_null(last) for c in ("final_rank", "fused_rank")]
    return candidates.sort("query", *keys_of, "chunk")


def _queries(k: Keyring, session: Session, trace: Trace) -> pl.DataFrame:
    queries, judgments = (artifacts.table(k, session, part) for part in ("queries", "judgments"))
    positive = judgments.filter(pl.col("grade") >= 1).group_by("query_id")
    reasons = pl.Series(["; ".join(trace.reasons.get(i, [])) for i in range(queries.height)], dtype=pl.String)
    recall = {
        f"{leg}_recall": pl.Series([found.get(i) for i in range(queries.height)], dtype=pl.Float64)
        for leg, found in trace.recall.items()
    }
    return (
        queries.select("query_id", "text")
        .join(positive.agg(n_gold=pl.len().cast(pl.Int64)), on="query_id", how="left", maintain_order="left")
        .with_columns(pl.col("n_gold").fill_null(0), reasons.alias("reasons"), **recall)
    )


def _trec(p: Parts, k: Keyring, session: Session, ordered: pl.DataFrame) -> str:
    """TREC run lines of the hits, with strictly falling scores; white space in ids is percent-encoded."""
    hits = ordered.filter(pl.col("final_rank").is_not_null())
    query_ids, chunk_ids = (
        ids.str.replace_all(r"\s", "%20")
        for ids in (
            artifacts.table(k, session, "queries")["query_id"],
            artifacts.chunks(p, k, session)[0]["chunk_id"],
        )
    )
    lines = pl.DataFrame(
        {
            "query": query_ids.gather(hits["query"]),
            "q0": pl.repeat("Q0", hits.height, eager=True),
            "chunk": chunk_ids.gather(hits["chunk"]),
            "rank": hits["final_rank"],
            "score": order.falling(hits["query"].to_numpy(), hits["final_score"].to_numpy()),
            "tag": pl.repeat(k.run[: keys.SHORT], hits.height, eager=True),
        }
    )
    return lines.write_csv(separator=" ", include_header=False, quote_style="never")


def meta(p: Parts, k: Keyring, session: Session, trace: Trace, clock: Clock) -> dict[str, Any]:
    """What `run.json` says."""
    judgement = trace.judgement
    data = session.store.find("corpus", k.corpus)
    _, chunk_meta = artifacts.chunks(p, k, session)
    return {
        "format": keys.FORMAT,
        "run": k.run,
        "status": "finished",
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "config": p.config.model_dump(mode="json"),
        "keys": {f: getattr(k, f) for f in _KEYS},
        "fingerprints": k.fingerprints,
        "identities": k.identities,
        "data": data.meta if data else {},
        "chunking": chunk_meta,
        "enrichment": trace.enrichment,
        "witness": witness(p, k, session, trace),
        "expansion": {"applied": p.strategy.windows, "prev": p.neighbors[0], "next": p.neighbors[1]},
        "not_applied": p.not_applied,
        "measures": [] if judgement is None else judgement.summary,
        "families": {f.name: str(plugins.edition(f)) for f in families(p)},
        "judged": {} if judgement is None else _judged(judgement),
        "attribution": {} if trace.attribution is None else trace.attribution.facts,
        "stages": trace.stages,
        "work": trace.work,
        "seconds": {name: round(s, 6) for name, s in clock.seconds.items()},
        "seconds_within": {name: round(s, 6) for name, s in clock.within.items()},
        "warnings": trace.warnings + ([] if judgement is None else list(judgement.notes)),
        "fallbacks": len(trace.fallbacks),
        "environment": provenance.environment(),
    }


def _judged(judgement: Judgement) -> dict[str, Any]:
    fields = ("unit", "n_queries", "excluded", "unanswered", "hits", "holes", "repeats")
    return {f: getattr(judgement, f) for f in fields}
