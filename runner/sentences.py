"""Where sentences lie in a text, by rules: marks, closing quotes, abbreviations, blank lines; no model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

Span = tuple[int, int]
"""Code points `[start, end)` of a text."""
_CLOSING = r"[\"'”’»›)\]}」』）】》〉〕*_`]*"
_MARK = re.compile(
    # Ends a sentence where white space or the end of the text follows.
    rf"(?P<mark>[.!?…؟۔।॥։።]+)(?P<closing>{_CLOSING})"
    # Ends one whatever follows: these scripts write no space.
    rf"|[。！？｡]+{_CLOSING}"
    # A blank line; atomic, or one CR LF would be two ends of line.
    r"|(?>\r\n|\r|\n)[^\S\r\n]*(?>\r\n|\r|\n)"
)
_OPENING = "\"'“„‘«‹([{「『（【《〈*_`¿¡"
_WORD_BEFORE = re.compile(r"(?:\w+\.)*\w+\Z")
_REACH = 24
"""Characters before a full stop among which its word is looked for; no abbreviation is longer."""

_BEFORE_ANYTHING = frozenset(
    """
    mr mrs ms mx dr prof st gen col capt lt sgt rep sen gov rev hon pres messrs mme mlle hr fr dipl ing
    cf vs viz al approx ca resp bzw vgl evtl ggf inkl sog
    """.split()
)
"""Words written with a full stop that belong to what follows, whatever it begins with."""

_BEFORE_NUMBERS = frozenset(
    """
    no nos nr fig figs eq eqs ref refs vol vols ch sec sect p pp par art abs ed bd tab
    jan feb mar apr aug sep sept oct nov dec
    """.split()
)
"""Words written with a full stop before a number; elsewhere they may end a sentence (`No.`)."""


def sentences(text: str) -> list[Span]:
    """Spans of the sentences of `text`, without the white space between; every visible character is in one.

    A full stop ends no sentence inside a number or word, after a listed abbreviation, an initial or a dotted
    abbreviation (`U.S.`), after the number of a list item, and before a lower-case letter.
    """
    cuts = [0, *_ends(text), len(text)]
    trimmed = (trim(text, s, e) for s, e in pairwise(cuts))
    return [(s, e) for s, e in trimmed if s < e]


def trim(text: str, start: int, end: int) -> Span:
    """`[start, end)` of `text` without the white space at its ends; empty where there is nothing else."""
    piece = text[start:end]
    body = piece.lstrip()
    start = end - len(body)
    return start, start + len(body.rstrip())


def _ends(text: str) -> Iterator[int]:
    for found in _MARK.finditer(text):
        if found["mark"] is None or _is_end(text, found):
            yield found.end()


def _is_end(text: str, found: re.Match[str]) -> bool:
    """Whether a mark that needs white space after it ends a sentence."""
    end = found.end()
    if end < len(text) and not text[end].isspace():
        return False
    following = _next_letter(text, end)
    # "Why?" he asked: behind a closing quote any mark may stand inside a sentence.
    if following.islower() and (found["mark"][0] in ".…" or found["closing"]):
        return False
    return found[0] != "." or not _holds_on(text, found.start(), following)


def _next_letter(text: str, at: int) -> str:
    """The first character from `at` on that is no white space and opens no quote or bracket; may be empty."""
    while at < len(text) and (text[at].isspace() or text[at] in _OPENING):
        at += 1
    return text[at : at + 1]


def _holds_on(text: str, at: int, following: str) -> bool:
    """Whether the word before the full stop at `at` is written with one and belongs to what follows."""
    before = text[max(0, at - _REACH) : at]
    found = _WORD_BEFORE.search(before)
    word = found[0].casefold() if found else ""
    if word.isdigit():  # the number of a list item stands alone at the start of its line
        return len(word) <= 3 and before.rpartition("\n")[2].strip() == word
    initial = len(word) == 1 and word.isalpha()
    dotted = "." in word.strip("0123456789.")
    return initial or dotted or word in _BEFORE_ANYTHING or (word in _BEFORE_NUMBERS and following.isdigit())
