"""Searching: the hits of each leg, found in the store by key, or searched over an index kept there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from runner import artifacts, embedded, encoding, keys, registry, tables
from runner.embedding import stage as embedding_stage
from runner.keyring import Keyring
from runner.late_interaction import TokenModel
from runner.parts import Parts
from runner.retrieval import stage as retrieval_stage
from runner.retrieval.contract import Leg, Side
from runner.retrieval.stage import LegHits
from runner.session import Session


def hits(p: Parts, k: Keyring, session: Session, name: str) -> LegHits:
    """The hits of one leg for all queries."""
    leg = p.legs[name]
    fresh: list[pl.DataFrame] = []

    def write(folder: Path) -> dict[str, Any]:
        found = search(p, k, session, name, leg, artifacts.queries(k, session))
        fresh.append(found.frame)
        tables.write(found.frame, folder / "hits.parquet")
        said = {"reasons": _by_row(found.reasons), "recall": _by_row(found.recall), "notes": found.notes}
        return {"leg": leg.name, "hits": found.frame.height} | {k: v for k, v in said.items() if v}

    def load() -> LegHits:
        artifact = session.store.obtain("legs", k.legs[name], write)
        session.counters.searches_run += artifact.built
        reasons, recall = (
            {int(q): v for q, v in artifact.meta.get(part, {}).items()} for part in ("reasons", "recall")
        )
        frame = fresh[0] if fresh else tables.read(artifact.path / "hits.parquet")
        return LegHits(frame, reasons, recall, artifact.meta.get("notes", []))

    before = session.counters.searches_run
    found = session.memo("legs", k.legs[name], load)
    session.counters.searches_reused += 1 - (session.counters.searches_run - before)
    return found


def _by_row(values: Mapping[int, Any]) -> dict[str, Any]:
    """By query row, as JSON has it."""
    return {str(row): value for row, value in values.items()}


def search(p: Parts, k: Keyring, session: Session, name: str, leg: Leg, asked: list[str]) -> LegHits:
    """What `leg` finds for the texts `asked`, over the index of the run's leg `name`."""
    if leg.reads == "vectors":
        documents, _ = embedded.inputs(p, k, session)
        wanted = embedding_stage.inputs(asked, p.embedding.prompts().query)
        stored = encoding.embed(p, session, [*documents, *wanted])
        chunk_side, query_side = (
            Side(vectors=stored.rows(documents).vectors),
            Side(vectors=stored.rows(wanted).vectors),
        )
        return retrieval_stage.search(
            leg, _index(leg, k.indexes[name], session, lambda: chunk_side), chunk_side, query_side
        )

    def side(some: list[str]) -> Side:
        return _tokens(session, leg, some) if leg.reads == "tokens" else Side(texts=some)

    index = _index(leg, k.indexes[name], session, lambda: side(artifacts.texts(p, k, session)))
    return retrieval_stage.search(leg, index, Side(), side(asked))


def _tokens(session: Session, leg: Leg, some: list[str]) -> Side:
    """The token vectors of `some`. Those of the chunks end up in the index, those of the queries nowhere."""
    model = registry.as_contract(leg, TokenModel)
    load = partial(model.encoder, session.runtime.threads, session.runtime.device)
    encoder = session.memo("token_encoder", keys.digest(model.token_identity()), load)
    bar = session.progress("token vectors", len(some))
    return Side(tokens=encoder.token_vectors(some, bar), tokens_total=encoder.tokens_total(some))


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
