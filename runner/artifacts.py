"""Artifacts: the outputs of the stages before fusion, found in the store by key or built into it."""

from __future__ import annotations

from collections.abc import Sequence
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
from runner.session import Bar, Session
from runner.strategy import stage as strategy_stage
from runner.strategy.contract import Tools
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
        made = strategy_stage.chunk(
            table(k, session, "documents"), p.strategy, _tools(p, session), _given(k, session)
        )
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


def _tools(p: Parts, session: Session) -> Tools:
    """The run's tokenizer, and its model for a strategy that reads vectors."""

    def vectors_of(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        wanted = embedding_stage.inputs(texts, p.embedding.prompts().document)
        return embed(p, session, wanted).rows(wanted).vectors

    return Tools(p.tokenizer.load(), vectors_of if p.strategy.reads_vectors else None)


def _given(k: Keyring, session: Session) -> dict[str, list[tuple[int, int]]]:
    """The chunks that the data set brings, by document."""
    path = session.store.path("corpus", k.corpus) / "given.parquet"
    if not path.is_file():
        return {}
    frame = tables.read(path).sort("doc_id", "start", "end")
    return {
        str(d): list(g.select("start", "end").iter_rows())
        for (d,), g in frame.group_by("doc_id", maintain_order=True)
    }


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
    prompts = p.embedding.prompts()
    documents = embedding_stage.inputs(texts(p, k, session), prompts.document, headers)
    return documents, embedding_stage.inputs(queries(k, session), prompts.query)


def embedded(p: Parts, k: Keyring, session: Session) -> dict[str, Any]:
    """Embed every chunk and query that has no vector yet; returns the roll-up of what the model read.

    The artifact has one row per chunk: `chunk_id, tokens_total, tokens_embedded, truncated`.
    """

    def write(folder: Path) -> dict[str, Any]:
        documents, asked = embedding_inputs(p, k, session)
        billed = session.counters.tokens_billed
        distinct = list(dict.fromkeys([*documents, *asked]))
        stored = embed(p, session, distinct)
        rows, of_queries = stored.rows(documents), stored.rows(asked)
        cuts, _ = chunks(p, k, session)
        if p.embedding.on_truncate == "error":
            ids = table(k, session, "queries")["query_id"]
            embedding_stage.refuse_truncated(p.embedding.name, {"chunk": (cuts["chunk_id"], rows),
                                                                "query": (ids, of_queries)})  # fmt: skip
        truncated = rows.tokens_total > rows.tokens_embedded
        frame = cuts.select("chunk_id").with_columns(
            pl.Series("tokens_total", rows.tokens_total, pl.Int64),
            pl.Series("tokens_embedded", rows.tokens_embedded, pl.Int64),
            pl.Series("truncated", truncated, pl.Boolean),
        )
        tables.write(frame, folder / "embedding.parquet")
        return {
            "chunks": len(documents),
            "queries": len(asked),
            "texts": len(distinct),
            "prompts": p.embedding.prompts()._asdict(),
            "tokens_total": int(rows.tokens_total.sum()),
            "tokens_embedded": int(rows.tokens_embedded.sum()),
            "truncated": int(truncated.sum()),
            "truncated_queries": int((of_queries.tokens_total > of_queries.tokens_embedded).sum()),
            # What a service would charge for these texts once, and what one charged just now.
            "tokens_distinct": int(stored.rows(distinct).tokens_total.sum()),
            "tokens_billed": session.counters.tokens_billed - billed,
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
            keep(p, session, stored, due[first : first + _SLICE], bar)
    return stored


def keep(p: Parts, session: Session, stored: Vectors, part: list[str], bar: Bar) -> None:
    """Embed `part` now and store it; another process that does the same meanwhile gets equal bits."""
    made = embedding_stage.checked(part, encoder(p, session, stored.key).encode(part, bar), p.embedding.name)
    rows = Rows(made.vectors, made.tokens_total, made.tokens_embedded)
    stored.add(part, rows, tokens_billed=made.tokens_billed)
    session.counters.texts_embedded += len(part)
    session.counters.tokens_billed += made.tokens_billed


def encoder(p: Parts, session: Session, key: str) -> Any:
    """The loaded model, once a process."""
    return session.memo(
        "encoder", key, lambda: p.embedding.load(session.runtime.threads, session.runtime.device)
    )
