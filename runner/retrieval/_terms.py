"""Terms: how BM25 makes a text into what it matches. Rules for words, for scripts without spaces, for code.

`words` is bm25s' own rule, which published figures were made with: lower case, runs of two and more word
characters. The other two are Unicode-aware (NFKC and case folding, for matching only: no stored text changes;
combining marks belong to their word). `ngrams` cuts runs of scripts that put no spaces between words into
character n-grams and treats the rest as words. `code` does that too, and gives an identifier whole and in
parts: `os.getHTTPResponse2` is itself, `os`, `gethttpresponse2`, `get`, `http`, `response` and `2`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

Kind = Literal["words", "ngrams", "code"]
NONE = "none"

_LISTS = {
    "da": "DANISH", "de": "GERMAN", "en": "EN", "es": "SPANISH", "fr": "FRENCH", "it": "ITALIAN",
    "ko": "KOREAN", "nl": "DUTCH", "no": "NORWEGIAN", "pt": "PORTUGUESE", "ru": "RUSSIAN", "sv": "SWEDISH",
    "tr": "TURKISH", "zh": "CHINESE",
}  # fmt: skip
"""bm25s' stop word lists (NLTK's; Korean: stopwords-iso) by language."""
_STEMMERS = {
    "da": "danish", "de": "german", "en": "english", "es": "spanish", "fr": "french", "it": "italian",
    "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
"""PyStemmer's algorithms by language, for languages that have stop words too."""
NO_SPACES = ("ja", "km", "lo", "my", "th", "zh")
"""Languages written without spaces between words; they need no stemmer."""
STOPWORDS = (NONE, *_LISTS)
LANGUAGES = {
    lang: (lang if lang in _LISTS else NONE, _STEMMERS.get(lang, NONE))
    for lang in sorted({*_LISTS, *NO_SPACES, NONE})
}
"""(stop words, stemmer) by language."""

_UNSPACED = (
    (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029), (0x3031, 0x3035), (0x3038, 0x303C),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFD),  # Han
    (0x3041, 0x309F), (0x30A1, 0x30FA), (0x30FC, 0x312F), (0x31A0, 0x31BF), (0x31F0, 0x31FF),
    (0xFF66, 0xFF9F), (0x1AFF0, 0x1B16F),  # kana, bopomofo
    (0x0E01, 0x0E3A), (0x0E40, 0x0E4E), (0x0E81, 0x0ECF), (0x0EDC, 0x0EDF),  # Thai, Lao
    (0x1780, 0x17D3), (0x17D7, 0x17D7), (0x17DC, 0x17DD),  # Khmer
    (0x1000, 0x103F), (0x1050, 0x108F), (0x109A, 0x109F), (0xA9E0, 0xA9FE), (0xAA60, 0xAA7F),  # Myanmar
)  # fmt: skip
"""Code points of the scripts of `NO_SPACES`, digits left out; Hangul has spaces."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way of making terms. The terms of a text depend on that text alone."""

    kind: Kind
    stopwords: str | tuple[str, ...]
    """A list of bm25s by its code, the words themselves, or `none`."""
    stemmer: str
    sizes: tuple[int, int]
    """Least and greatest length of a character n-gram."""

    def terms(self, texts: Sequence[str]) -> list[list[str]]:
        """The terms of each text, in its order, repeated as they are in it."""
        stop, stem = _stop_words(self.stopwords), _stem(self.stemmer)
        if self.kind != "words":
            stop = frozenset(folded(w) for w in stop)
        expand = getattr(_Units(stop, stem, self.sizes), self.kind)
        units = _CUTS[self.kind]
        known: dict[str, list[str]] = {}
        out = []
        for text in texts:
            mine: list[str] = []
            for unit in units(text):
                found = known.get(unit)
                if found is None:
                    found = known[unit] = expand(unit)
                mine += found
            out.append(mine)
        return out


