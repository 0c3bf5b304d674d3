"""SQuAD 1.1 JSON: paragraphs or whole articles, answers as gold spans or as judgments of their document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from runner.config import Component
from runner.dataset import _read as read
from runner.dataset._build import Builder
from runner.dataset._problems import Bad
from runner.dataset._read import Row, field
from runner.dataset.contract import Corpus, OnBad, locate
from runner.errors import DataError, RequestError
from runner.text import one_line

BREAK = "\n\n"
"""What joins the paragraphs of an article."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A paragraph within its document: position `p` of `context` is position `p + shift` of the document."""

    doc_id: str
    context: str
    shift: int
    questions: list[Any]


class Squad(Component):
    """A SQuAD file. A question without an answer (SQuAD 2.0) stays, without judgments.

    For MTEB's retrieval form: `layout: paragraphs`, `gold: documents`, `unique_questions: true`.
    """

    name: Literal["squad"] = "squad"
    path: str = Field(min_length=1)
    """The file (`.json` or `.json.gz`): absolute, or under the data root."""
    layout: Literal["paragraphs", "articles"] = "articles"
    """`paragraphs`: each, stripped, is a document (`<article>/001`); `articles`: joined by an empty line."""
    gold: Literal["spans", "documents"] = "spans"
    """What is judged: an answer's code points, or the document that holds it (then spans are not checked)."""
    unique_questions: bool = False
    """Strip questions and join those with equal text into the first of them."""
    on_bad: OnBad = "error"
    """What a bad answer does: fail the data set with the question's id, or be left out and counted."""

    def sources(self) -> list[Path]:
        """The one file."""
        path = locate(self.path)
        if path.is_dir():
            raise RequestError(f"dataset.path: '{path}' is a folder; this data set is one .json(.gz) file")
        return [path]

    def load(self) -> Corpus:
        """Read and check everything."""
        (path,) = self.sources()
        build = Builder(self.on_bad)
        try:
            data = read.parse(read.text_file(path))
            articles = field(data if isinstance(data, dict) else {}, "data", list)
        except Bad as bad:
            raise DataError(f"{path}: no SQuAD file: {bad.reason}") from None
        pieces: list[_Piece] = []
        numbered = ((f"{path}: article {n}", (n, a)) for n, a in enumerate(articles, 1))
        build.problems.each(numbered, lambda article: pieces.extend(self._article(build, *article)))
        known: dict[str, str] = {}
        build.problems.each(_questions(path, pieces), lambda asked: self._question(build, *asked, known))
        return build.corpus(path)

    def _article(self, build: Builder, number: int, article: Any) -> list[_Piece]:
        """Add the documents of an article and say where its paragraphs are in them."""
        paragraphs = [read.as_object(p) for p in field(read.as_object(article), "paragraphs", list)]
        contexts = [field(p, "context", str) for p in paragraphs]
        questions = [field(p, "qas", list, []) for p in paragraphs]
        title = field(article, "title", str, "")
        name = title or next((_label(p, "document_id") for p in paragraphs), "") or f"article-{number:04d}"
        if self.layout == "articles":
            build.document(name, BREAK.join(contexts), title)
            shifts = accumulate((len(c) + len(BREAK) for c in contexts), initial=0)
            return [_Piece(name, *rest) for rest in zip(contexts, shifts, questions, strict=False)]
        pieces = [
            _Piece(f"{name}/{n:03d}", context, len(context.lstrip()) - len(context), asked)
            for n, (context, asked) in enumerate(zip(contexts, questions, strict=True), 1)
        ]
        named = [(f"{build.problems.place}, paragraph {n}", p) for n, p in enumerate(pieces, 1)]
        metadata = {"article": name}
        build.problems.each(named, lambda p: build.document(p.doc_id, p.context.strip(), title, metadata))
        return pieces

    def _question(self, build: Builder, piece: _Piece, asked: Row, known: dict[str, str]) -> None:
        """Add a question (or, to be unique, join it to one of the same text) and judge its answers."""
        query_id, text = _label(asked, "id"), field(asked, "question", str)
        if not query_id:
            raise Bad("missing id", "a question has no `id`")
        if self.unique_questions:
            text = text.strip()
        if self.unique_questions and text in known:
            query_id = known[text]
        else:
            build.query(query_id, text)
            known[text] = query_id
        answers = ((build.problems.place, a) for a in field(asked, "answers", list, []))
        build.problems.each(answers, lambda a: self._answer(build, query_id, piece, read.as_object(a)))

    def _answer(self, build: Builder, query_id: str, piece: _Piece, answer: Row) -> None:
        """Judge what an answer points at; where annotators agree that is one judgment."""
        length = len(build.judged_text(query_id, piece.doc_id))
        spot = _span(answer, piece, length) if self.gold == "spans" else (None, None)
        if not build.is_judged(query_id, piece.doc_id, *spot):
            build.judge(query_id, piece.doc_id, *spot)


def _questions(path: Path, pieces: list[_Piece]) -> Iterator[tuple[str, tuple[_Piece, Row]]]:
    for piece in pieces:
        for n, asked in enumerate(piece.questions, 1):
            row = asked if isinstance(asked, dict) else {}
            name = _label(row, "id") or f"{n} of '{piece.doc_id}'"
            yield f"{path}: question {one_line(name)}", (piece, row)


def _span(answer: Row, piece: _Piece, end: int) -> tuple[int, int]:
    """The span of an answer in its document of `end` code points; blanks that stripping took are cut off."""
    text, at = field(answer, "text", str), field(answer, "answer_start", int)
    found = piece.context[max(at, 0) : max(at, 0) + len(text)]
    if at < 0 or not text or found != text:
        places = [m.start() for m in re.finditer(re.escape(text), piece.context)] if text else []
        nearest = min(places, key=lambda p: abs(p - at), default=None)
        mend = "which does not occur" if nearest is None else f"which begins at {nearest}"
        raise Bad("wrong span", f"the text at {at} is not the answer {read.describe(text)}, {mend}")
    return max(at + piece.shift, 0), min(at + len(text) + piece.shift, end)


def _label(row: Row, key: str) -> str:
    value = row.get(key)
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
