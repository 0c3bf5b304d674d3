"""`shuffled`: another chunk's `kg_header`, of like length: the placebo that a gain must beat."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import ClassVar, Literal, NamedTuple

import polars as pl
from pydantic import Field

from runner.enrichment import _kg
from runner.enrichment.contract import Material, line

_WIDTH = 8
"""Headers are of like length when their tokens, divided by it and rounded down, are equal."""


class Shuffled(_kg.GraphHeader):
    """A derangement of the headers of `kg_header` among the chunks that have one.

    Chunks whose headers are of like length exchange them; the others stay without. Nobody gets its own, nor
    the same text from another, but where more than half of all headers are one text. A corpus with one header
    has no other to give.
    """

    needs: ClassVar[str] = "an entity of the graph, or no other chunk has one"
    name: Literal["shuffled"] = "shuffled"
    seed: int = Field(0, ge=0)
    """Another number, another exchange."""

    def headers(self, material: Material) -> pl.DataFrame:
        """See `Enrichment`."""
        own = _kg.header(material, self.caps())
        own = own.with_columns(line(own.columns).alias("text")).filter(pl.col("text") != "")
        lengths = (material.tokens.counts(own["text"].to_list()) // _WIDTH).tolist()
        ids = own.join(material.chunks, on="chunk", how="left", maintain_order="left")["chunk_id"]
        like: dict[int, list[_Header]] = {}
        for row, (length, chunk_id, text) in enumerate(zip(lengths, ids, own["text"], strict=True)):
            like.setdefault(length, []).append(_Header(row, text, self._drawn(chunk_id), self._drawn(text)))
        donor: dict[int, int] = {}
        for group in _merged([like[n] for n in sorted(like)]):
            donor |= _exchanged(group)
        takers = sorted(donor)
        given = own.drop("text", "chunk")[[donor[t] for t in takers]]
        return given.with_columns(own["chunk"].gather(takers))

    def _drawn(self, what: str) -> bytes:
        """A number as if drawn at random, and the same on any machine and in any version of a library."""
        return hashlib.sha256(f"{self.seed}/{what}".encode("utf-8", "surrogatepass")).digest()


class _Header(NamedTuple):
    row: int
    text: str
    lot: bytes
    """Its place among headers of one text."""
    lot_of_text: bytes
    """The place of its text among the texts."""


def _most(group: list[_Header]) -> int:
    """How many headers of a group are one text."""
    return max(Counter(h.text for h in group).values())


def _merged(groups: list[list[_Header]]) -> list[list[_Header]]:
    """Groups by length, each joined with the next (the last with the one before) until it can be deranged."""
    out: list[list[_Header]] = []
    for group in groups:
        if out and 2 * _most(out[-1]) > len(out[-1]):
            out[-1] = out[-1] + group
        else:
            out.append(group)
    while len(out) > 1 and 2 * _most(out[-1]) > len(out[-1]):
        out[-2:] = [out[-2] + out[-1]]
    return out


def _exchanged(group: list[_Header]) -> dict[int, int]:
    """Whose header each gets, by row. Equal texts stand together: a turn by the most of them is enough."""
    lined_up = sorted(group, key=lambda h: (h.lot_of_text, h.text, h.lot))
    n, turn = len(group), _most(group)
    turn = turn if turn < n else 1
    return {h.row: lined_up[(i + turn) % n].row for i, h in enumerate(lined_up)} if n > 1 else {}
