"""Building a corpus: rows go in and are checked, sorted frames with the records' columns come out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import polars as pl

from runner import tables
from runner.dataset._problems import Bad, Problems
from runner.dataset._read import describe
from runner.dataset.contract import Corpus, OnBad
from runner.errors import DataError
from runner.keys import canonical
from runner.records import Document, GivenChunk, Judgment, Query, SituatingText
from runner.text import is_blank, one_line

GRADES = range(-(2**31), 2**31)


class Builder:
    """A corpus in the making. Its methods raise `Bad` for a row that cannot be part of one.

    Documents and queries come before the judgments, which may name nothing else.
    """

    def __init__(self, on_bad: OnBad) -> None:
        self.problems = Problems(on_bad)
        self._documents: dict[str, tuple[str, str, str]] = {}
        self._queries: dict[str, tuple[str, str]] = {}
        self._judgments: dict[tuple[str, str, int | None, int | None], int] = {}
        self._chunks: dict[tuple[str, int, int], None] = {}
        self._situating: dict[tuple[str, int | None, int | None], str] = {}
        self.places: dict[tuple[object, ...], str] = {}
        """Where each kept row was read; see `Corpus.places`."""
        self._first: dict[str, str] = {}

    def document(
        self, doc_id: str, text: str, title: str = "", metadata: dict[str, Any] | None = None
    ) -> None:
        """Add a document; `text` is kept as it is. Null values of `metadata` are left out."""
        self.new("doc_id", doc_id)
        if is_blank(text):
            raise Bad("blank document", f"document '{one_line(doc_id)}' has no text")
        kept = (encodable("text", text), encodable("title", title), _metadata(metadata or {}))
        self._documents[doc_id] = kept
        self.places["doc_id", doc_id] = self.problems.place

    def query(self, query_id: str, text: str, tags: Sequence[Any] = ()) -> None:
        """Add a query."""
        self.new("query_id", query_id)
        if is_blank(text):
            raise Bad("blank query", f"query '{one_line(query_id)}' has no text")
        if any(not isinstance(t, str) for t in tags):
            raise Bad("wrong type of tags", f"`tags` must be a list of text, found {describe(list(tags))}")
        self._queries[query_id] = (encodable("text", text), encodable("tags", canonical(list(tags))))
        self.places["query_id", query_id] = self.problems.place

    def is_judged(self, query_id: str, doc_id: str, start: int | None, end: int | None) -> bool:
        """True when exactly this is judged already."""
        return (query_id, doc_id, start, end) in self._judgments

    def judged_text(self, query_id: str, doc_id: str) -> str:
        """The text of the document that a judgment is about. Raises Bad when it or the query is unknown."""
        if query_id not in self._queries:
            raise Bad("unknown query", f"judges query '{one_line(query_id)}', which there is not")
        if doc_id not in self._documents:
            raise Bad("unknown document", f"judges document '{one_line(doc_id)}', which there is not")
        return self._documents[doc_id][0]

    def judge(
        self, query_id: str, doc_id: str, start: int | None = None, end: int | None = None, grade: int = 1
    ) -> None:
        """Add a judgment of the code points `[start, end)` of a document, or of all of it (both None)."""
        self.judged_text(query_id, doc_id)
        self.part(doc_id, start, end)
        if grade not in GRADES:
            raise Bad("grade out of range", f"grade {one_line(str(grade), 20)} is beyond 32 bits")
        key = (query_id, doc_id, start, end)
        if key in self._judgments:
            raise Bad("duplicate judgment", f"query '{one_line(query_id)}' has this judgment already")
        self._judgments[key] = grade
        self.places[key] = self.problems.place
        self._first.setdefault("document" if start is None else "span", self.problems.place)

    def chunk(self, doc_id: str, start: int, end: int) -> None:
        """Add a chunk that the data set brings along: the code points `[start, end)` of a document."""
        if doc_id not in self._documents:
            raise Bad("unknown document", f"cuts document '{one_line(doc_id)}', which there is not")
        length = len(self._documents[doc_id][0])
        if not 0 <= start < end <= length:
            reason = f"chunk [{start}, {end}) is not within the {length} code points of '{one_line(doc_id)}'"
            raise Bad("chunk out of range", reason)
        if (doc_id, start, end) in self._chunks:
            raise Bad("duplicate chunk", f"'{one_line(doc_id)}' has the chunk [{start}, {end}) already")
        self._chunks[doc_id, start, end] = None

    def part(self, doc_id: str, start: int | None, end: int | None) -> str:
        """The text of a part of a document, for what stands beside the judgments; both None: all of it.

        Raises:
            Bad: there is no such document, or no such part of it.
        """
        if doc_id not in self._documents:
            raise Bad("unknown document", f"names document '{one_line(doc_id)}', which there is not")
        text = self._documents[doc_id][0]
        if start is None and end is None:
            return text
        if start is None or end is None:
            raise Bad("half a span", "a span needs both `start` and `end`")
        if not 0 <= start < end <= len(text):
            reason = (
                f"span [{start}, {end}) is not within the {len(text)} code points of '{one_line(doc_id)}'"
            )
            raise Bad("span out of range", reason)
        return text[start:end]

    def situate(self, doc_id: str, text: str, start: int | None = None, end: int | None = None) -> None:
        """Add a ready-made text that says where a part of a document, or (both None) all of it, stands."""
        self.part(doc_id, start, end)
        if is_blank(text):
            raise Bad("blank situating text", f"the situating text of '{one_line(doc_id)}' is blank")
        if (doc_id, start, end) in self._situating:
            reason = f"this part of '{one_line(doc_id)}' has a situating text already"
            raise Bad("duplicate situating text", reason)
        self._situating[doc_id, start, end] = encodable("text", text)

    def corpus(self, source: object) -> Corpus:
        """Everything that was added, as sorted frames; `source` names the data set in errors.

        Raises:
            DataError: rows were refused and are not to be skipped; spans and documents are both judged; there
                is no document at all.
        """
        self.problems.check()
        if len(self._first) == 2:
            both = " and ".join(f"a {what} is judged at {at}" for what, at in sorted(self._first.items()))
            raise DataError(f"{source}: {both}; the judgments of one data set are all of one form")
        if not self._documents:
            raise DataError(f"{source}: there is no document")
        documents = frame(Document, [(i, *rest) for i, rest in self._documents.items()])
        queries = frame(Query, [(i, *rest) for i, rest in self._queries.items()])
        judgments = frame(Judgment, [(*key, grade) for key, grade in self._judgments.items()])
        situating = frame(SituatingText, [(d, t, s, e) for (d, s, e), t in self._situating.items()])
        return Corpus(
            documents.sort("doc_id"),
            queries.sort("query_id"),
            judgments.sort(judgments.columns),
            dict(sorted(self.problems.rejected.items())),
            self.places,
            frame(GivenChunk, sorted(self._chunks)) if self._chunks else None,
            situating.sort(situating.columns) if self._situating else None,
        )

    def new(self, what: str, name: str) -> None:
        """Refuse an id that is blank, no Unicode or taken; whoever keeps the row notes it in `places`."""
        if is_blank(name):
            raise Bad(f"blank {what}", f"`{what}` is blank")
        encodable(what, name)
        if (what, name) in self.places:
            reason = f"{what} '{one_line(name)}' is taken, see {self.places[what, name]}"
            raise Bad(f"duplicate {what}", reason)


def is_flat(value: Any) -> bool:
    """True for what metadata may hold: a finite scalar or a list of text."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, list):
        return all(isinstance(v, str) for v in value)
    return isinstance(value, str | int)


def _metadata(metadata: dict[str, Any]) -> str:
    if not metadata:
        return "{}"
    for key, value in metadata.items():
        if value is not None and not is_flat(value):
            reason = f"metadata `{one_line(str(key))}` must be text, a number, true/false or a list of text"
            raise Bad("wrong type of metadata", f"{reason}, found {describe(value)}")
    return encodable("metadata", canonical({k: v for k, v in metadata.items() if v is not None}))


def encodable(what: str, text: str) -> str:
    """`text`, which must be Unicode: JSON can spell half of a surrogate pair, and that is no character."""
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as e:
            reason = f"`{what}` holds half of a surrogate pair at code point {e.start}"
            raise Bad("not Unicode", reason) from None
    return text


def frame(record: type, rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    """`rows`, each the plain fields of `record` in order, as a table."""
    schema = tables.schema(record)
    columns = zip(*rows, strict=True) if rows else ([] for _ in schema)
    return pl.DataFrame(dict(zip(schema, map(list, columns), strict=True)), schema=schema)