@dataclass(frozen=True, slots=True)
class _Units:
    """What a unit (a word, a name, a run of a script without spaces) gives: a method for each kind."""

    stop: frozenset[str]
    stem: Callable[[str], str]
    sizes: tuple[int, int]

    def words(self, unit: str) -> list[str]:
        return [] if unit in self.stop else [self.stem(unit)]

    def ngrams(self, unit: str) -> list[str]:
        if _is_unspaced(unit):
            return [g for g in _ngrams(unit, *self.sizes) if g not in self.stop]
        return self.words(unit) if len(unit) > 1 else []

    def code(self, unit: str) -> list[str]:
        return self.ngrams(folded(unit)) if _is_unspaced(unit) else _identifier(unit, self.words)


def folded(text: str) -> str:
    """`text` for matching: compatibility forms and case taken away."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def unspaced_share(texts: Sequence[str]) -> float:
    """The share of scripts without spaces among the word characters of `texts`; 0 without any."""
    found = sum(len(run) for text in texts for run in _patterns()[2].findall(text))
    every = sum(len(word) for text in texts for word in _WORDS.findall(text)) if found else 1
    return min(found / max(every, 1), 1.0)


_WORDS = re.compile(r"(?u)\b\w\w+\b")
"""bm25s' (and scikit-learn's) token pattern."""
_PARTS = re.compile("U+(?=Ul)|U?l+|U+|d+")
"""The parts of an identifier in its shape: upper, other letter, digit, anything else."""


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """What cuts a text for `ngrams` (words and runs), for `code` (dotted names too), into runs alone."""
    without = "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in _UNSPACED)
    marks = "".join(f"\\U{c:08x}" for c in range(0x300, 0x1E950) if _is_mark(c))
    run, name = f"[{without}]+", rf"(?:[^\W{without}]++[{marks}]*+)++"  # possessive: nothing to go back for
    return re.compile(f"{name}|{run}"), re.compile(rf"{name}(?:\.{name})*+|{run}"), re.compile(run)


_CUTS: dict[str, Callable[[str], list[str]]] = {
    "words": lambda text: _WORDS.findall(text.lower()),
    "ngrams": lambda text: _patterns()[0].findall(folded(text)),
    "code": lambda text: _patterns()[1].findall(unicodedata.normalize("NFKC", text)),
}
"""How a text is cut into units."""


def _is_mark(code: int) -> bool:
    return unicodedata.category(chr(code))[0] == "M" and not any(a <= code <= b for a, b in _UNSPACED)


def _is_unspaced(unit: str) -> bool:
    """A unit is of one kind throughout, so its first character tells."""
    return any(a <= ord(unit[0]) <= b for a, b in _UNSPACED)


def _ngrams(run: str, least: int, most: int) -> list[str]:
    """All n-grams of a run, by place; a run shorter than the least is a term by itself."""
    if len(run) < least:
        return [run]
    sizes = range(least, most + 1)
    return [run[i : i + n] for i in range(len(run)) for n in sizes if i + n <= len(run)]


def _identifier(name: str, word: Callable[[str], list[str]]) -> list[str]:
    """A dotted name: itself, each of its names, and each of their parts: words, stopped and stemmed."""
    names = name.split(".")
    out = [folded(name)] if len(names) > 1 else []
    for one in names:
        shape = "".join(map(_shape, one))
        parts = [folded(one[m.start() : m.end()]) for m in _PARTS.finditer(shape)]
        whole = folded(one)
        if parts and parts != [whole]:
            out.append(whole)
        elif len(name) == 1:  # a letter by itself is no word, as in the other rules
            continue
        for part in parts:
            out += word(part)
    return out


def _shape(character: str) -> str:
    if character.isdecimal():
        return "d"
    if character.isupper():
        return "U"
    return "l" if character.isalpha() or unicodedata.category(character)[0] == "M" else "_"


def _stop_words(given: str | tuple[str, ...]) -> frozenset[str]:
    if not isinstance(given, str):
        return frozenset(given)
    if given == NONE:
        return frozenset()
    from bm25s import stopwords

    return frozenset(getattr(stopwords, f"STOPWORDS_{_LISTS[given]}"))


def _stem(algorithm: str) -> Callable[[str], str]:
    if algorithm == NONE:
        return str
    import Stemmer

    stem: Callable[[str], str] = Stemmer.Stemmer(algorithm).stemWord
    return stem
