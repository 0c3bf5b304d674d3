"""A documentation in 232 heading chunks, each with a ready-made summary, and gold chunks of 100 questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Literal

from runner.config import Component
from runner.dataset import _read as read
from runner.dataset._build import Builder
from runner.dataset._read import Row, field
from runner.dataset.contract import Corpus, OnBad, locate


class DocsRag(Component):
    """A heading chunk is a document (`strategy=document`), `doc_id` its link, `title` its heading.

    The pages themselves are not in the data, so there is nothing to cut chunks from. Gold is of documents.
    The summary is its situating text, for an enrichment to say in the embedding input; `text` can put it
    into the text instead, as the published experiment did.
    """

    version: ClassVar[int] = 2
    name: Literal["docs_rag"] = "docs_rag"
    path: str = "docs_rag"
    """The folder: absolute, or under the data root."""
    text: Literal["heading_text", "heading_summary_text", "heading_text_summary", "text"] = "heading_text"
    """What a document's text is made of, parts joined by a line break."""
    on_bad: OnBad = "error"
    """What a bad row does: fail the data set with its place, or be left out and counted."""

    def sources(self) -> list[Path]:
        """The chunks with summaries, and the questions."""
        folder = read.is_folder(locate(self.path))
        names = ("anthropic_summary_indexed_docs.json", "docs_evaluation_dataset.json")
        return [read.one_of(folder, [n]) for n in names]

    def load(self) -> Corpus:
        """Read and check everything."""
        chunks, questions = self.sources()
        build = Builder(self.on_bad)
        build.problems.each(read.entries(chunks, "chunk"), lambda row: self._document(build, row))
        build.problems.each(read.entries(questions, "question"), lambda row: _question(build, row))
        return build.corpus(questions)

    def _document(self, build: Builder, row: Row) -> None:
        parts = {p: field(row, k, str) for p, k in
                 (("heading", "chunk_heading"), ("text", "text"), ("summary", "summary"))}  # fmt: skip
        text = "\n".join(parts[p] for p in self.text.split("_"))
        doc_id = field(row, "chunk_link", str)
        build.document(doc_id, text, parts["heading"])
        build.situate(doc_id, parts["summary"])


def _question(build: Builder, row: Row) -> None:
    query_id = field(row, "id", str)
    build.query(query_id, field(row, "question", str))
    gold = ((build.problems.place, g) for g in field(row, "correct_chunks", list))
    build.problems.each(gold, lambda link: _gold(build, query_id, link))


def _gold(build: Builder, query_id: str, link: Any) -> None:
    build.judge(query_id, field({"correct_chunks": link}, "correct_chunks", str))
