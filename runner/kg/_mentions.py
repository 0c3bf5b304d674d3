"""Where a corpus names something: every rule read over every sentence, and one mention where they overlap."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from runner.kg import _definitions, _names, _spacy
from runner.kg._names import Found
from runner.kg._words import FUNCTION, Usage, Word, is_capital, is_titled, parts, words
from runner.sentences import Span

CONFIDENCE: Mapping[str, float] = {
    "title": 0.95,
    "name": 0.9,
    "long": 0.9,
    "short": 0.9,
    "word": 0.8,
    "acronym": 0.8,
    "code": 0.7,
    "term": 0.6,
    "first": 0.4,
}
"""By rule; by hand, in the order in which their mentions meet gold (tests/bench/extraction_quality.py).

The last is a word that is written large only where a sentence begins: as often as not it is no name.
"""
MODEL = 0.95
"""Of what the model finds."""
_INTRODUCES = ("term", "long")
"""Rules whose finds are looked for everywhere."""
_ASIDE = re.compile(r"\s*\([^()]*\)\Z")
_TITLE = 6
"""Words that a title may have to be a name: `Theodred II`, and no sentence."""


@dataclass(slots=True)
class Read:
    """What was found in one document."""

    doc_id: str
    text: str
    sentences: Sequence[Span]
    found: list[Found] = field(default_factory=list)
    spelt: list[tuple[str, str]] = field(default_factory=list)
    """Short and long form of every acronym that it spells out."""

    def introduced(self) -> Iterator[str]:
        """Terms to look for everywhere; not its title: `Home is a film` says nothing of homes elsewhere."""
        titles = {self.text[f.start : f.end] for f in self.found if f.rule == "title"}
        terms = (self.text[f.start : f.end] for f in self.found if f.rule in _INTRODUCES)
        return (term for term in terms if term not in titles)


def read(documents: Sequence[tuple[str, str, str]], *, model: bool) -> list[Read]:
    """What `(doc_id, text, title)` name; mentions do not overlap and are in the order of the text."""
    done = [Read(doc_id, text, parts(text, title)) for doc_id, text, title in documents]
    usage = Usage()
    for one in done:
        usage.read(one.text, one.sentences)
    for one, (_, _, title) in zip(done, documents, strict=True):
        one.found += _titled(one.text, title)
        _apply(one, usage)
    lexicon = _Lexicon(term for one in done for term in one.introduced())
    given = _spacy.entities([(one.text, one.sentences) for one in done]) if model else [[] for _ in done]
    for one, more in zip(done, given, strict=True):
        one.found = _apart([*one.found, *lexicon.find(one.text, one.sentences), *more])
    return done


def confidence(rule: str) -> float:
    """Of a mention by the rule that found it; a rule that is not listed is a label of the model."""
    return CONFIDENCE.get(rule, MODEL)


def entity_type(rule: str) -> str:
    """What can be known of it: `acronym`, the label of the model, else `term`."""
    if rule in ("acronym", "short"):
        return "acronym"
    return "term" if rule in CONFIDENCE else rule


def _titled(text: str, title: str) -> Iterator[Found]:
    """The title, where the text begins with it and it is a name; `(film)` behind it is no part of it."""
    name = _ASIDE.sub("", title)
    found = words(name, 0, len(name))
    named = 0 < len(found) <= _TITLE and is_titled(text, title) and is_capital(found[0].text)
    if named and all(is_capital(w.text) or w.text in FUNCTION or w.text[0].isdigit() for w in found):
        yield Found(found[0].start, found[-1].end, "title")


def _apply(one: Read, usage: Usage) -> None:
    for sentence in one.sentences:
        one.found += _names.names(one.text, sentence, usage)
        one.found += _definitions.terms(one.text, sentence)
        for long, short in _definitions.acronyms(one.text, sentence):
            one.found += [Found(*long, "long"), Found(*short, "short")]
            one.spelt.append((one.text[slice(*short)], one.text[slice(*long)]))


def _apart(found: Sequence[Found]) -> list[Found]:
    """Of mentions that overlap the longest, then the most confident, then the first."""
    ranked = sorted(set(found), key=lambda f: (f.start - f.end, -confidence(f.rule), f))
    kept: list[Found] = []
    taken: set[int] = set()
    for one in ranked:
        here = range(one.start, one.end)
        if taken.isdisjoint(here):
            taken.update(here)
            kept.append(one)
    return sorted(kept)


class _Lexicon:
    """Terms that some sentence introduces, found wherever they stand, large or small."""

    def __init__(self, terms: Iterator[str]) -> None:
        self._by_first: dict[str, list[list[str]]] = {}
        for term in sorted({tuple(_lower(t)) for t in terms}, key=lambda t: (-len(t), t)):
            if term:
                self._by_first.setdefault(term[0], []).append(list(term))

    def find(self, text: str, sentences: Sequence[Span]) -> Iterator[Found]:
        """The terms of each sentence, the longest at each word."""
        for sentence in sentences if self._by_first else ():
            yield from self._within(text, words(text, *sentence))

    def _within(self, text: str, found: Sequence[Word]) -> Iterator[Found]:
        low = [w.text.casefold() for w in found]
        for i, word in enumerate(low):
            for term in self._by_first.get(word, ()):
                last = i + len(term)
                if low[i:last] == term and "\n" not in text[found[i].start : found[last - 1].end]:
                    yield Found(found[i].start, found[last - 1].end, "term")
                    break


def _lower(term: str) -> list[str]:
    return [w.text.casefold() for w in words(term, 0, len(term))]
