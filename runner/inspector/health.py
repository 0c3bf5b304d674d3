"""Health of a corpus' chunks: tiny, oversized, broken off in a sentence, twice there, not read to the end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

from runner.inspector.chunk_records import Finding, Health, Kind
from runner.inspector.stored import Stored

SMALL, LARGE = 0.25, 4.0
"""Shares of the median at which a chunk is called tiny or oversized."""
_ENDED = re.compile(r"[.!?…。！？؟।][\"'”’»)\]}*_`]*$")
"""A sentence's last characters; a colon or comma goes on."""
_BLOCK = re.compile(r"\n[ \t]*(?:#{1,6} |[-*+] |\d+[.)] |[>|]|```|~~~)")
"""A line that begins something new, in Markdown."""


def health(stored: Stored) -> Health:
    """What is odd among all chunks of the run."""
    ids = stored.chunks["chunk_id"].to_list()
    tokens: list[int] = stored.chunks["tokens"].to_list()
    middle = median(tokens)
    twice = Counter(t.strip() for t in stored.texts)
    told = stored.embedded or {}
    odd: dict[Kind, tuple[str, list[bool]]] = {
        "tiny": (
            f"fewer than {middle * SMALL:g} tokens (a quarter of the median)",
            [n < middle * SMALL for n in tokens],
        ),
        "oversized": (
            f"more than {middle * LARGE:g} tokens (four times the median)",
            [n > middle * LARGE for n in tokens],
        ),
        "mid_sentence": (
            "begins or ends inside a sentence: no full stop, blank line, heading, list or end of text there",
            _broken(stored),
        ),
        "duplicated": (
            "another chunk has the same text but for white space at its ends",
            [twice[t.strip()] > 1 for t in stored.texts],
        ),
        "truncated": (
            "the embedding model did not read its end" if told else "no vectors: nothing was cut",
            [bool(told.get(c, {}).get("truncated")) for c in ids],
        ),
    }
    findings = [_finding(kind, rule, ids, flags) for kind, (rule, flags) in odd.items()]
    return Health(len(ids), min(tokens), float(middle), max(tokens), tuple(findings))


def _finding(kind: Kind, rule: str, ids: Sequence[str], flags: Sequence[bool]) -> Finding:
    found = tuple(c for c, flag in zip(ids, flags, strict=True) if flag)
    return Finding(kind, rule, len(found), len(found) / len(ids), found)


def _broken(stored: Stored) -> list[bool]:
    whole = dict(stored.documents.select("doc_id", "text").iter_rows())
    places = stored.chunks.select("doc_id", "start", "end").iter_rows()
    return [any(inside_sentence(whole[d], at) for at in (s, e)) for d, s, e in places]


def inside_sentence(text: str, at: int) -> bool:
    """Whether a border at `at` parts a sentence: text on both sides, no sentence or paragraph ends there."""
    reach = 200  # a border with more white space around it than this is at the end of a paragraph
    before, after = text[max(0, at - reach) : at], text[at : at + reach]
    left, right = before.rstrip(), after.lstrip()
    if not left or not right:
        return False
    space = before[len(left) :] + after[: len(after) - len(right)]
    heading = "\n" in space and left.rpartition("\n")[2].startswith("#")
    block = "\n" in space and _BLOCK.match(f"\n{right}")
    return not (_ENDED.search(left) or space.count("\n") > 1 or heading or block)
