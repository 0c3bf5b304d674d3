"""The project's own form: a folder of documents, queries and gold, as lines, Parquet or plain text files."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from runner.config import Component
from runner.dataset import _files, _quotes
from runner.dataset import _read as read
from runner.dataset._build import Builder
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
    which `strategy=given` takes.
    """

    name: Literal["native"] = "native"
    path: str = Field(min_length=1)
    """The folder: absolute, or under the data root."""
    on_bad: OnBad = "error"
    """What a bad row does: fail the data set with file and line, or be left out and counted."""

    def folder(self) -> Path:
        """The folder itself; an optional `kg/` lies in it too. Raises RequestError when it is not there."""
        return read.is_folder(locate(self.path))

    def sources(self) -> list[Path]:
        """The files it reads."""
        folder = self.folder()
        documents = _documents(folder)
        return [
            *(_files.tree(documents, folder) if documents.is_dir() else [documents]),
            _inside(read.one_of(folder, ["queries.jsonl"]), folder),
            _inside(read.one_of(folder, ["gold.jsonl", "gold.parquet"]), folder),
            *_chunks(folder),
        ]

    def load(self) -> Corpus:
        """Read and check everything."""
        folder = self.folder()
        chunks = _chunks(folder)
        *documents, queries, gold = self.sources()[: -len(chunks) or None]
        build = Builder(self.on_bad)
        place = _documents(folder)
        if place.is_dir():
            _files.add(build, documents, place)
        else:
            build.problems.each(read.rows(place, build.problems), lambda row: _document(build, row))
        build.problems.each(read.rows(queries, build.problems), lambda row: _query(build, row))
        build.problems.each(read.rows(gold, build.problems), lambda row: _quotes.judge(build, row))
        for path in chunks:
            build.problems.each(read.rows(path, build.problems), lambda row: _chunk(build, row))
        return build.corpus(folder)


def _documents(folder: Path) -> Path:
    if not any((folder / n).exists() for n in _DOCUMENTS):
        return folder
    return _inside(read.one_of(folder, _DOCUMENTS), folder)


def _chunks(folder: Path) -> list[Path]:
    """The file of ready-made chunks, if there is one."""
    names = ["chunks.jsonl", "chunks.parquet"]
    if not any((folder / n).exists() for n in names):
        return []
    return [_inside(read.one_of(folder, names), folder)]


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
