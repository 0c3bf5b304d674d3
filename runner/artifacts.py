"""Artifacts: the outputs of the stages before fusion, found in the store by key or built into it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from runner import encoding, keys, tables
from runner.embedding import stage as embedding_stage
from runner.errors import DataError
from runner.keyring import Keyring
from runner.parts import Parts
from runner.records import Chunk
from runner.session import Session
from runner.strategy import stage as strategy_stage
from runner.strategy.contract import Tools


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
            "texts_digest": keys.digest(_slices(made.chunks, k, session)),
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
        return encoding.embed(p, session, wanted).rows(wanted).vectors

    return Tools(p.tokenizer.load(), vectors_of if p.strategy.reads_vectors else None)


def brought(k: Keyring, session: Session, part: str) -> pl.DataFrame | None:
    """A table that a data set may bring (`given`, `situating`, a part of its graph); None: it does not."""
    return table(k, session, part) if part in k.fingerprints else None


def _given(k: Keyring, session: Session) -> dict[str, list[tuple[int, int]]]:
    """The chunks that the data set brings, by document."""
    frame = brought(k, session, "given")
    if frame is None:
        return {}
    frame = frame.sort("doc_id", "start", "end")
    return {
        str(d): list(g.select("start", "end").iter_rows())
        for (d,), g in frame.group_by("doc_id", maintain_order=True)
    }


def texts(p: Parts, k: Keyring, session: Session) -> list[str]:
    """The text of every chunk, in the order of the chunk table."""
    return session.memo("texts", k.chunks, lambda: _slices(chunks(p, k, session)[0], k, session))


def _slices(cuts: pl.DataFrame, k: Keyring, session: Session) -> list[str]:
    whole = dict(table(k, session, "documents").select("doc_id", "text").iter_rows())
    return [whole[d][s:e] for d, s, e in cuts.select("doc_id", "start", "end").iter_rows()]
