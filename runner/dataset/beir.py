"""BEIR folders as they are: corpus, queries and the qrels of one split, judged by document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field

from runner.config import Component
from runner.dataset import _read as read
from runner.dataset._build import Builder, is_flat
from runner.dataset._read import Bad, Problems, Row, field
from runner.dataset.contract import Corpus, OnBad, locate
from runner.errors import DataError, RequestError, did_you_mean

Qrel = tuple[str, str, int]


class Beir(Component):
    """`corpus.jsonl`, `queries.jsonl` (each also `.gz`) and `qrels/<split>.tsv`.

    As in BEIR and MTEB, queries are stripped and only those that the split judges are kept; the others are
    counted in `Corpus.rejected`. Fields that BEIR does not know are ignored, as is metadata that is not flat.
    """

    name: Literal["beir"] = "beir"
    path: str = Field(min_length=1)
    """The folder: absolute, or under the data root."""
    split: str = Field("test", pattern=r"^[^/\\]+$")
    """Which judgments: `qrels/<split>.tsv`."""
    title: Literal["prepend", "separate"] = "prepend"
    """`prepend`: text = title + " " + text, as in published figures; `separate`: kept beside it."""
    on_bad: OnBad = "error"
    """What a bad row does: fail the data set with file and line, or be left out and counted."""

    def sources(self) -> list[Path]:
        """Corpus, queries and qrels."""
        folder = read.is_folder(locate(self.path))
        files = [read.one_of(folder, [n, f"{n}.gz"]) for n in ("corpus.jsonl", "queries.jsonl")]
        qrels = folder / "qrels" / f"{self.split}.tsv"
        if not qrels.is_file():
            splits = [p.stem for p in (folder / "qrels").glob("*.tsv")]
            raise RequestError(f"dataset.split: {qrels} is not there; {did_you_mean(self.split, splits)}")
        return [*files, qrels]

    def load(self) -> Corpus:
        """Read and check everything."""
        corpus, queries, qrels = self.sources()
        build = Builder(self.on_bad)
        build.problems.each(read.jsonl(corpus, build.problems), lambda row: self._document(build, row))
        judgments = list(_qrels(qrels, build.problems))
        judged = {query_id for _, (query_id, _, _) in judgments}
        if not judged:
            build.problems.check()
            raise DataError(f"{qrels}: there is no judgment")
        build.problems.each(read.jsonl(queries, build.problems), lambda row: self._query(build, row, judged))
        build.problems.each(judgments, lambda qrel: build.judge(qrel[0], qrel[1], grade=qrel[2]))
        return build.corpus(qrels)

    def _document(self, build: Builder, row: Row) -> None:
        title, text = field(row, "title", str, ""), field(row, "text", str)
        # Many a BEIR document has a title and no text, or the reverse: no stray blank then.
        whole = (f"{title} {text}" if title and text else title or text) if self.title == "prepend" else text
        metadata = {k: v for k, v in field(row, "metadata", dict, {}).items() if is_flat(v)}
        build.document(field(row, "_id", str), whole, title, metadata)

    def _query(self, build: Builder, row: Row, judged: set[str]) -> None:
        query_id = field(row, "_id", str)
        if query_id in judged:
            build.query(query_id, field(row, "text", str).strip())
        else:
            build.problems.rejected[f"query not judged in split {self.split}"] += 1


def _qrels(path: Path, problems: Problems) -> Iterator[tuple[str, Qrel]]:
    """`(place, (query_id, doc_id, grade))`; with or without a header, three columns or TREC's four."""
    first = True
    for number, line in enumerate(read.content(path).removeprefix(read.BOM).split(b"\n"), 1):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            cells = _cells(read.decode(line))
            if not (first and not _is_integer(cells[-1])):  # a header has no number in its last column
                yield place, _qrel(cells)
        except Bad as bad:
            problems.add(bad, place)
        first = False


def _cells(line: str) -> list[str]:
    line = line.rstrip("\r")
    return [c.strip() for c in line.split("\t")] if "\t" in line else line.split()


def _qrel(cells: list[str]) -> Qrel:
    if len(cells) not in (3, 4):
        raise Bad("bad qrels line", f"expected 3 columns (or TREC's 4), found {len(cells)}")
    if not _is_integer(cells[-1]):
        raise Bad("bad grade", f"the grade must be a whole number, found {read.describe(cells[-1])}")
    return cells[0], cells[-2], int(cells[-1])


def _is_integer(cell: str) -> bool:
    return cell.isascii() and cell.removeprefix("-").isdigit() and len(cell) <= 11
