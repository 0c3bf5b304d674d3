"""The corpus of a run as a vector store would take it, in batches: stored chunk texts and stored vectors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cached_property
from typing import Any

import polars as pl

from runner import keys, store, tables
from runner.errors import StoreError
from runner.inspector.stored import Stored
from runner.records import ContextHeader
from runner.runs import Run

ROWS = 1 << 13
"""Chunks of a batch, at most."""
CODE_POINTS = 1 << 26
"""Text of a batch, about: whole documents as chunks make small batches."""
_FIRST = ("chunk_id", "doc_id", "chunk_index", "start", "end", "content", "title", "heading", "tokens")
_HEADER = [f.name for f in fields(ContextHeader)]


class Corpus:
    """The chunks of a run. Tables are held as columns; texts and vectors are made a batch at a time.

    Raises:
        StoreError: something that the run stands on is damaged or gone.
    """

    def __init__(self, run: Run) -> None:
        self._stored = Stored(run)
        self._said = {
            stage: store.check(self._stored.path(stage, key))
            for stage in ("corpus", "chunks", "embedding", "enrichment")
            if (key := self._stored.keys.get(stage)) is not None  # off, or of a build without the stage
        }

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What a reader of the vectors must know; without vectors what they are of is left out."""
        run, config = self._stored.run, self._stored.run.config
        out = {
            "run": run.key,
            "dataset": config["dataset"]["name"],
            "strategy": config["strategy"]["name"],
            "chunks": self._rows.height,
            "documents": self._rows["doc_id"].n_unique(),
        }
        embedding = self._stored.embedding
        if embedding is None:
            return out
        prompts = self._said["embedding"]["prompts"]
        return out | {
            "model": embedding.identity,
            "dimensions": len(self._vectors(self._rows.head(1))[0]),
            "distance": "cosine",
            "document_prompt": prompts["document"],
            "query_prompt": prompts["query"],
        }

    @property
    def enriched(self) -> int:
        """Chunks with a header."""
        return self._rows.height - self._rows["context_header"].null_count()

    def batches(self) -> Iterator[pl.DataFrame]:
        """The chunks in document order, at least one.

        Columns are those of `records.Chunk` that the strategy gives and `heading`; `content`, the text of the
        chunk; `title` and `metadata` of its document; `context_header`, a struct or null; `vector`, where a
        leg of the run reads vectors.
        """
        letters = int((self._rows["end"] - self._rows["start"]).sum())
        step = max(1, min(ROWS, CODE_POINTS * self._rows.height // max(letters, 1)))
        for part in self._rows.iter_slices(step):
            found = self._stored.documents.join(part, on="doc_id", how="semi")
            texts = dict(found.select("doc_id", "text").iter_rows())
            spans = part.select("doc_id", "start", "end").iter_rows()
            frame = part.join(
                found.select("doc_id", "title", "metadata"),
                on="doc_id", how="left", maintain_order="left",
            ).with_columns(pl.Series("content", [texts[d][s:e] for d, s, e in spans], pl.String))  # fmt: skip
            last = ["metadata", "context_header"]
            if "input_key" in part.columns:
                frame, last = frame.with_columns(self._vectors(part)), [*last, "vector"]
            own = [c for c in part.columns if c not in {*_FIRST, *last, "input_key"}]
            yield frame.select(*_FIRST, *own, *last)

    @cached_property
    def _rows(self) -> pl.DataFrame:
        """The chunk table with the keys of the vectors and the headers."""
        chunks = self._stored.chunks.drop("place")
        if "heading" not in chunks.columns:
            chunks = chunks.with_columns(heading=pl.lit(None, pl.String))
        if "embedding" in self._said:
            chunks = self._joined(chunks, "embedding", "embedding", pl.col("input_key"))
        if "enrichment" not in self._said:
            return chunks.with_columns(context_header=pl.lit(None))
        return self._joined(chunks, "enrichment", "headers", pl.struct(_HEADER).alias("context_header"))

    def _joined(self, chunks: pl.DataFrame, stage: str, name: str, column: pl.Expr) -> pl.DataFrame:
        """`chunks` with a column of another stage's table; null where that has no such chunk."""
        more = tables.read(self._stored.path(stage, self._stored.keys[stage]) / f"{name}.parquet")
        return chunks.join(more.select("chunk_id", column), on="chunk_id", how="left", maintain_order="left")

    def _vectors(self, part: pl.DataFrame) -> pl.Series:
        """The vectors of these chunks, as fixed-size arrays of float32."""
        wanted, stored = part["input_key"].to_list(), self._stored.vectors
        gone = [k for k in wanted if stored.segment(k) is None]
        if gone:
            run = self._stored.run
            raise StoreError(
                f"run {run.key[: keys.SHORT]}: the store no longer has the vectors of its chunks (for "
                f"instance of {part['chunk_id'][wanted.index(gone[0])]}); remove {run.path} and run its "
                "config again"
            )
        return pl.Series("vector", stored.by_key(wanted).vectors)
