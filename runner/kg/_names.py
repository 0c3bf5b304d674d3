"""Names by their capitals: runs of capitalised words, `Bank of England`, `World War II`, `BM25`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from runner.kg._words import ARTICLES, CALENDAR, FUNCTION, Usage, Word, begins, is_acronym, is_capital, words
from runner.sentences import Span

BETWEEN = frozenset("of the de del della di da du des la le van von der den bin ibn al".split())
"""Small words that a name may hold between two capitalised ones, two of them at most."""


class Found(NamedTuple):
    """A place that names something, and the rule that says so."""

    start: int
    end: int
    rule: str


def names(text: str, sentence: Span, usage: Usage) -> Iterator[Found]:
    """The names of a sentence, left to right; a sentence of capitals alone (`READ THIS FIRST`) has none."""
    found = words(text, *sentence)
    if len(found) > 2 and all(w.text.upper() == w.text for w in found):
        return
    for first, last in _runs(text, found):
        run = _name(text, found[first:last], usage)
        if len(run) > 1 or (run and len(run[0].text) > 1):  # a letter by itself names nothing
            yield Found(run[0].start, run[-1].end, _rule(text, run, usage))


def _name(text: str, run: Sequence[Word], usage: Usage) -> Sequence[Word]:
    """The name that a run holds, without what leads in to it; a date is none."""
    start, end = 0, len(run)
    while start < end and _leads_in(text, run[start], start == 0, usage):
        start += 1
    while end - start > 1 and run[end - 1].text.lower() in FUNCTION:
        end -= 1
    dated = all(w.text.lower() in CALENDAR or w.text.isdecimal() for w in run[start:end])
    return () if dated else run[start:end]


def _leads_in(text: str, word: Word, at_start: bool, usage: Usage) -> bool:
    """Whether the first word of a run stands before the name: an article, or an ordinary word made large."""
    if at_start and begins(text, word) and not is_acronym(word.text):
        return usage.is_ordinary(word.text)
    return word.text.lower() in ARTICLES or not is_capital(word.text)


def _rule(text: str, run: Sequence[Word], usage: Usage) -> str:
    if len(run) > 1:
        return "name"
    if is_acronym(run[0].text):
        return "acronym"
    return "word" if not begins(text, run[0]) or usage.is_known(run[0].text) else "first"


def _runs(text: str, found: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """First and last (exclusive) word of every longest run; it begins and ends with capitals or a number."""
    at = 0
    while at < len(found):
        if not is_capital(found[at].text):
            at += 1
            continue
        end = at + 1
        while end < len(found):
            step = _step(text, found, end)
            if not step:
                break
            end += step
        yield at, end
        at = end


def _step(text: str, found: Sequence[Word], at: int) -> int:
    """How many words from `at` on belong to the run that ends before it; 0: none."""
    for more in range(3):
        if at + more >= len(found) or not _joined(text, found[at + more - 1], found[at + more]):
            return 0
        word = found[at + more].text
        if is_capital(word) or (not more and word.isdecimal() and len(word) <= 4):
            return more + 1
        if word not in BETWEEN:
            return 0
    return 0


def _joined(text: str, left: Word, right: Word) -> bool:
    """Whether only a blank stands between two words, or the full stop of an initial: `J. S. Bach`."""
    gap = text[left.end : right.start]
    return gap in (" ", "\xa0", " & ") or (gap == ". " and len(left.text) <= 2 and left.text[0].isupper())
