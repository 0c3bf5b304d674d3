"""Which mentions mean the same: names folded to one key, acronyms to what they stand for."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from runner import tables
from runner.kg._mentions import Read, confidence, entity_type
from runner.kg._words import LEAD, is_acronym
from runner.records import Mention, Node

_POSSESSIVE = re.compile(r"['’]s?\Z")


def key(name: str) -> str:
    """What the names of one entity share, and its node id: a name as `surface` has it, case folded.

    Of an acronym also without full stops and the `s` of its plural: `U.S.` and `US` are `us`.
    """
    flat = surface(name)
    if is_acronym(flat):
        flat = flat.removesuffix("s").replace(".", "")
    return flat.casefold()


def surface(name: str) -> str:
    """A name as a label shows it: NFKC, white space joined, no article before it, no possessive behind it."""
    flat = " ".join(unicodedata.normalize("NFKC", name).split())
    lead = LEAD.match(flat)
    return _POSSESSIVE.sub("", flat[lead.end() :] if lead else flat) or flat


class Acronyms:
    """What short forms stand for: in a document what it says itself, elsewhere what all others agree on."""

    def __init__(self, read: Iterable[Read]) -> None:
        self._own: dict[str, dict[str, str]] = {}
        every: dict[str, set[str]] = {}
        for one in read:
            for short, long in one.spelt:
                self._own.setdefault(one.doc_id, {}).setdefault(key(short), key(long))
                every.setdefault(key(short), set()).add(key(long))
        self._agreed = {short: next(iter(longs)) for short, longs in every.items() if len(longs) == 1}

    def resolved(self, doc_id: str, name: str) -> str:
        """The key of a name of a document: of what it stands for, where it is a short form."""
        folded = key(name)
        if sum(map(str.isupper, name)) < 2 or " " in folded:
            return folded
        return self._own.get(doc_id, {}).get(folded) or self._agreed.get(folded, folded)


def nodes(read: Sequence[Read]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Every mention with its node (columns of `records.Mention`), and the nodes (`records.Node`).

    A node is called by its most frequent name (none of its acronyms, where it has another) and typed by its
    most frequent type, ties by code point; it is as sure as the surest of its mentions.
    """
    acronyms = Acronyms(read)
    mentions: list[tuple[object, ...]] = []
    labels: dict[str, Counter[str]] = {}
    types: dict[str, Counter[str]] = {}
    sure: dict[str, float] = {}
    for one in read:
        for start, end, rule in one.found:
            name = one.text[start:end]
            node, kind, certainty = acronyms.resolved(one.doc_id, name), entity_type(rule), confidence(rule)
            mentions.append((f"{one.doc_id}@{start}", one.doc_id, start, end, kind, certainty, node))
            labels.setdefault(node, Counter())[surface(name)] += 1
            types.setdefault(node, Counter())[kind] += 1
            sure[node] = max(sure.get(node, 0.0), certainty)
    named = {node: {n: c for n, c in said.items() if key(n) == node} or said for node, said in labels.items()}
    rows = [(node, _most(named[node]), _most(types[node]), sure[node]) for node in sorted(labels)]
    return (
        pl.DataFrame(mentions, tables.schema(Mention), orient="row"),
        pl.DataFrame(rows, tables.schema(Node), orient="row"),
    )


def _most(counted: Mapping[str, int]) -> str:
    return min(counted, key=lambda name: (-counted[name], name))
