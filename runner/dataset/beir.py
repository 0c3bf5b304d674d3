"""BEIR folders as they are: corpus, queries and the qrels of one split, judged by document."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import Field

from runner.config import Component
from runner.dataset import _qrels
from runner.dataset import _read as read
from runner.dataset._build import Builder, is_flat
from runner.dataset._qrels import Qrel
from runner.dataset._read import Row, field
from runner.dataset.contract import Corpus, OnBad, locate
from runner.errors import DataError, RequestError, did_you_mean

Rows = Iterable[tuple[str, Row]]
"""`(place, row)`."""


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
        return self.assemble(
            build,
            documents=read.jsonl(corpus, build.problems),
            queries=read.jsonl(queries, build.problems),
            judgments=_qrels.qrels(qrels, build.problems),
            source=qrels,
        )

    def assemble(
        self,
        build: Builder,
        *,
        documents: Rows,
        queries: Rows,
        judgments: Iterable[tuple[str, Qrel]],
        source: Path,
    ) -> Corpus:
        """The corpus of rows in BEIR's fields, wherever they were read; `source` names the judgments."""
        build.problems.each(documents, lambda row: self._document(build, row))
        judgments = list(judgments)
        judged = {query_id for _, (query_id, _, _) in judgments}
        if not judged:
            build.problems.check()
            raise DataError(f"{source}: there is no judgment")
        build.problems.each(queries, lambda row: self._query(build, row, judged))
        build.problems.each(judgments, lambda qrel: build.judge(qrel[0], qrel[1], grade=qrel[2]))
        return build.corpus(source)

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
