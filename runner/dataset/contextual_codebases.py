"""Contextual retrieval over nine code bases: 90 files in ready-made chunks, gold chunks as spans."""

from __future__ import annotations

from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Literal

from runner.config import Component
from runner.dataset import _read as read
from runner.dataset._build import Builder
from runner.dataset._problems import Bad
from runner.dataset._read import Row, field
from runner.dataset.contract import Corpus, OnBad, locate
from runner.text import one_line

Span = tuple[int, int]
Places = dict[str, tuple[str, list[Span]]]
"""By the file's digest: its doc_id, and the span of each chunk."""


class ContextualCodebases(Component):
    """A document is a source file; its chunks tile it, and `strategy=given` takes them.

    Questions are `q001` … in file order, equal ones kept. A gold chunk, named by file digest and index, is
    judged as its span, so with these chunks `R@k` is the published Pass@k. Chunks of equal text are kept too.
    """

    name: Literal["contextual_codebases"] = "contextual_codebases"
    path: str = "contextual_codebases"
    """The folder: absolute, or under the data root."""
    on_bad: OnBad = "error"
    """What a bad row does: fail the data set with file and line, or be left out and counted."""

    def sources(self) -> list[Path]:
        """The chunks and the questions."""
        folder = read.is_folder(locate(self.path))
        return [read.one_of(folder, [n]) for n in ("codebase_chunks.json", "evaluation_set.slim.jsonl")]

    def load(self) -> Corpus:
        """Read and check everything."""
        files, questions = self.sources()
        build = Builder(self.on_bad)
        places: Places = {}
        build.problems.each(read.entries(files, "document"), lambda row: _document(build, row, places))
        numbered = enumerate(read.jsonl(questions, build.problems), 1)
        asked = ((place, (f"q{n:03d}", row)) for n, (place, row) in numbered)
        build.problems.each(asked, lambda pair: _question(build, *pair, places))
        return build.corpus(questions)


def _document(build: Builder, row: Row, places: Places) -> None:
    doc_id, text = field(row, "doc_id", str), field(row, "content", str)
    chunks = [read.as_object(c) for c in field(row, "chunks", list)]
    if [field(c, "original_index", int) for c in chunks] != list(range(len(chunks))):
        raise Bad("chunks out of order", f"the chunks of '{one_line(doc_id)}' are not numbered 0, 1, 2 …")
    parts = [field(c, "content", str) for c in chunks]
    if "".join(parts) != text:
        raise Bad("chunks do not tile", f"the chunks of '{one_line(doc_id)}' are not its text cut up")
    build.document(doc_id, text)
    spans = list(pairwise(accumulate(map(len, parts), initial=0)))
    for start, end in spans:
        build.chunk(doc_id, start, end)
    places[field(row, "original_uuid", str)] = (doc_id, spans)


def _question(build: Builder, query_id: str, row: Row, places: Places) -> None:
    build.query(query_id, field(row, "query", str))
    gold = ((build.problems.place, g) for g in field(row, "golden_chunk_uuids", list))
    build.problems.each(gold, lambda pair: _gold(build, query_id, pair, places))


def _gold(build: Builder, query_id: str, pair: Any, places: Places) -> None:
    if not (isinstance(pair, list) and len(pair) == 2 and type(pair[1]) is int):
        raise Bad("bad gold", f"expected a file digest and an index, found {read.describe(pair)}")
    doc_id, spans = places.get(pair[0], ("", []))
    if not 0 <= pair[1] < len(spans):
        raise Bad("unknown chunk", f"there is no chunk {pair[1]} of the file '{one_line(str(pair[0]), 20)}'")
    build.judge(query_id, doc_id, *spans[pair[1]])
