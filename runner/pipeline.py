"""One run: the stages in order, each timed and counted, published as one folder."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from runner import (
    artifacts,
    conservation,
    expansion,
    judge,
    order,
    parents,
    record,
    rescoring,
    searching,
    selection,
)
from runner.config import RunConfig
from runner.dataset import stage as dataset_stage
from runner.embedding import stage as embedding_stage
from runner.fusion import stage as fusion_stage
from runner.keyring import Keyring, keyring
from runner.metrics.contract import Judged
from runner.parts import Parts, parts
from runner.reranker import stage as reranker_stage
from runner.retrieval import stage as retrieval_stage
from runner.session import Clock, Session
from runner.store import publish
from runner.trace import Trace

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What asking for a run came to."""

    run_key: str
    folder: Path
    found: bool
    """It was there already; nothing was computed."""
    counters: dict[str, int]
    not_applied: dict[str, str]


def run(config: RunConfig, session: Session) -> Outcome:
    """The run of `config`: found by its key, or computed and published.

    Raises:
        RequestError: the request is wrong. DataError, ComponentError, StoreError: a stage could not do its
        work.
    """
    before = session.counters.copy()
    p = parts(config)
    k = keyring(p, session)
    folder = session.run_folder(k.run)
    found = record.find(session, folder)
    if not found:
        with session.store.lock(f"run-{k.run}"):
            found = record.find(session, folder)
            if not found:
                clock = Clock()
                trace = execute(p, k, session, clock)
                publish(folder, lambda draft: record.write(draft, p, k, session, trace, clock))
    return Outcome(k.run, folder, found, session.counters.since(before), p.not_applied)


def execute(p: Parts, k: Keyring, session: Session, clock: Clock) -> Trace:
    """All stages of a run. The trace is what they return."""
    trace = Trace()
    with clock.stage("strategy"):
        built = session.counters.chunkings_built
        table, counted = artifacts.chunks(p, k, session)
        session.counters.chunkings_reused += session.counters.chunkings_built == built
    trace.stage("strategy", p.strategy.name, rows_in=table.height + counted["dropped_blank"],
          rows_out=table.height, dropped=counted["dropped_blank"])  # fmt: skip
    if p.reads_vectors:
        with clock.stage("embedding"):
            _embed(p, k, session, trace)
    with clock.stage("retrieval"):
        hits = {name: searching.hits(p, k, session, name) for name in p.legs}
        trace.legs = {name: h.frame for name, h in hits.items()}
        for name, h in hits.items():
            for query, reason in h.reasons.items():
                trace.explain(query, f"{name}: {reason}")
            leg = p.legs[name]
            facts = {"depth": leg.depth, **retrieval_stage.recall_facts(h.recall, leg.depth)}
            trace.stage(f"retrieval.{name}", leg.name, rows_out=h.frame.height, **facts)
            trace.warnings += [f"leg {name}: {note}" for note in h.notes]
        trace.recall = {name: h.recall for name, h in hits.items() if h.recall}
    with clock.stage("fusion"):
        fused = _fuse(p, k, session, trace, retrieval_stage.window(hits))
    with clock.stage("reranker"):
        frame, score, rank = _rerank(p, k, session, trace, fused)
    with clock.stage("cut"):
        frame, rank = _one_per_parent(trace, frame, rank, table)
        alive = int(frame["drop_stage"].is_null().sum())
        frame = selection.cut(frame, score, rank, p.config.top_k)
        kept = int(frame["final_rank"].is_not_null().sum())
        trace.stage("cut", "top_k", rows_in=alive, rows_out=kept, dropped=alive - kept, top_k=p.config.top_k)
        trace.candidates = frame.drop([c for c in frame.columns if c.startswith("order_")])
    ranking = order.ranking(trace.candidates)
    with clock.stage("expansion"):
        trace.expansion = expansion.windows(ranking, table, *p.neighbors)
        trace.context = expansion.context(trace.expansion, parents.returned(table))
        trace.stage("expansion", p.strategy.name, hits=kept, rows_out=trace.context.height,
              neighbor_prev=p.neighbors[0], neighbor_next=p.neighbors[1],
              applied=p.strategy.windows)  # fmt: skip
    with clock.stage("measures"):
        trace.judgement = _judge(p, k, session, ranking, trace.expansion, table)
        for name, recall in trace.recall.items():
            measure = f"ExactR({name})@{p.legs[name].depth}"
            trace.judgement = judge.beside(trace.judgement, measure, recall)
    with clock.stage("conservation"):
        conservation.candidates(trace.candidates, trace.legs)
        conservation.untouched(fused, trace.candidates)
        conservation.contexts(trace.expansion, trace.context, ranking.frame)
        conservation.stages(trace.stages)
    return trace


def _embed(p: Parts, k: Keyring, session: Session, trace: Trace) -> None:
    read = artifacts.embedded(p, k, session)
    trace.warnings += p.embedding.notes()
    trace.stage("embedding", p.embedding.name, **read, **embedding_stage.money(read, p.embedding.price()))
    trace.warnings += embedding_stage.warnings(p.embedding.name, read)


def _fuse(p: Parts, k: Keyring, session: Session, trace: Trace, window: pl.DataFrame) -> pl.DataFrame:
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


def _rerank(
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


def _one_per_parent(
    trace: Trace, frame: pl.DataFrame, rank: str, table: pl.DataFrame
) -> tuple[pl.DataFrame, str]:
    """Mark candidates whose parent is returned already, and say which rank then decides; else as it was."""
    if not parents.has_parents(table):
        return frame, rank
    return _marking(
        trace, "parent", frame, selection.by_parent(frame, rank, parents.units(table))
    ), "order_parent_rank"


def _judge(
    p: Parts, k: Keyring, session: Session, ranking: order.Ranking, windows: pl.DataFrame, table: pl.DataFrame
) -> judge.Judgement:
    rows = artifacts.table(k, session, "queries").select("query_id").with_row_index("query")
    rows = rows.cast({"query": pl.Int64})
    gold = artifacts.table(k, session, "judgments").join(rows, on="query_id", how="left")
    ranking, windows, table = parents.judged(ranking, windows, table)
    judged = Judged(
        n_queries=rows.height,
        ranking=ranking,
        expansion=windows,
        chunks=table,
        judgments=gold.select("query", "doc_id", "start", "end", "grade"),
        doc_ids=artifacts.doc_ids(k, session),
        top_k=p.config.top_k,
    )
    return judge.judge(p.measures, judged)
