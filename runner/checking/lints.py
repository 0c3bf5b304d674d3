"""Lints: what may be wrong with a data set that loads. Each is a function from a corpus to findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from runner.checking.findings import Finding, Places, Severity
from runner.checking.near_duplicates import LEAST, MOST, Passage, Shingles
from runner.dataset.contract import Corpus
from runner.text import one_line
from runner.tokenizer.contract import Tokens

ENOUGH = 30
"""Questions with gold; see `runner.statistics.power`."""
MOSTLY = 0.9
NAMED = 5
"""Ids that one finding names; the others it counts."""


@dataclass(frozen=True)
class Case:
    """A corpus under examination."""

    corpus: Corpus
    places: Places
    size: int
    """Units in a chunk."""
    tokens: Tokens | None
    """Counts the units; None: they are characters."""

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Text by doc_id, in the order of the frame."""
        return dict(self.corpus.documents.select("doc_id", "text").iter_rows())

    @cached_property
    def gold(self) -> Sequence[tuple[str, str, int | None, int | None]]:
        """Judgments that say an item is relevant: query, document, start, end."""
        relevant = self.corpus.judgments.filter(pl.col("grade") >= 1)
        return relevant.select("query_id", "doc_id", "start", "end").rows()

    @cached_property
    def passages(self) -> Sequence[Passage]:
        """Of each of `gold`; a judged document is a passage as a whole."""
        number = {doc: i for i, doc in enumerate(self.texts)}
        return [
            (number[doc], 0 if start is None else start, len(self.texts[doc]) if end is None else end)
            for _, doc, start, end in self.gold
        ]

    @cached_property
    def shingles(self) -> Shingles:
        """Of all texts."""
        return Shingles(list(self.texts.values()))

    def finding(
        self, lint: str, key: tuple[object, ...], what: str, cure: str, severity: Severity = "warning"
    ) -> Finding:
        """A finding about what a loader read at the place of `key`."""
        file, line = self.places.of(self.corpus.places.get(key, ""))
        return Finding(severity, lint, file, line, what, cure)

    def where(self, key: tuple[object, ...]) -> str:
        """The line of another row, in brackets, where it is known."""
        file, line = self.places.of(self.corpus.places.get(key, ""))
        return "" if line is None else f" ({file}:{line})"


def duplicate_questions(case: Case) -> Iterator[Finding]:
    """Equal after stripping, case folding and joining white space."""
    rows = case.corpus.queries.select("query_id", "text").rows()
    for first, other in _equal(rows):
        yield case.finding(
            "duplicate question",
            ("query_id", other),
            f"'{one_line(other)}' asks what '{one_line(first)}' asks{case.where(('query_id', first))}",
            "remove one and give the other the gold of both: the question counts twice in every mean",
        )


def duplicate_documents(case: Case) -> Iterator[Finding]:
    """Equal after stripping, case folding and joining white space."""
    judged = set(case.corpus.judgments["doc_id"])
    for first, other in _equal(list(case.texts.items())):
        gold = " and one of them is gold" if {first, other} & judged else ""
        yield case.finding(
            "duplicate document",
            ("doc_id", other),
            f"'{one_line(other)}' has the text of '{one_line(first)}'{case.where(('doc_id', first))}{gold}",
            "remove one, or judge both: whichever is retrieved, the other takes up a place",
        )


