"""The embedded corpus of a run: what the model is given, and the audit of what it read of each chunk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from runner import artifacts, enriching, keys, tables
from runner.embedding import stage as embedding_stage
from runner.encoding import embed, encoder
from runner.keyring import Keyring
from runner.parts import Parts
from runner.session import Session
from runner.vectors import Rows


def inputs(p: Parts, k: Keyring, session: Session) -> tuple[list[str], list[str]]:
    """What the model reads: one input per chunk, one per query."""
    prompts = p.embedding.prompts()
    lines = enriching.lines(p, k, session)
    documents = embedding_stage.inputs(artifacts.texts(p, k, session), prompts.document, lines)
    return documents, embedding_stage.inputs(artifacts.queries(k, session), prompts.query)


def corpus(p: Parts, k: Keyring, session: Session) -> dict[str, Any]:
    """Embed every chunk and query that has no vector yet; returns the roll-up of what the model read.

    The artifact has one row per chunk: `chunk_id, input_key, tokens_total, tokens_embedded, truncated`, and
    with enrichment the columns of `embedding.stage.audit`. `input_key` finds the vector in the store.
    """

    def write(folder: Path) -> dict[str, Any]:
        documents, asked = inputs(p, k, session)
        billed = session.counters.tokens_billed
        distinct = list(dict.fromkeys([*documents, *asked]))
        stored = embed(p, session, distinct)
        rows, of_queries = stored.rows(documents), stored.rows(asked)
        cuts, _ = artifacts.chunks(p, k, session)
        if p.embedding.on_truncate == "error":
            ids = artifacts.table(k, session, "queries")["query_id"]
            read = {"chunk": (cuts["chunk_id"], rows), "query": (ids, of_queries)}
            embedding_stage.refuse_truncated(p.embedding.name, read)
        truncated = rows.tokens_total > rows.tokens_embedded
        frame = cuts.select("chunk_id").with_columns(
            pl.Series("input_key", keys.text_keys(documents), pl.Binary),
            pl.Series("tokens_total", rows.tokens_total, pl.Int64),
            pl.Series("tokens_embedded", rows.tokens_embedded, pl.Int64),
            pl.Series("truncated", truncated, pl.Boolean),
        )
        audit = _audit(p, k, session, stored.key, rows)
        tables.write(pl.concat([frame, *audit], how="horizontal"), folder / "embedding.parquet")
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
            "inputs_digest": keys.digest(documents),
            **({"audit": embedding_stage.audited(audit[0])} if audit else {}),
        }

    before = session.counters.texts_embedded
    artifact = session.store.obtain("embedding", str(k.embedding), write)
    fresh = session.counters.texts_embedded - before
    session.counters.texts_reused += int(artifact.meta["texts"]) - fresh
    return artifact.meta


def _audit(p: Parts, k: Keyring, session: Session, model: str, rows: Rows) -> list[pl.DataFrame]:
    """What the headers cost each chunk, as one frame; none where enrichment is off."""
    lines = enriching.lines(p, k, session)
    if lines is None:
        return []
    prompt = p.embedding.prompts().document
    plain = embedding_stage.inputs(artifacts.texts(p, k, session), prompt)
    counted = encoder(p, session, model).count([prompt, *plain])
    return [embedding_stage.audit(rows, counted, lines)]
