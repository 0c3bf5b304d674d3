"""Deciding who is a hit: filter, thresholds, fusion, reranker, one per parent; each marks, adds columns."""

from __future__ import annotations

import polars as pl

from runner import artifacts, parents, rescoring, selection
from runner.dataset import stage as dataset_stage
from runner.fusion import stage as fusion_stage
from runner.keyring import Keyring
from runner.parts import Parts
from runner.reranker import stage as reranker_stage
from runner.session import Session
from runner.trace import Trace


def fuse(p: Parts, k: Keyring, session: Session, trace: Trace, window: pl.DataFrame) -> pl.DataFrame:
    """Filter, similarity threshold, fusion, score threshold: four stages that mark and add columns."""
    frame = selection.opened(window)
    if p.config.filter:
        allowed = dataset_stage.filter_mask(artifacts.table(k, session, "documents"), dict(p.config.filter))
        frame = _marking(
            trace, "filter", frame, selection.by_filter(frame, _per_chunk(p, k, session, allowed))
        )
    similar = [n for n, leg in p.legs.items() if leg.similarity]
    limited = p.config.threshold.similarity is not None
    for leg in similar if limited else []:
        after = selection.by_similarity(frame, leg, p.config.threshold)
        frame = _marking(
            trace, f"threshold.similarity.{leg}", frame, after, limit=p.config.threshold.similarity
        )
    flags = {n: leg.similarity for n, leg in p.legs.items()}
    frame = fusion_stage.fuse(frame, p.fusion, flags, set(similar) if limited else set())
    formula = p.fusion.formula() if len(p.legs) > 1 else "identity"
    alive = int(frame["fused_rank"].is_not_null().sum())
    trace.stage("fusion", p.fusion.name if len(p.legs) > 1 else "identity", formula=formula, rows_out=alive)
    if p.config.threshold.score is not None:
        after = selection.by_score(frame, p.config.threshold)
        frame = _marking(trace, "threshold.score", frame, after, limit=p.config.threshold.score)
    return frame


def _per_chunk(p: Parts, k: Keyring, session: Session, allowed: pl.Series) -> pl.Series:
    table, _ = artifacts.chunks(p, k, session)
    ids = pl.DataFrame({"doc_id": artifacts.doc_ids(k, session), "allowed": allowed})
    return table.select("doc_id").join(ids, on="doc_id", how="left", maintain_order="left")["allowed"]


def _marking(
    trace: Trace, name: str, before: pl.DataFrame, after: pl.DataFrame, **facts: object
) -> pl.DataFrame:
    rows_in, rows_out = (int(f["drop_stage"].is_null().sum()) for f in (before, after))
    counts = {"rows_in": rows_in, "rows_out": rows_out, "dropped": rows_in - rows_out}
    trace.stage(name, name.partition(".")[0], **counts, **facts)
    return after


def rerank(
    p: Parts, k: Keyring, session: Session, trace: Trace, frame: pl.DataFrame
) -> tuple[pl.DataFrame, str, str]:
    """The frame, and which score and rank decide the final order."""
    if p.reranker.off:
        return frame, "fused_score", "fused_rank"
    # A score threshold drops from the end of the fused order, so the ranks of those left have no gaps.
    alive = pl.col("drop_stage").is_null()
    live = frame.with_columns(pl.when(alive).then(pl.col("fused_rank")).alias("fused_rank"))
    made = rescoring.rescored(p, k, session, reranker_stage.pool(live, p.reranker))
    trace.fallbacks = made.fallbacks
    out = reranker_stage.rerank(live, made.scores)
    out = out.drop("fused_rank").join(
        frame.select("query", "chunk", "fused_rank"), on=["query", "chunk"], how="left"
    )
    for query, reason in trace.fallbacks.items():
        trace.explain(query, f"reranker fallback: {reason}")
    if trace.fallbacks:
        trace.warnings.append(
            f"reranker {p.reranker.name} failed for {len(trace.fallbacks)} queries: fused order kept"
        )
    cut_short = made.facts.get("truncated", 0)
    if cut_short:
        trace.warnings.append(
            f"reranker {p.reranker.name} did not read the end of {cut_short} of {made.facts['pairs']} pairs "
            f"({cut_short / made.facts['pairs']:.0%}): query and chunk are longer than the model's limit"
        )
    trace.stage("reranker", p.reranker.name, rows_out=int(out["rerank_rank"].is_not_null().sum()),
          pool=p.reranker.pool, on_error=p.reranker.on_error, fallbacks=len(trace.fallbacks),
          **made.facts)  # fmt: skip
    return out, "order_score", "order_rank"


def one_per_parent(
    trace: Trace, frame: pl.DataFrame, rank: str, table: pl.DataFrame
) -> tuple[pl.DataFrame, str]:
    """Mark candidates whose parent is returned already, and say which rank then decides; else as it was."""
    if not parents.has_parents(table):
        return frame, rank
    return _marking(
        trace, "parent", frame, selection.by_parent(frame, rank, parents.units(table))
    ), "order_parent_rank"
