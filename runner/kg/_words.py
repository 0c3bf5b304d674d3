"""Words of a text and what their letters say: capitals, acronyms, and the little words that name nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from runner.sentences import Span, sentences

_LETTER = "[^\\W_\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff]"
"""Letters and digits but those of scripts without blanks between words: Thai to Khmer, Chinese, Japanese."""
WORD = re.compile(rf"(?:[^\W\d_]\.){{2,}}|{_LETTER}+(?:[.'’&\-–]{_LETTER}+)*")
LEAD = re.compile(r"(?i:the|an?)\s+(?=\S)")
"""An article before a name."""
POSSESSIVE = re.compile(r"['’][sS]\Z")
FUNCTION = frozenset(
    """
    a an the this that these those such same other another each every all both any some no none one two three
    i you he she it we they me him her us them my your his its our their mine who whom whose which what when
    where why how and or but nor so yet if then else than as at by for from in into of off on onto out over to
    under up upon with within without about above across after against along among around because before
    behind below beneath beside besides between beyond despite down during except inside like near outside
    past per since through throughout till toward towards until via while although though unless whereas
    whether is are was were be been being am do does did done has have had having can could may might must
    shall should will would not also only just even still again once here there now however therefore thus
    hence moreover furthermore instead meanwhile later today first second third last next more most many much
    few several less least own very too yes see note
    """.split()
)
"""English words that begin sentences and name nothing, in lower case."""
CALENDAR = frozenset(
    """
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
    """.split()
)
_INSIDE = frozenset(",;)]’'”\"»%")
"""Marks behind which a sentence goes on."""
ARTICLES = frozenset(("a", "an", "the"))


class Word(NamedTuple):
    """A word of a text."""

    start: int
    end: int
    text: str


def words(text: str, start: int, end: int) -> list[Word]:
    """The words of `[start, end)` of `text`, without a possessive `'s`."""
    out = []
    for found in WORD.finditer(text, start, end):
        body = POSSESSIVE.sub("", found[0])
        out.append(Word(found.start(), found.start() + len(body), body))
    return out


def is_capital(word: str) -> bool:
    """Whether a word is written as a name is: `Rome`, `iPod`, `3D`; no script without capitals has any."""
    return word[0].isupper() or any(map(str.isupper, word[1:]))


def is_acronym(word: str) -> bool:
    """`NASA`, `U.S.`, `BM25`, `LLMs`: two capitals or more, no small letter but a plural's, ten at most."""
    body = word.removesuffix("s")
    return len(body) <= 10 and body.upper() == body and sum(map(str.isupper, body)) > 1


def begins(text: str, word: Word) -> bool:
    """Whether any word would be written large here: at a start, behind a stop, a mark or an opening quote."""
    before = text[max(0, word.start - 2) : word.start]
    return not (len(before) == 2 and before[1] in " \xa0" and (before[0].isalnum() or before[0] in _INSIDE))


def is_titled(text: str, title: str) -> bool:
    """Whether a text begins with its title, as those of many data sets do."""
    return bool(title) and text.startswith(title) and not text[len(title) : len(title) + 1].isalnum()


def parts(text: str, title: str) -> list[Span]:
    """Sentences of a document; a title that its text begins with is one, whatever follows it."""
    at = len(title) if is_titled(text, title) else 0
    rest = [(at + s, at + e) for s, e in sentences(text[at:])]
    return [(0, at), *rest] if at else rest


class Usage:
    """How the words of a corpus are written: what is small elsewhere is no name where a sentence begins."""

    def __init__(self) -> None:
        self._small: Counter[str] = Counter()
        self._capital: Counter[str] = Counter()

    def read(self, text: str, spans: Sequence[Span]) -> None:
        """Count the words of the sentences of a text; where one begins, any word may be written large."""
        for start, end in spans:
            found = words(text, start, end)
            self._small.update(w.text for w in found if w.text.islower())
            large = (w for w in found if is_capital(w.text) and not begins(text, w))
            self._capital.update(w.text.lower() for w in large)

    def is_ordinary(self, word: str) -> bool:
        """Whether a capitalised word is a little word, or written small at least as often as large."""
        low = word.lower()
        small = self._small[low]
        return low in FUNCTION or (small > 0 and small >= self._capital[low])

    def is_known(self, word: str) -> bool:
        """Whether a word is written large inside a sentence somewhere."""
        return self._capital[word.lower()] > 0
