"""Artifacts: the outputs of the stages before fusion, found in the store by key or built into it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from runner import keys, tables
from runner.embedding import stage as embedding_stage
from runner.errors import DataError
from runner.keyring import Keyring
from runner.parts import Parts
from runner.records import Chunk
from runner.retrieval import stage as retrieval_stage
from runner.retrieval.contract import Leg, Side
from runner.retrieval.stage import LegHits
from runner.session import Session
from runner.strategy import stage as strategy_stage
from runner.vectors import Rows, Vectors

_SLICE = 128
"""Texts embedded between two publications: what a killed sweep can lose at most."""


def table(k: Keyring, session: Session, part: str) -> pl.DataFrame:
    """One table of the parsed data set: `documents`, `queries` or `judgments`, read when it is asked for."""
    path = session.store.path("corpus", k.corpus) / f"{part}.parquet"
    return session.memo(f"corpus.{part}", k.corpus, partial(tables.read, path))


def doc_ids(k: Keyring, session: Session) -> list[str]:
    """The ids of all documents, without reading their texts."""
    path = session.store.path("corpus", k.corpus) / "documents.parquet"
    frame = session.memo("doc_ids", k.corpus, partial(tables.read, path, ["doc_id"]))
    return frame["doc_id"].to_list()


def queries(k: Keyring, session: Session) -> list[str]:
    """The text of every query, in the order of their ids."""
    return table(k, session, "queries")["text"].to_list()


def chunks(p: Parts, k: Keyring, session: Session) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The chunk table (columns of `records.Chunk`, in document order) and what its manifest counts."""

    def write(folder: Path) -> dict[str, Any]:
        made = strategy_stage.chunk(table(k, session, "documents"), p.strategy, p.tokenizer.load())
        if made.chunks.is_empty():
            raise DataError(
                f"strategy {p.strategy.name}: no document gave a chunk; there is nothing to search"
            )
        tables.write(made.chunks, folder / "chunks.parquet")
        return {
            "strategy": p.strategy.name,
            "chunks": made.chunks.height,
            "dropped_blank": made.dropped_blank,
            "without_chunks": made.without_chunks,
        }

    def load() -> tuple[pl.DataFrame, dict[str, Any]]:
        artifact = session.store.obtain("chunks", k.chunks, write)
        session.counters.chunkings_built += artifact.built
        frame = tables.read(artifact.path / "chunks.parquet")
        return frame.cast(
            {c: t for c, t in tables.schema(Chunk).items() if c in frame.columns}
        ), artifact.meta

    return session.memo("chunks", k.chunks, load)


def texts(p: Parts, k: Keyring, session: Session) -> list[str]:
    """The text of every chunk, in the order of the chunk table."""

    def cut() -> list[str]:
        cuts, _ = chunks(p, k, session)
        whole = dict(table(k, session, "documents").select("doc_id", "text").iter_rows())
        return [whole[d][s:e] for d, s, e in cuts.select("doc_id", "start", "end").iter_rows()]

    return session.memo("texts", k.chunks, cut)


def embedding_inputs(p: Parts, k: Keyring, session: Session) -> tuple[list[str], list[str]]:
    """What the model reads: one input per chunk, one per query."""
    headers = None
    if not p.enrichment.off:
        cuts, _ = chunks(p, k, session)
        headers = p.enrichment.headers(table(k, session, "documents"), cuts)
    documents = embedding_stage.inputs(texts(p, k, session), p.embedding.document_prompt, headers)
    return documents, embedding_stage.inputs(queries(k, session), p.embedding.query_prompt)


def embedded(p: Parts, k: Keyring, session: Session) -> dict[str, Any]:
    """Embed every chunk and query that has no vector yet; returns the roll-up of what the model read.

    The artifact has one row per chunk: `chunk_id, tokens_total, tokens_embedded, truncated`.
    """

    def write(folder: Path) -> dict[str, Any]:
        documents, asked = embedding_inputs(p, k, session)
        rows = embed(p, session, [*documents, *asked]).rows(documents)
        cuts, _ = chunks(p, k, session)
        truncated = rows.tokens_total > rows.tokens_embedded
        frame = cuts.select("chunk_id").with_columns(
            pl.Series("tokens_total", rows.tokens_total, pl.Int64),
            pl.Series("tokens_embedded", rows.tokens_embedded, pl.Int64),
            pl.Series("truncated", truncated, pl.Boolean),
        )
        tables.write(frame, folder / "embedding.parquet")
        return {
            "chunks": len(documents),
            "texts": len({*documents, *asked}),
            "tokens_total": int(rows.tokens_total.sum()),
            "tokens_embedded": int(rows.tokens_embedded.sum()),
            "truncated": int(truncated.sum()),
            "zero_vectors": int((~rows.vectors.any(axis=1)).sum()),
            "texts_digest": keys.digest(texts(p, k, session)),
            "inputs_digest": keys.digest(documents),
        }

    before = session.counters.texts_embedded
    artifact = session.store.obtain("embedding", str(k.embedding), write)
    fresh = session.counters.texts_embedded - before
    session.counters.texts_reused += int(artifact.meta["texts"]) - fresh
    return artifact.meta


