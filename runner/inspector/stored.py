"""What a run stands on, read from the store and never changed: chunks, texts, vectors, headers, graph."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from runner import tables
from runner.errors import StoreError
from runner.inspector.records import EmbeddingIdentity, IndexIdentity, LegFacts, RunCard
from runner.runs import Run
from runner.store import MANIFEST, Store
from runner.vectors import Vectors

log = logging.getLogger(__name__)


class _Untouched(Store):
    """A store that is looked at: what is damaged is not served, and stays where it is."""

    def set_aside(self, path: Path, why: str) -> None:
        """See `Store`."""
        log.warning("%s; it counts as missing here", why)


class Stored:
    """The artifacts of one run. All keys are the run's own, so nothing of another corpus can come in."""

    def __init__(self, run: Run, legs: tuple[LegFacts, ...] | None = None) -> None:
        self.run = run
        self.legs = legs
        """What the components say of the run's legs; None: they cannot be asked (a plugin is not here)."""
        self.keys: dict[str, Any] = run.meta["keys"]
        self._root = run.outputs / "store"

    def path(self, stage: str, key: str) -> Path:
        """Where an artifact is, or was."""
        return self._root / stage / key

    def card(self) -> RunCard:
        """The run, and the scope of every id."""
        config = self.run.config
        return RunCard(
            run=self.run.key,
            created=self.run.meta["created"],
            data_set=config["dataset"]["name"],
            corpus=self.keys["corpus"],
            strategy=config["strategy"]["name"],
            chunking=self.keys["chunks"],
            chunks=self.run.meta["chunking"]["chunks"],
            badge=self.run.badge.text,
        )

    @cached_property
    def chunks(self) -> pl.DataFrame:
        """Columns of `records.Chunk` with the chunks' own spans, after their row number, `place`."""
        folder = self.path("chunks", self.keys["chunks"])
        return tables.read(folder / "chunks.parquet").with_row_index("place")

    @cached_property
    def documents(self) -> pl.DataFrame:
        """Columns of `records.Document`, of the data set as the run read it."""
        return self.run.corpus("documents")

    @cached_property
    def texts(self) -> list[str]:
        """The text of every chunk, by place."""
        whole = dict(self.documents.select("doc_id", "text").iter_rows())
        return [whole[d][s:e] for d, s, e in self.chunks.select("doc_id", "start", "end").iter_rows()]

    @cached_property
    def rows(self) -> dict[str, dict[str, Any]]:
        """Chunks by id."""
        return {row["chunk_id"]: row for row in self.chunks.iter_rows(named=True)}

    @property
    def embedding(self) -> EmbeddingIdentity | None:
        """The model; None: no leg of the run reads vectors."""
        if self.keys["model"] is None:
            return None
        name = self.run.config["embedding"]["name"]
        return EmbeddingIdentity(name, self.keys["model"], self.run.meta["identities"]["embedding"])

    @cached_property
    def embedded(self) -> dict[str, dict[str, Any]] | None:
        """By chunk id what the model was given and read of it; None: no vectors, or the record is gone."""
        if self.keys["embedding"] is None:
            return None
        path = self.path("embedding", self.keys["embedding"]) / "embedding.parquet"
        if not path.is_file():
            return None
        return {row["chunk_id"]: row for row in tables.read(path).iter_rows(named=True)}

    @cached_property
    def vectors(self) -> Vectors:
        """The vectors of the run's model, of any corpus; ask it by the `input_key` of a chunk of this one."""
        embedding = self.embedding
        if embedding is None:
            raise StoreError(f"run {self.run.short} has no vectors")
        found = Vectors(_Untouched(self._root), embedding.identity)
        found.refresh()
        return found

    @cached_property
    def headers(self) -> dict[str, dict[str, Any]]:
        """By chunk id the header and the line it became; empty where enrichment is off or its record gone."""
        key = self.keys.get("enrichment")
        path = self.path("enrichment", str(key)) / "headers.parquet"
        if key is None or not path.is_file():
            return {}
        return {row["chunk_id"]: row for row in tables.read(path).iter_rows(named=True)}

    def graph(self, part: str) -> pl.DataFrame | None:
        """`mentions`, `nodes` or `edges`: of the run's graph, else of the one its data set brings; None."""
        key = self.keys.get("kg")
        own = self.path("kg", key) if key else self.path("corpus", self.keys["corpus"])
        path = own / f"{part}.parquet"
        return tables.read(path) if path.is_file() else None

    @property
    def indexes(self) -> tuple[IndexIdentity, ...]:
        """What each leg searches."""
        facts = {f.leg: f for f in self.legs or ()}
        out = []
        for leg, key in self.keys["indexes"].items():
            component = self.run.config["retrieval"]["legs"][leg]["name"]
            kept = facts[leg].keeps_index if leg in facts else None
            there = (self.path(f"index-{component}", key) / MANIFEST).is_file() if kept else None
            identity = self.run.meta["identities"].get(f"retrieval.{leg}", {})
            out.append(IndexIdentity(leg, component, key, identity, there))
        return tuple(out)


def written(folder: Path) -> str | None:
    """When an artifact was published (UTC, seconds); None: it is not there."""
    manifest = folder / MANIFEST
    if not manifest.is_file():
        return None
    return datetime.fromtimestamp(manifest.stat().st_mtime, UTC).isoformat(timespec="seconds")