def _equal(rows: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """`(first, other)` ids for each row whose text is that of an earlier one."""
    seen: dict[str, str] = {}
    for name, text in rows:
        first = seen.setdefault(" ".join(text.casefold().split()), name)
        if first != name:
            yield first, name


def unfindable_documents(case: Case) -> Iterator[Finding]:
    """Documents without a letter or digit. Blank ones are refused by every loader already."""
    for doc_id, text in case.texts.items():
        if not any(c.isalnum() for c in text):
            yield case.finding(
                "no words",
                ("doc_id", doc_id),
                f"'{one_line(doc_id)}' has no letter and no digit: no chunk of it can be found by words",
                "give it text or remove it",
            )


def long_gold(case: Case) -> Iterator[Finding]:
    """Questions with a span of gold that is longer than any chunk; the longest is named."""
    spans = [g for g in case.gold if g[2] is not None]
    counts = _units(case, [case.texts[doc][start:end] for _, doc, start, end in spans])
    longest: dict[str, int] = {}
    for i in np.flatnonzero(counts > case.size).tolist():
        best = longest.setdefault(spans[i][0], i)
        if counts[i] > counts[best]:
            longest[spans[i][0]] = i
    unit = "characters" if case.tokens is None else "words (tokenizer `words`)"
    for query, i in longest.items():
        _, doc, start, end = spans[i]
        yield case.finding(
            "gold longer than a chunk",
            spans[i],
            f"'{one_line(query)}': [{start}, {end}) of '{one_line(doc)}' has {counts[i]} {unit}, no chunk of "
            f"{case.size} can hold it",
            "judge the sentences that answer as spans of their own, or read SpanR and not Success",
        )


def _units(case: Case, texts: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    if case.tokens is None:
        return np.array([len(t) for t in texts], np.int64)
    return case.tokens.counts(texts)


def repeated_gold(case: Case) -> Iterator[Finding]:
    """Gold that other passages, which its question does not have as gold, repeat nearly word for word."""
    ids = list(case.texts)
    of_query: dict[str, list[Passage]] = {}
    for (query, *_), passage in zip(case.gold, case.passages, strict=True):
        of_query.setdefault(query, []).append(passage)
    for row, passage in zip(case.gold, case.passages, strict=True):
        query, doc, _, _ = row
        found = case.shingles.repeats(passage, of_query[query])
        if found:
            at = found[0]
            many = f"{len(found)}{' or more' if len(found) == MOST else ''} other "
            many += "passage repeats" if len(found) == 1 else "passages repeat"
            yield case.finding(
                "gold repeated elsewhere",
                row,
                f"'{one_line(query)}': {many} its gold in '{one_line(doc)}' nearly word for word, first "
                f"[{at.start}, {at.end}) of '{one_line(ids[at.text])}' ({at.share:.0%} of its word triples)",
                "judge those passages as well, or remove the copies: retrieving one counts as a miss",
            )


def short_gold(case: Case) -> int:
    """How many judgments are too short for `repeated_gold`."""
    if not case.passages:
        return 0
    return sum(last - first < LEAST for first, last in map(case.shingles.words, case.passages))


def no_gold(case: Case) -> Iterator[Finding]:
    """Queries that no judgment calls anything relevant for: they are answered and not measured."""
    relevant = {g[0] for g in case.gold}
    without = [q for q in case.corpus.queries["query_id"] if q not in relevant]
    if without:
        named = ", ".join(f"'{one_line(q)}'" for q in without[:NAMED])
        more = f" and {len(without) - NAMED} more" if len(without) > NAMED else ""
        total = case.corpus.queries.height
        yield case.finding(
            "query without gold",
            ("query_id", without[0]),
            f"{len(without)} of {total} queries have no relevant judgment: {named}{more}",
            "judge them, or remove them: they are run and then left out of every measure",
        )


def mixed_grades(case: Case) -> Iterator[Finding]:
    """More than one grade."""
    grades = case.corpus.judgments["grade"].value_counts().sort("grade").rows()
    if len(grades) > 1:
        said = ", ".join(f"{grade} ({count})" for grade, count in grades)
        rare = min(grades, key=lambda g: (g[1], -g[0]))[0]
        row = case.corpus.judgments.filter(grade=rare).row(0)[:4]
        yield case.finding(
            "mixed grades",
            row,
            f"judgments have the grades {said}; here is the first of grade {rare}",
            "nDCG weighs grades, every other measure takes 1 and above alike, and below 1 as not relevant: "
            "make them equal if that is not meant",
        )


def few_questions(case: Case) -> Iterator[Finding]:
    """So few with gold that hardly any difference between set-ups can be told from chance."""
    judged = len({query for query, *_ in case.gold})
    if 0 < judged < ENOUGH:
        yield Finding(
            "warning", "few questions", None, None,
            f"{judged} questions have gold; with fewer than {ENOUGH} only large differences can be decided",
            "ask more; `plan --power` says what a number of questions can decide",
        )  # fmt: skip


def whole_in_a_chunk(case: Case) -> Iterator[Finding]:
    """Documents so short that most strategies leave them whole."""
    sizes = _units(case, list(case.texts.values())).tolist()
    short = sum(n <= case.size for n in sizes)
    if sizes and short / len(sizes) >= MOSTLY:
        yield Finding(
            "warning", "documents as short as chunks", None, None,
            f"{short} of {len(sizes)} documents fit a chunk of {case.size} units; they are left whole",
            "compare smaller sizes (--size says which is meant here), or take longer documents",
        )  # fmt: skip


LINTS = (
    few_questions, whole_in_a_chunk,
    duplicate_questions, duplicate_documents, unfindable_documents,
    long_gold, repeated_gold, no_gold, mixed_grades,
)  # fmt: skip
