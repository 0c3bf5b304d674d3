"""Terms by how they are introduced: `long form (LF)`, `A ranker is a …`, `called "pool"`, `**Pool**: …`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from runner.kg._names import Found
from runner.kg._words import FUNCTION, is_capital, words
from runner.sentences import Span

_SHORT = re.compile(r"\(\s?([^\W_][^()\n]{0,11}[^\W_]s?)\s?[);,]")
_TERM = r"[^\W\d_][\w\-–]*(?: [^\W_][\w\-–]*){0,3}"
_QUOTE = r"[\"“”'‘’«»*_`]{1,3}"
_INTRODUCED = (
    re.compile(
        rf"\W*(?:[Aa]n? )?(?:{_QUOTE})?({_TERM})(?:{_QUOTE})? (?:is|are) (?:an?|the|one|any|how|what)\b"
    ),
    re.compile(rf"\W*\*\*({_TERM})(?:\*\*\s?[:–—]|:\*\*)"),
)
"""Matched where a sentence begins."""
_CALLED = re.compile(rf"\b(?:called|named|termed|dubbed|known as)(?: an?| the)? {_QUOTE}({_TERM}){_QUOTE}")
_CODE = re.compile(r"(?<!`)`([^\W\d_][\w.\-]{1,40})`(?!`)")
_LONGEST = 20
"""Code points of a word of a long form, with the blank: so far back it is looked for."""


def acronyms(text: str, sentence: Span) -> Iterator[tuple[Span, Span]]:
    """`(long form, short form)` for each that is spelt out: `mean reciprocal rank (MRR)`.

    The rule of Schwartz and Hearst (A simple algorithm for identifying abbreviation definitions, PSB 2003):
    read backwards, every letter of the short form is found in the long form in order, its first one at the
    start of a word; the long form has at most min(n + 5, 2 n) words for n letters.
    """
    start, end = sentence
    for found in _SHORT.finditer(text, start, end):
        short = found[1]
        if not is_capital(short) or " " in short:
            continue
        most = min(len(short) + 5, 2 * len(short))
        before = words(text, max(start, found.start() - most * _LONGEST), found.start())[-most:]
        if before and text[before[-1].end : found.start()].isspace():
            at = _aligned(short.removesuffix("s"), text[before[0].start : before[-1].end])
            long = (before[0].start + (at or 0), before[-1].end)
            edges = [w.text.lower() for w in (before[-1], *words(text, *long)[:1])]
            if at is not None and FUNCTION.isdisjoint(edges):
                yield long, found.span(1)


def _aligned(short: str, before: str) -> int | None:
    """Where the long form of `short` begins in the words before it; None: it is none."""
    at = len(before)
    for i in range(len(short) - 1, -1, -1):
        letter = short[i].lower()
        if not letter.isalnum():
            continue
        at -= 1
        while at >= 0 and (before[at].lower() != letter or (i == 0 and at and before[at - 1].isalnum())):
            at -= 1
        if at < 0:
            return None
    body = before[at:]
    return at if len(body) > len(short) and short not in body.split() else None


def terms(text: str, sentence: Span) -> Iterator[Found]:
    """What a sentence introduces; little words (`This is a …`) introduce nothing."""
    start, end = sentence
    heads = [m for pattern in _INTRODUCED if (m := pattern.match(text, start, end))]
    for found in [*heads, *_CALLED.finditer(text, start, end)]:
        if not any(w.text.lower() in FUNCTION for w in words(text, *found.span(1))):
            yield Found(*found.span(1), "term")
    for found in _CODE.finditer(text, start, end):
        yield Found(*found.span(1), "code")
