"""One run: the stages in order, each timed and counted, published as one folder."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from runner import (
    artifacts,
    attribution,
    conservation,
    deciding,
    embedded,
    enriching,
    expansion,
    judge,
    ledger,
    order,
    parents,
    record,
    searching,
    selection,
)
from runner.config import RunConfig
from runner.embedding import stage as embedding_stage
from runner.enrichment import stage as enrichment_stage
from runner.keyring import Keyring, corpus_meta, keyring
from runner.metrics.contract import Judged
from runner.parts import Parts, parts
from runner.reached import Limits
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
                trace.work = session.counters.since(before)
                publish(folder, lambda draft: record.write(draft, p, k, session, trace, clock))
    if config.split == "test":
        ledger.look(session.store, k.fingerprints["queries"], k.run, p.dataset.name)
    return Outcome(k.run, folder, found, session.counters.since(before), p.not_applied)


def execute(p: Parts, k: Keyring, session: Session, clock: Clock) -> Trace:
    """All stages of a run. The trace is what they return."""
    trace = Trace(warnings=list(corpus_meta(p, session)[1].get("notes", [])))
    with clock.stage("strategy"):
        built = session.counters.chunkings_built
        table, counted = artifacts.chunks(p, k, session)
        session.counters.chunkings_reused += session.counters.chunkings_built == built
    trace.stage("strategy", p.strategy.name, rows_in=table.height + counted["dropped_blank"],
          rows_out=table.height, dropped=counted["dropped_blank"])  # fmt: skip
    if k.enrichment:
        with clock.stage("enrichment"):
            _enrich(p, k, session, trace)
    if p.reads_vectors:
        with clock.stage("embedding"):
            _embed(p, k, session, trace)
    with clock.stage("retrieval"):
        hits: dict[str, retrieval_stage.LegHits] = {}
        for name in p.legs:
            with clock.part(f"retrieval.{name}"):
                hits[name] = searching.hits(p, k, session, name)
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
        fused = deciding.fuse(p, k, session, trace, retrieval_stage.window(hits))
    with clock.stage("reranker"):
        frame, score, rank = deciding.rerank(p, k, session, trace, fused)
    with clock.stage("cut"):
        frame, rank = deciding.one_per_parent(trace, frame, rank, table)
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
    gold = _gold(k, session)
    with clock.stage("measures"):
        trace.judgement = _judge(p, k, session, trace, gold, ranking, table)
    with clock.stage("attribution"):
        trace.attribution = _attribute(p, trace, gold, table)
    with clock.stage("conservation"):
        conservation.candidates(trace.candidates, trace.legs)
        conservation.untouched(fused, trace.candidates)
        conservation.contexts(trace.expansion, trace.context, ranking.frame)
        conservation.stages(trace.stages)
    return trace


def _enrich(p: Parts, k: Keyring, session: Session, trace: Trace) -> None:
    trace.enrichment = enriching.rolled_up(p, k, session)
    trace.warnings += enrichment_stage.warnings(p.enrichment, trace.enrichment)
    trace.stage("enrichment", p.enrichment.name, **trace.enrichment)


def _embed(p: Parts, k: Keyring, session: Session, trace: Trace) -> None:
    read = embedded.corpus(p, k, session)
    audit = read.get("audit", {})
    trace.enrichment |= audit
    trace.warnings += p.embedding.notes()
    facts = {k: v for k, v in read.items() if k != "audit"}
    money = embedding_stage.money(read, p.embedding.price())
    trace.stage("embedding", p.embedding.name, **facts, **audit, **money)
    trace.warnings += embedding_stage.warnings(p.embedding.name, read)


def _attribute(p: Parts, trace: Trace, gold: pl.DataFrame, table: pl.DataFrame) -> attribution.Attributed:
    limits = Limits(
        legs=list(p.legs),
        top_k=p.config.top_k,
        pool=None if p.reranker.off else p.reranker.pool,
        neighbors=p.neighbors,
        similarity=p.config.threshold.similarity,
        lossy=p.strategy.lossy,
    )
    gold = gold.filter(pl.col("grade") >= 1)
    made = attribution.attribute(gold, table, trace.candidates, trace.context, limits)
    conservation.gold(made.items, gold)
    return made


def _gold(k: Keyring, session: Session) -> pl.DataFrame:
    """The judgments with the row of their query, by query."""
    rows = artifacts.table(k, session, "queries").select("query_id").with_row_index("query")
    gold = artifacts.table(k, session, "judgments").join(
        rows.cast({"query": pl.Int64}), on="query_id", how="left", maintain_order="left"
    )
    return gold.select("query", "doc_id", "start", "end", "grade").sort("query", maintain_order=True)


def _judge(
    p: Parts,
    k: Keyring,
    session: Session,
    trace: Trace,
    gold: pl.DataFrame,
    ranking: order.Ranking,
    table: pl.DataFrame,
) -> judge.Judgement:
    ranking, windows, table = parents.judged(ranking, trace.expansion, table)
    judged = Judged(
        n_queries=artifacts.table(k, session, "queries").height,
        ranking=ranking,
        expansion=windows,
        chunks=table,
        judgments=gold,
        doc_ids=artifacts.doc_ids(k, session),
        top_k=p.config.top_k,
        texts=lambda: dict(artifacts.table(k, session, "documents").select("doc_id", "text").iter_rows()),
    )
    made = judge.judge(p.measures, judged)
    trace.curve = judge.curve(judged)
    for name, recall in trace.recall.items():
        made = judge.beside(made, f"ExactR({name})@{p.legs[name].depth}", recall)
    return made
