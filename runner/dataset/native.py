"""The project's own form: a folder of documents, queries and gold, as lines, Parquet or plain text files."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field

from runner.config import Component
from runner.dataset import _quotes
from runner.dataset import _read as read
from runner.dataset._build import Builder
from runner.dataset._read import Row, field
from runner.dataset.contract import Corpus, OnBad, locate
from runner.errors import DataError

log = logging.getLogger(__name__)

_DOCUMENTS = ("documents.jsonl", "documents.parquet", "documents", "pages")
_SUFFIXES = {".md", ".txt"}
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(\S.*)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


class Native(Component):
    """A folder with documents, `queries.jsonl` and `gold.jsonl` (or `.parquet`).

    Documents are `documents.jsonl`, `documents.parquet` or the `.md` and `.txt` files under `documents/`,
    `pages/` or else the folder itself: doc_id is the POSIX path in that tree, title the first Markdown
    heading. Names that begin with a dot, linked folders and links that leave the folder are left out. Text is
    kept byte for byte but for a leading byte-order mark, which no editor shows and which is removed.

    A row of gold judges a span (`start`, `end` in code points), a `quote` (the span where it occurs;
    `occurrence`, "all" or a number from 1, where there are several; with `start` and `end` it is what must
    stand there) or, with neither, the document. `grade` defaults to 1.
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
            *(_tree(documents, folder) if documents.is_dir() else [documents]),
            _inside(read.one_of(folder, ["queries.jsonl"]), folder),
            _inside(read.one_of(folder, ["gold.jsonl", "gold.parquet"]), folder),
        ]

    def load(self) -> Corpus:
        """Read and check everything."""
        folder = self.folder()
        *documents, queries, gold = self.sources()
        build = Builder(self.on_bad)
        place = _documents(folder)
        if place.is_dir():
            build.problems.each(_text_rows(documents, place), lambda file: _text_document(build, *file))
        else:
            build.problems.each(read.rows(place, build.problems), lambda row: _document(build, row))
        build.problems.each(read.rows(queries, build.problems), lambda row: _query(build, row))
        build.problems.each(read.rows(gold, build.problems), lambda row: _quotes.judge(build, row))
        return build.corpus(folder)


def _documents(folder: Path) -> Path:
    if not any((folder / n).exists() for n in _DOCUMENTS):
        return folder
    return _inside(read.one_of(folder, _DOCUMENTS), folder)


def _inside(path: Path, folder: Path) -> Path:
    if not path.resolve().is_relative_to(folder.resolve()):
        raise DataError(f"{path}: a link that leads out of the data set; put the file itself there")
    return path


def _tree(root: Path, folder: Path) -> list[Path]:
    """The text files under `root`, sorted by their path in it."""

    def refuse(e: OSError) -> None:
        raise DataError(f"{e.filename}: cannot be read ({e.strerror})")

    found: list[Path] = []
    for here, folders, files in os.walk(root, onerror=refuse):  # it does not enter linked folders
        folders[:] = [f for f in folders if not f.startswith(".")]
        seen = (Path(here, f) for f in files if not f.startswith("."))
        found += (p for p in seen if p.suffix.lower() in _SUFFIXES)
    top = folder.resolve()
    kept = [p for p in found if p.is_file() and (not p.is_symlink() or p.resolve().is_relative_to(top))]
    if len(kept) < len(found):
        log.warning("%s: left out %d links that lead out of it or nowhere", root, len(found) - len(kept))
    if not kept:
        raise DataError(f"{folder}: has no {' or '.join(_DOCUMENTS[:2])} and no .md or .txt file")
    return sorted(kept, key=lambda p: p.relative_to(root).as_posix())


def _text_rows(files: list[Path], root: Path) -> Iterator[tuple[str, tuple[Path, str]]]:
    return ((f"{p}:1", (p, p.relative_to(root).as_posix())) for p in files)


def _text_document(build: Builder, path: Path, doc_id: str) -> None:
    text = read.text_file(path)
    build.document(doc_id, text, _title(text) if path.suffix.lower() == ".md" else "")


def _title(text: str) -> str:
    """The first `#` heading outside fenced code, or nothing."""
    fence = ""
    for line in re.split(r"\r\n|\n|\r", text):
        mark = _FENCE.match(line)
        rest = line[mark.end() :] if mark else ""
        if mark and not fence and not (mark[1][0] == "`" and "`" in rest):  # else it is code within a line
            fence = mark[1]
        elif mark and fence and mark[1].startswith(fence) and not rest.strip():
            fence = ""
        heading = None if fence else _HEADING.fullmatch(line)
        if heading:
            title = heading[1].rstrip()
            bare = title.rstrip("#")  # closing hashes, as in `## Title ##`; the hash of `# C#` is its own
            return bare.rstrip() if bare[-1:] in ("", " ", "\t") else title
    return ""


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
