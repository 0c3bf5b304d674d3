"""Kind `trec`: topics, qrels and documents of a TREC test collection."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from runner.dataset import _read as read
from runner.dataset._build import Builder
from runner.dataset._problems import Bad, Problems
from runner.dataset._qrels import qrels
from runner.dataset._read import Row, field
from runner.dataset.contract import OnBad
from runner.errors import DataError, RequestError
from runner.importing import _sgml
from runner.importing.loaded import Loaded, named

_TOPICS = tuple(f"{n}.{s}" for n in ("topics", "queries") for s in ("txt", "tsv", "xml"))
_JUDGED = ("qrels.txt", "qrels.tsv", "qrels")
_DOCUMENTS = ("documents", "docs", "documents.jsonl", "corpus.jsonl", "documents.trec", "documents.sgml")
_IDS = ("doc_id", "docno", "id", "_id")
_TEXTS = ("text", "contents", "body")


@dataclass(frozen=True, slots=True)
class TrecFolder:
    """A folder with topics, qrels and documents; all topics are kept, judged or not.

    Topics: `<top>` blocks (also `<topic number="…">`), or lines of id, tab and text. Documents: JSON lines
    with an id (`doc_id`, `docno`, `id` or `_id`) and a text (`text`, `contents` or `body`), or SGML of
    `<DOC>` blocks: one file or a folder of them, each also `.gz`. Everything must be UTF-8.
    """

    source: Path
    topics: str = ""
    qrels: str = ""
    documents: str = ""
    """A file or a folder, in SOURCE; each option without a value means the usual names."""
    field: str = "title"
    """Which part of a topic is the query; `title+desc` joins two by a blank."""
    title: Literal["prepend", "separate"] = "prepend"
    """`prepend`: text = title + " " + text; `separate`: kept beside it."""
    on_bad: OnBad = "error"

    def load(self) -> Loaded:
        """Read and check everything."""
        if not self.source.is_dir():
            raise RequestError(f"SOURCE: '{self.source}' is a file; this kind takes a folder")
        topics = named(self.source, self.topics, "--topics", _TOPICS)
        judged = named(self.source, self.qrels, "--qrels", _JUDGED)
        texts = _files(named(self.source, self.documents, "--documents", _DOCUMENTS))
        build = Builder(self.on_bad)
        for path in texts:
            build.problems.each(_documents(path, build.problems), lambda row: self._document(build, row))
        rows = _sgml.topics(topics, self.field.split("+"), build.problems)
        build.problems.each(rows, lambda topic: build.query(*topic))
        judgments = qrels(judged, build.problems)
        build.problems.each(judgments, lambda qrel: build.judge(qrel[0], qrel[1], grade=qrel[2]))
        return Loaded(build.corpus(self.source), (*texts, topics, judged))

    def _document(self, build: Builder, row: Row) -> None:
        doc_id = _first(row, _IDS)
        title, text = field(row, "title", str, "").strip(), _first(row, _TEXTS)
        whole = f"{title} {text}" if self.title == "prepend" and title and text else text or title
        build.document(doc_id, whole, title)


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    found = sorted(p for p in path.rglob("*") if p.is_file() and not p.name.startswith("."))
    if not found:
        raise DataError(f"{path}: holds no file")
    return found


def _documents(path: Path, problems: Problems) -> Iterator[tuple[str, Row]]:
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        return read.jsonl(path, problems)
    return _sgml.documents(path, problems)


def _first(row: Row, names: tuple[str, ...]) -> str:
    """The text of the first of `names` that the row has; a number counts as text."""
    for name in names:
        value = row.get(name)
        if value is not None:
            return str(value) if type(value) is int else field(row, name, str)
    raise Bad(f"missing {names[0]}", f"has none of {', '.join(f'`{n}`' for n in names)}")
