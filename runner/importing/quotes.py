"""Kind `quotes`: a CSV of questions with quoted references, and the texts that they quote."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner.dataset import _files, _quotes
from runner.dataset import _read as read
from runner.dataset._build import Builder
from runner.dataset._problems import Bad
from runner.dataset._read import Row, field
from runner.dataset.contract import OnBad
from runner.errors import DataError, RequestError, did_you_mean
from runner.importing.loaded import Loaded, named
from runner.text import one_line

_DOCUMENT = ("document", "doc_id", "corpus_id", "source")
_IDS = ("query_id", "id")


@dataclass(frozen=True, slots=True)
class QuotesFile:
    """A row is a question, the name of its document, and a JSON list of what answers it there.

    A reference is `{"content": …, "start_index": …, "end_index": …}` (offsets in code points, both or none)
    or a plain quote, which must occur exactly once. A document is a `.md` or `.txt` file, called by its path
    without the suffix; the CSV may write it with or without. Without `--documents` only those texts beside
    the CSV are read that it names: a README is none. Without an `id` column questions are called
    `<document>-001`, ….
    """

    source: Path
    documents: str = ""
    """The folder of texts; all of them are documents."""
    question_column: str = "question"
    references_column: str = "references"
    document_column: str = ""
    """Without it the one of `document`, `doc_id`, `corpus_id`, `source` that there is."""
    on_bad: OnBad = "error"

    def load(self) -> Loaded:
        """Read and check everything."""
        if self.source.is_dir():
            raise RequestError(f"SOURCE: '{self.source}' is a folder; this kind takes a .csv file")
        head, rows = _csv(self.source)
        column = self._document_column(head)
        names = {doc_name(str(row[column])) for _, row in rows if row.get(column)}
        root, files = self._texts(names)
        build = Builder(self.on_bad)
        texts = ((f"{p}:1", p) for p in files)
        build.problems.each(texts, lambda p: build.document(_called(p, root), read.text_file(p)))
        counts: dict[str, int] = {}
        build.problems.each(rows, lambda row: self._question(build, row, column, counts))
        return Loaded(build.corpus(self.source), (*files, self.source))

    def _document_column(self, head: list[str]) -> str:
        wanted = [self.question_column, self.references_column, *filter(None, [self.document_column])]
        for column in wanted:
            if column not in head:
                raise RequestError(
                    f"{self.source}:1: no column '{one_line(column)}'; {did_you_mean(column, head)}"
                )
        found = [c for c in _DOCUMENT if c in head]
        if not self.document_column and len(found) != 1:
            has = f"has {' and '.join(found)}" if found else f"has none of {', '.join(_DOCUMENT)}"
            raise RequestError(
                f"{self.source}:1: {has}; say which column names the document: --document-column"
            )
        return self.document_column or found[0]

    def _texts(self, names: set[str]) -> tuple[Path, list[Path]]:
        if self.documents:
            root = named(self.source.parent, self.documents, "--documents", ())
            return root, _files.tree(root, root)
        root = self.source.parent
        return root, [p for p in _files.tree(root, root) if _called(p, root) in names]

    def _question(self, build: Builder, row: Row, column: str, counts: dict[str, int]) -> None:
        doc_id = doc_name(field(row, column, str))
        counts[doc_id] = counts.get(doc_id, 0) + 1
        given = next((str(row[c]) for c in _IDS if row.get(c)), "")
        query_id = given or f"{doc_id}-{counts[doc_id]:03d}"
        parsed = {"references": read.parse(field(row, self.references_column, str))}
        build.query(query_id, field(row, self.question_column, str))
        places = ((build.problems.place, r) for r in field(parsed, "references", list))
        build.problems.each(places, lambda r: _quotes.judge(build, _gold(query_id, doc_id, r)))


def doc_name(written: str) -> str:
    """A document's name as a CSV may write it, without its suffix."""
    return written.removesuffix(".md").removesuffix(".txt")


def _called(path: Path, root: Path) -> str:
    return path.relative_to(root).with_suffix("").as_posix()


def _gold(query_id: str, doc_id: str, reference: Any) -> Row:
    """A reference as a row of native gold."""
    row = {"query_id": query_id, "doc_id": doc_id}
    if isinstance(reference, str):
        return {**row, "quote": reference}
    known = read.as_object(reference)
    start, end = (field(known, k, int, -1) for k in ("start_index", "end_index"))
    if (start < 0) != (end < 0):
        raise Bad("half a span", "a reference needs both `start_index` and `end_index`, or neither")
    span = {"start": start, "end": end} if start >= 0 else {}
    return {**row, "quote": field(known, "content", str), **span}


def _csv(path: Path) -> tuple[list[str], list[tuple[str, Row]]]:
    """The columns, and `(place, row)` for each row; a row ends at the line that is given."""

    def rows(reader: csv.DictReader[str]) -> Iterator[tuple[str, Row]]:
        for row in reader:
            yield f"{path}:{reader.line_num}", row

    csv.field_size_limit(1 << 30)
    try:
        reader = csv.DictReader(io.StringIO(read.text_file(path), newline=""), strict=True)
        return list(reader.fieldnames or ()), list(rows(reader))
    except (csv.Error, Bad) as e:
        raise DataError(f"{path}: no CSV file: {e}") from None
