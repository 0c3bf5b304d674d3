"""What a data set gives: documents, queries and judgments, as frames, validated."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

import polars as pl

from runner.errors import RequestError

OnBad = Literal["error", "skip"]


@dataclass(frozen=True, slots=True)
class Corpus:
    """A data set as frames, each sorted by its ids (code points), so the order of lines cannot matter."""

    documents: pl.DataFrame
    """Columns of `records.Document`, sorted by doc_id."""
    queries: pl.DataFrame
    """Columns of `records.Query`, sorted by query_id."""
    judgments: pl.DataFrame
    """Columns of `records.Judgment`, sorted by all columns; spans of a query may overlap."""
    rejected: dict[str, int] = field(default_factory=dict)
    """Rows that were left out under `on_bad: skip`, counted by reason."""
    places: Mapping[tuple[object, ...], str] = field(default_factory=dict)
    """Where a loader read it, mostly `file:line`: by ("doc_id", id), ("query_id", id) or a judgment's first
    four columns. For messages; it is not stored."""
    given: pl.DataFrame | None = None
    """Chunks that the data set brings, columns of `records.GivenChunk`, sorted; None: it brings none."""
    situating: pl.DataFrame | None = None
    """Ready-made situating texts, columns of `records.SituatingText`, sorted; None: it brings none."""
    mentions: pl.DataFrame | None = None
    """With `nodes` and `edges` the knowledge graph that the data set brings; None: it brings none.

    Columns of `records.Mention`, `Node` and `Edge`, each sorted by all its columns."""
    nodes: pl.DataFrame | None = None
    edges: pl.DataFrame | None = None
    notes: tuple[str, ...] = ()
    """What whoever reads a result of this data set must know, in sentences; every view shows them."""


@runtime_checkable
class Dataset(Protocol):
    """A component of the group `dataset`."""

    name: str

    def sources(self) -> list[Path]:
        """The files it reads, in a fixed order. Raises RequestError when the folder is not there."""
        ...

    def load(self) -> Corpus:
        """Read and check everything. Raises DataError with file and line."""
        ...


def data_root() -> Path | None:
    """The folder that relative paths are under: $RUNNER_DATA, else ../shared/data where it exists."""
    named = os.environ.get("RUNNER_DATA")
    if named:
        return Path(named)
    default = Path("../shared/data")
    return default if default.is_dir() else None


def locate(path: str) -> Path:
    """What a data set config names: absolute, under the data root, or under the working folder.

    Raises:
        RequestError: it is nowhere; the message says where was looked and how to point to it.
    """
    root = data_root()
    tried = [Path(path)] if Path(path).is_absolute() else [*([root / path] if root else []), Path(path)]
    for candidate in tried:
        if candidate.exists():
            return candidate
    looked = ", ".join(str(t) for t in tried)
    raise RequestError(
        f"dataset.path: '{path}' is not there (looked at {looked}). Set RUNNER_DATA to the folder that holds "
        "the data sets, or give dataset.path as an absolute path"
    )
