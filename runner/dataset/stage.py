"""The data set's books: what it contains (fingerprints), what it was made from (key), stored form, filter."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from runner import tables
from runner.config import Component
from runner.dataset.contract import Corpus, Dataset
from runner.errors import ComponentError, RequestError, did_you_mean
from runner.keys import FORMAT, digest, file_digest
from runner.plugins import edition
from runner.records import Document, Edge, GivenChunk, Judgment, Mention, Node, Query, SituatingText
from runner.registry import as_contract

_PARTS = {"documents": Document, "queries": Query, "judgments": Judgment}
_BROUGHT = {
    "given": GivenChunk,
    "situating": SituatingText,
    "mentions": Mention,
    "nodes": Node,
    "edges": Edge,
}
"""What a data set may bring beside them."""
GRAPH = ("mentions", "nodes", "edges")
_SAID = {"given": "chunks brought along", "situating": "situating texts"}
_NULL = b"\xff" * 8  # no field is 2^64 - 1 bytes long


def _parts(corpus: Corpus) -> dict[str, tuple[pl.DataFrame, type]]:
    """The frames of a corpus by name, each with its record; what it does not bring is left out."""
    found = {p: (getattr(corpus, p), r) for p, r in {**_PARTS, **_BROUGHT}.items()}
    return {p: (frame, r) for p, (frame, r) in found.items() if frame is not None}


def fingerprints(corpus: Corpus) -> dict[str, str]:
    """SHA-256 (64 hex characters) of the content of each table of a corpus.

    Frames are sorted and metadata is canonical, so neither file form nor order of lines can matter.
    """
    return {part: _content_digest(frame, record) for part, (frame, record) in _parts(corpus).items()}


def _content_digest(frame: pl.DataFrame, record: type) -> str:
    """Digest of every value in row order, each as its length (8 bytes) and its UTF-8 bytes."""
    columns = list(tables.schema(record))
    h = hashlib.sha256(f"{FORMAT}/{record.__name__}/{','.join(columns)}\n".encode())
    for row in frame.select(columns).iter_rows():
        h.update(b"".join(_framed(row)))
    return h.hexdigest()


def _framed(values: Iterable[object]) -> Iterable[bytes]:
    for value in values:
        if value is None:
            yield _NULL
        else:
            raw = str(value).encode()
            yield len(raw).to_bytes(8, "big")
            yield raw


def counts(corpus: Corpus) -> dict[str, int | str]:
    """What is in a data set, for people: numbers, and the form of its gold."""
    judged = corpus.judgments
    spans = judged.height and judged["start"].null_count() == 0
    return {
        "documents": corpus.documents.height,
        "characters": int(corpus.documents["text"].str.len_chars().sum()),
        "queries": corpus.queries.height,
        "judgments": judged.height,
        "gold": ("spans" if spans else "documents") if judged.height else "none",
        "queries without gold": corpus.queries.join(judged, on="query_id", how="anti").height,
        **{_SAID.get(p, p): f.height for p in _BROUGHT if (f := getattr(corpus, p)) is not None},
    }


def source_key(dataset: Component) -> str:
    """The key of a parsed data set: component, version, settings, names and digests of the files it reads.

    Names are relative to the folder that holds all of them, and `path` is left out: a move changes nothing.
    """
    files = as_contract(dataset, Dataset).sources()
    top = os.path.commonpath([f.absolute().parent for f in files])
    contents = [[f.absolute().relative_to(top).as_posix(), file_digest(f)] for f in files]
    settings = {k: v for k, v in dataset.settings().items() if k != "path"}
    return digest(["dataset", dataset.name, edition(dataset), settings, contents])


def pack(corpus: Corpus, folder: Path) -> None:
    """Write a corpus as Parquet into `folder`; whoever calls publishes the folder whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, (frame, _) in _parts(corpus).items():
        tables.write(frame, folder / f"{part}.parquet")
    rejected = {"reason": list(corpus.rejected), "rows": list(corpus.rejected.values())}
    schema = {"reason": pl.String(), "rows": pl.Int64()}
    tables.write(pl.DataFrame(rejected, schema=schema), folder / "rejected.parquet")


def unpack(folder: Path) -> Corpus:
    """The corpus that `pack` wrote.

    Raises:
        StoreError: a file is missing or damaged.
    """
    frames = {part: tables.read(folder / f"{part}.parquet") for part in _PARTS}
    rejected = tables.read(folder / "rejected.parquet")
    brought: dict[str, Any] = {
        p: tables.read(f) for p in _BROUGHT if (f := folder / f"{p}.parquet").is_file()
    }
    counted = dict(rejected.iter_rows())
    return replace(Corpus(frames["documents"], frames["queries"], frames["judgments"], counted), **brought)


def filter_mask(documents: pl.DataFrame, filter: dict[str, Any]) -> pl.Series:
    """Which documents a config's `filter` lets through, shape (documents,), bool.

    A value asks for equality (`year: 2020` is no text), a list for membership (its entries are compared as
    text, so `year: ["2020"]` does find a number). Where a document's own value is a list, any of it will do.

    Raises:
        RequestError: no document has such a metadata key.
    """
    parsed = {raw: _metadata(raw) for raw in documents["metadata"].unique().to_list()}
    known = {key for metadata in parsed.values() for key in metadata}
    for key in filter:
        if key not in known:
            raise RequestError(f"filter.{key}: no document has this metadata key; {did_you_mean(key, known)}")
    passes = {raw: all(_matches(m.get(k), want) for k, want in filter.items()) for raw, m in parsed.items()}
    return pl.Series("filter", [passes[raw] for raw in documents["metadata"]], dtype=pl.Boolean)


def _metadata(raw: str) -> dict[str, Any]:
    value = json.loads(raw)
    if not isinstance(value, dict):
        raise ComponentError(f"metadata must be a JSON object, found {raw[:40]!r}")
    return value


def _matches(value: object, want: object) -> bool:
    if value is None:
        return False
    values = value if isinstance(value, list) else [value]
    if isinstance(want, list):
        return any(_as_text(v) in want for v in values)
    return any(v == want and isinstance(v, bool) == isinstance(want, bool) for v in values)


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
