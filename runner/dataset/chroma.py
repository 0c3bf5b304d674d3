"""The data of Chroma's chunking evaluation: five long texts, questions with exact character spans as gold."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from runner.config import Component
from runner.dataset import _read as read
from runner.dataset._build import Builder
from runner.dataset._problems import Bad
from runner.dataset._read import Row, field
from runner.dataset.contract import Corpus, OnBad, locate
from runner.errors import DataError
from runner.text import one_line

CORPORA = ("chatlogs", "finance", "pubmed", "state_of_the_union", "wikitexts")
_COLUMNS = {"question", "references", "corpus_id"}


class Chroma(Component):
    """Each text is one document, `doc_id` its corpus id. Questions are `<corpus_id>-001`, … in file order.

    The file's offsets are code points already; each must hold exactly the reference's own text.
    """

    name: Literal["chroma"] = "chroma"
    path: str = "chroma"
    """The folder: absolute, or under the data root."""
    on_bad: OnBad = "error"
    """What a bad row does: fail the data set with file and line, or be left out and counted."""

    def sources(self) -> list[Path]:
        """The five texts and the questions."""
        folder = read.is_folder(locate(self.path))
        return [read.one_of(folder, [n]) for n in (*(f"{c}.md" for c in CORPORA), "questions_df.csv")]

    def load(self) -> Corpus:
        """Read and check everything."""
        *texts, questions = self.sources()
        build = Builder(self.on_bad)
        files = ((f"{p}:1", p) for p in texts)
        build.problems.each(files, lambda p: build.document(p.stem, read.text_file(p)))
        counts = dict.fromkeys(CORPORA, 0)
        build.problems.each(_rows(questions), lambda row: _question(build, row, counts))
        return build.corpus(questions)


def _rows(path: Path) -> Iterator[tuple[str, Row]]:
    """`(place, row)` for each row of the CSV; a row ends at the line that is given."""
    try:
        reader = csv.DictReader(io.StringIO(read.text_file(path), newline=""), strict=True)
        if _COLUMNS - set(reader.fieldnames or ()):
            raise DataError(f"{path}:1: expected the columns {', '.join(sorted(_COLUMNS))}")
        for row in reader:
            yield f"{path}:{reader.line_num}", row
    except (csv.Error, Bad) as e:
        raise DataError(f"{path}: no CSV file: {e}") from None


def _question(build: Builder, row: Row, counts: dict[str, int]) -> None:
    corpus_id = field(row, "corpus_id", str)
    if corpus_id not in counts:
        known = ", ".join(CORPORA)
        raise Bad("unknown document", f"`corpus_id` is '{one_line(corpus_id)}', which is none of {known}")
    counts[corpus_id] += 1
    query_id = f"{corpus_id}-{counts[corpus_id]:03d}"
    references = field({"references": read.parse(field(row, "references", str))}, "references", list)
    build.query(query_id, field(row, "question", str))
    places = ((build.problems.place, r) for r in references)
    build.problems.each(places, lambda r: _reference(build, query_id, corpus_id, read.as_object(r)))


def _reference(build: Builder, query_id: str, corpus_id: str, reference: Row) -> None:
    start, end = field(reference, "start_index", int), field(reference, "end_index", int)
    text = build.judged_text(query_id, corpus_id)
    if not 0 <= start < end or text[start:end] != field(reference, "content", str):
        raise Bad("wrong span", f"[{start}, {end}) of '{corpus_id}' is not what `content` says")
    build.judge(query_id, corpus_id, start, end)
