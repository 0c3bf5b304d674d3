"""TREC's SGML: topics in `<top>` blocks (or lines of a TSV file) and documents in `<DOC>` blocks."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from runner.dataset import _read as read
from runner.dataset._problems import Bad, Problems
from runner.dataset._read import Row
from runner.text import one_line

_FLAGS = re.DOTALL | re.IGNORECASE
_TAG = re.compile(r"</?[a-z][^<>]*>", _FLAGS)
"""A letter must follow the bracket: `a < b` is text."""
_NUMBER = re.compile(r"<num>\s*(?:number\s*:)?\s*([^\s<]+)", _FLAGS)
_ATTRIBUTE = re.compile(r"""\bnumber\s*=\s*["']?([^\s"'>]+)""", _FLAGS)
_LABELS = {"title": "topic", "desc": "description", "narr": "narrative"}
"""Words with a colon that classic topics put after a tag."""
_DOCNO = re.compile(r"<docno>(.*?)</docno>", _FLAGS)
_TEXT = re.compile(r"<text\b[^>]*>(.*?)</text>", _FLAGS)
_TITLES = ("title", "headline", "ttl", "hl", "head")
Take = Callable[[], tuple[str, str]]
"""Gives id and text of a topic, or raises Bad."""


def topics(path: Path, parts: Sequence[str], problems: Problems) -> Iterator[tuple[str, tuple[str, str]]]:
    """`(place, (query_id, text))` of each topic; its text is its `parts`, joined by a blank."""
    for text in _whole(path, problems):
        rows = _marked(path, text, parts, problems) if text.lstrip().startswith("<") else _tabbed(path, text)
        for place, take in rows:
            try:
                yield place, take()
            except Bad as bad:
                problems.add(bad, place)


def documents(path: Path, problems: Problems) -> Iterator[tuple[str, Row]]:
    """`(place, {docno, title, text})` of each document.

    Its text is what stands in its `<TEXT>` blocks (without any: in all of it but number and title), without
    tags, with character references resolved, otherwise as it is.
    """
    for whole in _whole(path, problems):
        for place, _, body in _blocks(path, whole, "doc", problems):
            yield place, _document(body)


def _whole(path: Path, problems: Problems) -> Iterator[str]:
    """The text of a file, or nothing where it is not UTF-8, which is noted."""
    try:
        yield read.text_file(path)
    except Bad as bad:
        problems.add(bad, str(path))


def _blocks(path: Path, text: str, tag: str, problems: Problems) -> Iterator[tuple[str, str, str]]:
    """`(place, attributes, content)` of each block; one without an end is noted."""
    line, seen, count = 1, 0, 0
    for opened in re.finditer(rf"<({tag})(\s[^>]*)?>", text, _FLAGS):
        line, seen, count = line + text.count("\n", seen, opened.start()), opened.start(), count + 1
        place = f"{path}:{line}"
        closed = re.compile(rf"</{opened[1]}\s*>|<{tag}(?:\s[^>]*)?>", _FLAGS).search(text, opened.end())
        if closed and closed[0].startswith("</"):
            yield place, opened[2] or "", text[opened.end() : closed.start()]
        else:
            problems.add(Bad("block without end", f"<{opened[1]}> is not closed by </{opened[1]}>"), place)
    if not count:
        problems.add(Bad("no block", f"holds no <{tag.partition('(')[0]}> block"), str(path))


def _marked(path: Path, text: str, parts: Sequence[str], problems: Problems) -> Iterator[tuple[str, Take]]:
    for place, head, body in _blocks(path, text, r"top(?:ic)?", problems):
        yield place, partial(_topic, head, body, parts)


def _tabbed(path: Path, text: str) -> Iterator[tuple[str, Take]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"{path}:{number}", partial(_tab, line)


def _tab(line: str) -> tuple[str, str]:
    name, tab, asked = line.partition("\t")
    if not tab:
        raise Bad("bad topic line", "expected an id, a tab and a text")
    return name.strip(), asked.strip()


def _document(body: str) -> Row:
    number = _DOCNO.search(body)
    rest = _TEXT.sub("", _DOCNO.sub("", body))
    found = (re.search(rf"<{t}\b[^>]*>(.*?)</{t}>", rest, _FLAGS) for t in _TITLES)
    title = next((m for m in found if m), None)
    texts = _TEXT.findall(body) or [rest.replace(title[0], "") if title else rest]
    return {
        "docno": number[1].strip() if number else None,
        "title": " ".join(_plain(title[1]).split()) if title else "",
        "text": "\n".join(_plain(t).strip() for t in texts),
    }


def _topic(head: str, body: str, parts: Sequence[str]) -> tuple[str, str]:
    number = _ATTRIBUTE.search(head) or _NUMBER.search(body)
    if not number:
        raise Bad("missing num", "a topic has neither <num> nor an attribute `number`")
    said = [_part(body, part) for part in parts]
    for part, text in zip(parts, said, strict=True):
        if not text:
            there = ", ".join(dict.fromkeys(m.lower() for m in re.findall(r"<([a-z]\w*)", body, _FLAGS)))
            raise Bad(f"missing {part}", f"topic {one_line(number[1])} has no <{part}>; it has: {there}")
    return number[1], " ".join(said)


def _part(body: str, part: str) -> str:
    """The text after a tag up to the next one (classic topics do not close their tags), on one line."""
    label = rf"(?:{_LABELS[part]}\s*:)?" if part in _LABELS else ""
    found = re.search(rf"<{re.escape(part)}>\s*{label}(.*?)(?=</?[a-z]|\Z)", body, _FLAGS)
    return " ".join(html.unescape(found[1]).split()) if found else ""


def _plain(text: str) -> str:
    return html.unescape(_TAG.sub("", text))