def vectors(p: Parts, session: Session) -> Vectors:
    """The stored vectors of the run's model."""
    identity = p.embedding.identity()
    found = session.memo("vectors", keys.digest(identity), lambda: Vectors(session.store, identity))
    found.refresh()
    return found


def embed(p: Parts, session: Session, wanted: Sequence[str]) -> Vectors:
    """The store of the model's vectors, with every one of `wanted` in it; what is missing is embedded now.

    Of several processes that want the same model one works at a time: the others then find what it left.
    """
    stored = vectors(p, session)
    due = stored.missing(wanted)
    if not due:
        return stored
    with session.store.lock(f"model-{stored.key[:24]}"):
        stored.refresh()
        due = stored.missing(wanted)
        bar = session.progress(f"embedding with {p.embedding.name}", len(due))
        for first in range(0, len(due), _SLICE):
            part = due[first : first + _SLICE]
            made = embedding_stage.checked(
                part, encoder(p, session, stored.key).encode(part, bar), p.embedding.name
            )
            stored.add(part, Rows(made.vectors, made.tokens_total, made.tokens_embedded))
            session.counters.texts_embedded += len(part)
    return stored


def encoder(p: Parts, session: Session, key: str) -> Any:
    """The loaded model, once a process."""
    return session.memo(
        "encoder", key, lambda: p.embedding.load(session.runtime.threads, session.runtime.device)
    )


def leg_hits(p: Parts, k: Keyring, session: Session, name: str) -> LegHits:
    """The hits of one leg for all queries."""
    leg = p.legs[name]

    def write(folder: Path) -> dict[str, Any]:
        found = _search(p, k, session, name, leg)
        tables.write(found.frame, folder / "hits.parquet")
        return {
            "leg": leg.name,
            "hits": found.frame.height,
            "reasons": {str(q): r for q, r in found.reasons.items()},
        }

    def load() -> LegHits:
        artifact = session.store.obtain("legs", k.legs[name], write)
        session.counters.searches_run += artifact.built
        reasons = {int(q): str(r) for q, r in artifact.meta["reasons"].items()}
        return LegHits(tables.read(artifact.path / "hits.parquet"), reasons)

    before = session.counters.searches_run
    found = session.memo("legs", k.legs[name], load)
    session.counters.searches_reused += 1 - (session.counters.searches_run - before)
    return found


def _search(p: Parts, k: Keyring, session: Session, name: str, leg: Leg) -> LegHits:
    if leg.reads == "vectors":
        documents, asked = embedding_inputs(p, k, session)
        stored = embed(p, session, [*documents, *asked])
        chunk_side, query_side = (
            Side(vectors=stored.rows(documents).vectors),
            Side(vectors=stored.rows(asked).vectors),
        )
        return retrieval_stage.search(
            leg, _index(leg, k.indexes[name], session, lambda: chunk_side), chunk_side, query_side
        )
    index = _index(leg, k.indexes[name], session, lambda: Side(texts=texts(p, k, session)))
    return retrieval_stage.search(leg, index, Side(), Side(texts=queries(k, session)))


def _index(
    leg: Leg, key: str, session: Session, chunk_side: Callable[[], Side]
) -> Mapping[str, npt.NDArray[Any]]:
    if not leg.keeps_index:
        return {}

    def write(folder: Path) -> dict[str, Any]:
        arrays = leg.index(chunk_side())
        for part, array in arrays.items():
            np.save(folder / f"{part}.npy", array, allow_pickle=False)
        return {"leg": leg.name, "arrays": {part: list(a.shape) for part, a in arrays.items()}}

    artifact = session.store.obtain(f"index-{leg.name}", key, write)
    session.counters.indexes_built += artifact.built
    session.counters.indexes_reused += not artifact.built
    return {
        part: np.load(artifact.path / f"{part}.npy", allow_pickle=False) for part in artifact.meta["arrays"]
    }
