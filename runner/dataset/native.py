"""The project's own form: a folder of documents, queries and gold, as lines, Parquet or plain text files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from pydantic import Field

from runner.config import Component
from runner.dataset import _files, _graph, _quotes
from runner.dataset import _read as read
from runner.dataset._build import Builder
from runner.dataset._graph import GraphBuilder
from runner.dataset._read import Row, field
from runner.dataset.contract import Corpus, OnBad, locate
from runner.errors import DataError

_DOCUMENTS = ("documents.jsonl", "documents.parquet", "documents", "pages")


class Native(Component):
    """A folder with documents, `queries.jsonl` and `gold.jsonl` (or `.parquet`).

    Documents are `documents.jsonl`, `documents.parquet` or the `.md` and `.txt` files under `documents/`,
    `pages/` or else the folder itself: doc_id is the POSIX path in that tree, title the first Markdown
    heading. Names that begin with a dot, linked folders and links that leave the folder are left out. Text is
    kept byte for byte but for a leading byte-order mark, which no editor shows and which is removed.

    A row of gold judges a span (`start`, `end` in code points), a `quote` (the span where it occurs;
    `occurrence`, "all" or a number from 1, where there are several; with `start` and `end` it is what must
    stand there) or, with neither, the document. `grade` defaults to 1.

    An optional `chunks.jsonl` or `chunks.parquet` (`doc_id`, `start`, `end`) brings ready-made chunks along,
    which `strategy=given` takes; `situating` (`doc_id`, `text`, `start`, `end`) texts that say where a part
    of a document, or all of it, stands; `kg/mentions`, `kg/nodes` and `kg/edges`, all three or none, a
    knowledge graph, which `kg=given` takes. docs/data.md describes their fields.
    """

    name: Literal["native"] = "native"
    path: str = Field(min_length=1)
    """The folder: absolute, or under the data root."""
    on_bad: OnBad = "error"
    """What a bad row does: fail the data set with file and line, or be left out and counted."""

    def folder(self) -> Path:
        """The folder itself. Raises RequestError when it is not there."""
        return read.is_folder(locate(self.path))

    def sources(self) -> list[Path]:
        """The files it reads."""
        folder = self.folder()
        documents = _documents(folder)
        return [
            *(_files.tree(documents, folder) if documents.is_dir() else [documents]),
            _inside(read.one_of(folder, ["queries.jsonl"]), folder),
            _inside(read.one_of(folder, _forms("gold")), folder),
            *_beside(folder).values(),
        ]

    def load(self) -> Corpus:
        """Read and check everything."""
        folder = self.folder()
        beside = _beside(folder)
        *documents, queries, gold = self.sources()[: -len(beside) or None]
        build = Builder(self.on_bad)
        place = _documents(folder)
        if place.is_dir():
            _files.add(build, documents, place)
        else:
            build.problems.each(read.rows(place, build.problems), lambda row: _document(build, row))
        build.problems.each(read.rows(queries, build.problems), lambda row: _query(build, row))
        build.problems.each(read.rows(gold, build.problems), lambda row: _quotes.judge(build, row))
        graph = GraphBuilder(build)
        takes: dict[str, Callable[[Row], None]] = {
            "chunks": lambda row: _chunk(build, row),
            "situating": lambda row: _graph.situating(build, row),
            "kg/mentions": lambda row: _graph.mention(graph, row),
            "kg/nodes": lambda row: _graph.node(graph, row),
            "kg/edges": lambda row: _graph.edge(graph, row),
        }
        for part, path in beside.items():
            build.problems.each(read.rows(path, build.problems), takes[part])
        corpus = build.corpus(folder)
        return graph.added(corpus) if "kg/nodes" in beside else corpus


def _documents(folder: Path) -> Path:
    if not any((folder / n).exists() for n in _DOCUMENTS):
        return folder
    return _inside(read.one_of(folder, _DOCUMENTS), folder)


def _beside(folder: Path) -> dict[str, Path]:
    """The files of what the data set brings beside documents, queries and gold, in the order of reading."""

    def is_there(part: str) -> bool:
        return any((folder / n).exists() for n in _forms(part))

    graph = [f"kg/{part}" for part in _graph.PARTS]
    parts = [p for p in ("chunks", "situating") if is_there(p)] + (graph if any(map(is_there, graph)) else [])
    return {p: _inside(read.one_of(folder, _forms(p)), folder) for p in parts}


def _forms(part: str) -> list[str]:
    return [f"{part}.jsonl", f"{part}.parquet"]


def _inside(path: Path, folder: Path) -> Path:
    if not path.resolve().is_relative_to(folder.resolve()):
        raise DataError(f"{path}: a link that leads out of the data set; put the file itself there")
    return path


def _document(build: Builder, row: Row) -> None:
    read.only(row, ("doc_id", "text", "title", "metadata"))
    metadata = row.get("metadata")
    if isinstance(metadata, str):  # the form in which a Parquet column can hold any keys
        metadata = read.parse(metadata)
    build.document(
        field(row, "doc_id", str),
        field(row, "text", str),
        field(row, "title", str, ""),
        field({"metadata": metadata}, "metadata", dict, {}),
    )


def _query(build: Builder, row: Row) -> None:
    read.only(row, ("query_id", "text", "tags"))
    build.query(field(row, "query_id", str), field(row, "text", str), field(row, "tags", list, []))


def _chunk(build: Builder, row: Row) -> None:
    read.only(row, ("doc_id", "start", "end"))
    build.chunk(field(row, "doc_id", str), field(row, "start", int), field(row, "end", int))
