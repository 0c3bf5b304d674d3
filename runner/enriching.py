"""Enrichment of a run: the knowledge graph and the headers of the chunks, found in the store or made."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from runner import artifacts, plugins, tables
from runner.answers import StoredAnswers
from runner.enrichment import stage as enrichment_stage
from runner.enrichment.contract import Material
from runner.keyring import Keyring
from runner.kg import stage as kg_stage
from runner.kg.contract import Graph
from runner.parts import Parts
from runner.session import Session


def graph(p: Parts, k: Keyring, session: Session) -> Graph:
    """The knowledge graph of the run's corpus."""

    def write(folder: Path) -> dict[str, Any]:
        own = [artifacts.brought(k, session, part) for part in kg_stage.PARTS] if p.kg.reads_own else []
        given = Graph(*(f for f in own if f is not None)) if own and own[0] is not None else None
        documents = artifacts.table(k, session, "documents")
        made = kg_stage.checked(p.kg.graph(documents, given), documents, p.kg.name)
        for part in kg_stage.PARTS:
            tables.write(getattr(made, part), folder / f"{part}.parquet")
        return {"kg": p.kg.name, **kg_stage.facts(made)}

    def load() -> Graph:
        folder = session.store.obtain("kg", str(k.kg), write).path
        return Graph(**{part: tables.read(folder / f"{part}.parquet") for part in kg_stage.PARTS})

    return session.memo("kg", str(k.kg), load)


def headers(p: Parts, k: Keyring, session: Session) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The headers (columns of `enrichment.stage.SCHEMA`, one row per chunk with one) and their roll-up.

    Not asked where enrichment is off: off means absent.
    """

    def write(folder: Path) -> dict[str, Any]:
        if not p.enrichment.asks:
            return _made(p, k, session, folder, None)
        bar = partial(session.progress, f"asking {p.enrichment.name}")
        answers = StoredAnswers(session.store, plugins.identity(p.enrichment), bar)
        with session.store.lock(f"answers-{answers.key}"):  # another process must not ask the same meanwhile
            try:
                return _made(p, k, session, folder, answers)
            finally:
                session.counters.tokens_billed += answers.billed

    def load() -> tuple[pl.DataFrame, dict[str, Any]]:
        artifact = session.store.obtain("enrichment", str(k.enrichment), write)
        return tables.read(artifact.path / "headers.parquet"), artifact.meta

    return session.memo("enrichment", str(k.enrichment), load)


def _made(
    p: Parts, k: Keyring, session: Session, folder: Path, answers: StoredAnswers | None
) -> dict[str, Any]:
    cuts, _ = artifacts.chunks(p, k, session)
    material = Material(
        documents=artifacts.table(k, session, "documents"),
        chunks=cuts.with_row_index("chunk").cast({"chunk": pl.Int64}),
        texts=artifacts.texts(p, k, session),
        tokens=enrichment_stage.Remembered(p.tokenizer.load()),
        graph=graph(p, k, session) if p.enrichment.reads_graph else None,
        situating=artifacts.brought(k, session, "situating") if p.enrichment.reads_situating else None,
        answers=answers,
    )
    made = enrichment_stage.checked(p.enrichment.headers(material), material, p.enrichment.name)
    tables.write(made, folder / "headers.parquet")
    facts = enrichment_stage.facts(made, cuts.height) | (answers.facts() if answers else {})
    return {"enrichment": p.enrichment.name, **facts}


def rolled_up(p: Parts, k: Keyring, session: Session) -> dict[str, Any]:
    """The roll-up of the headers, and what a service's answers cost."""
    facts = headers(p, k, session)[1]
    return {**facts, **enrichment_stage.money(facts, p.enrichment)}


def known(p: Parts, k: Keyring, session: Session) -> bool:
    """Whether the headers can be had without asking a service."""
    return (
        not (k.enrichment and p.enrichment.asks)
        or session.store.path("enrichment", str(k.enrichment)).is_dir()
    )


def lines(p: Parts, k: Keyring, session: Session) -> list[str] | None:
    """What stands before the text of each chunk, `""` for a chunk without header; None: enrichment is off."""
    if p.enrichment.off:
        return None
    frame, facts = headers(p, k, session)
    out = [""] * int(facts["chunks"])
    for chunk, text in frame.select("chunk", "text").iter_rows():
        out[chunk] = text
    return out
