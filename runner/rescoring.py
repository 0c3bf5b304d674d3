"""Rescoring: the scores of a run's pool, found in the store or made now, so that no pair is scored twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
import polars as pl

from runner import artifacts, keys
from runner.keyring import Keyring
from runner.pairs import Pairs, Rows, pair_keys
from runner.parts import Parts
from runner.reranker import stage as reranker_stage
from runner.reranker.contract import Scored, Scorer
from runner.session import Session

_SLICE = 128
"""Pairs scored, at the least, between two publications: what a killed sweep loses is about as many."""
_Row = tuple[float, int, int]
"""Score, tokens of the pair, tokens read."""


@dataclass(frozen=True, slots=True)
class Rescored:
    """What the reranker says of a pool."""

    scores: pl.DataFrame
    """`query, chunk, rerank_score`, without the queries that failed."""
    fallbacks: dict[int, str]
    """Query row -> why it keeps the fused order."""
    facts: dict[str, int]
    """For the stage record: pairs and, of a reranker that counts them, tokens."""


@dataclass(slots=True)
class _Work:
    """The pairs of a pool, in its order, and what became of those that were due."""

    queries: list[int]
    asked: list[str]
    texts: list[str]
    names: list[bytes]
    fresh: dict[bytes, _Row] = field(default_factory=dict)
    fallbacks: dict[int, str] = field(default_factory=dict)


def rescored(p: Parts, k: Keyring, session: Session, pool: pl.DataFrame) -> Rescored:
    """The scores of the pairs of `pool` (`query, chunk`, sorted by query); what is missing is scored now.

    Raises:
        ComponentError: a query failed under `on_error: raise`; the scores of those before it are kept.
    """
    queries, texts = artifacts.queries(k, session), artifacts.texts(p, k, session)
    rows = pool["query"].to_list()
    asked, found = [queries[q] for q in rows], [texts[c] for c in pool["chunk"].to_list()]
    work = _Work(rows, asked, found, pair_keys(asked, found))
    stored = _stored(k, session) if p.reranker.cached else None
    if stored is None:
        _score(p, k, session, work, set(work.names), None)
    elif stored.missing(work.names):
        with session.store.lock(f"pairs-{stored.key[:24]}"):  # another then finds what this process left
            stored.refresh()
            _score(p, k, session, work, set(stored.missing(work.names)), stored)
    return _gathered(session, pool, work, stored)


def _stored(k: Keyring, session: Session) -> Pairs:
    identity = k.identities["reranker"]
    found = session.memo("pairs", keys.digest(identity), lambda: Pairs(session.store, identity))
    found.refresh()
    return found


def _scorer(p: Parts, k: Keyring, session: Session) -> Scorer:
    """The loaded reranker, once a process; not asked where nothing is missing."""
    return session.memo(
        "scorer",
        keys.digest(k.identities["reranker"]),
        lambda: p.reranker.load(session.runtime.threads, session.runtime.device),
    )


def _score(
    p: Parts, k: Keyring, session: Session, work: _Work, due: set[bytes], stored: Pairs | None
) -> None:
    """Score the pairs `due`, query by query: one that fails leaves no score, and spoils no other."""
    if not due:
        return
    scorer = _scorer(p, k, session)
    bar = session.progress(f"reranking with {p.reranker.name}", len(due))
    waiting: list[bytes] = []
    try:
        for query, asked, lacks in _lacking(work, due):
            made = reranker_stage.score(p.reranker, scorer, asked, list(lacks.values()))
            bar(len(lacks))
            if isinstance(made, str):
                work.fallbacks[query] = made
                continue
            work.fresh.update(zip(lacks, _rows(made), strict=True))
            session.counters.pairs_scored += len(lacks)
            waiting += lacks
            if stored and len(waiting) >= _SLICE:
                _publish(stored, work, waiting)
                waiting = []
    finally:  # what was scored is kept, though the next query may have ended the cell
        if stored and waiting:
            _publish(stored, work, waiting)


def _lacking(work: _Work, due: set[bytes]) -> Iterator[tuple[int, str, dict[bytes, str]]]:
    """For each query that lacks scores: its row, its text, and the chunk texts by key of the pair."""
    for query, places in groupby(range(len(work.queries)), key=work.queries.__getitem__):
        mine = list(places)
        wanted = {work.names[i]: work.texts[i] for i in mine if work.names[i] in due}
        lacks = {n: t for n, t in wanted.items() if n not in work.fresh}  # another query may read the same
        if lacks:
            yield query, work.asked[mine[0]], lacks


def _rows(made: Scored) -> Iterator[_Row]:
    columns = (made.scores, made.tokens_total, made.tokens_read)
    return zip(*(c.tolist() for c in columns if c is not None), strict=True)


def _publish(stored: Pairs, work: _Work, names: Sequence[bytes]) -> None:
    stored.add(names, _columns([work.fresh[n] for n in names]))


def _columns(rows: Sequence[_Row]) -> Rows:
    scores, total, read = zip(*rows, strict=True) if rows else ((), (), ())
    return Rows(np.array(scores, np.float64), np.array(total, np.int32), np.array(read, np.int32))


def _gathered(session: Session, pool: pl.DataFrame, work: _Work, stored: Pairs | None) -> Rescored:
    """The scores of every pair whose query did not fail, wherever they come from."""
    live = np.array([q not in work.fallbacks for q in work.queries], np.bool_)
    names = [n for n, alive in zip(work.names, live.tolist(), strict=True) if alive]
    kept = stored.rows(names) if stored else _columns([work.fresh[n] for n in names])
    session.counters.pairs_reused += len(set(names) - work.fresh.keys())
    facts = {"pairs": len(names)}
    total, read = kept.tokens_total, kept.tokens_read
    if total.any():
        facts |= {"tokens_total": int(total.sum()), "tokens_read": int(read.sum())}
        facts["truncated"] = int((total > read).sum())
    return Rescored(
        pool.filter(pl.Series(live, dtype=pl.Boolean)).with_columns(rerank_score=pl.Series(kept.scores)),
        work.fallbacks,
        facts,
    )
