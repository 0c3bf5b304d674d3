"""The expansion tree and the flat context of one question in one run, as they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from markupsafe import Markup

from runner.records import QueryTrace, TreeHit, TreeMember
from runner.report import numbers, prose
from runner.report.gold import Gold
from runner.report.setups import Setup

GONE = Markup('<span class="none">text no longer in the store</span>')


@dataclass(frozen=True, slots=True)
class Shown:
    """A chunk in a tree or a context."""

    chunk_id: str
    doc_id: str
    number: str
    """`#0005`, its place in the document."""
    tokens: int
    excerpt: Markup


@dataclass(slots=True)
class Shelf:
    """The chunks of a question: excerpts made once, however many places share them."""

    gold: Gold
    _made: dict[tuple[str, str], Shown] = field(default_factory=dict)

    def shown(self, setup: Setup, member: TreeMember) -> Shown:
        """The chunk as it is drawn."""
        key = (setup.chunking, member.chunk_id)
        if key not in self._made:
            self._made[key] = self._make(setup, member)
        return self._made[key]

    def _make(self, setup: Setup, m: TreeMember) -> Shown:
        number = f"#{m.chunk_id.rpartition('#')[2]}"
        if not setup.texts:
            return Shown(m.chunk_id, m.doc_id, number, m.tokens, GONE)
        marks = self.gold.marks(m.doc_id, m.start, m.end)
        return Shown(m.chunk_id, m.doc_id, number, m.tokens, prose.excerpt(m.text, marks))


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a hit's window: a chunk, or an empty place that says why it is empty."""

    kind: Literal["hit", "nb", "edge", "off"]
    label: str
    chunk: Shown | None = None
    note: str = ""
    """Of a chunk: where else it stands. Of an empty place: why."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A hit with its window in document order."""

    rank: int
    score: float
    score_text: str
    slots: list[Slot]


@dataclass(frozen=True, slots=True)
class Line:
    """A chunk of the flat context."""

    chunk: Shown
    role: str
    kind: Literal["hit", "nb"]
    running: int
    opens: bool
    """Whether a document starts here."""


def tree(setup: Setup, trace: QueryTrace, shelf: Shelf) -> list[Branch]:
    """Hits in score order, each with one slot per offset, so that the columns of all windows line up."""
    stands = _windows(trace)
    return [
        Branch(h.rank, h.score, numbers.score(h.score), _slots(setup, h, stands, shelf))
        for h in trace.expansion_tree
    ]


def _windows(trace: QueryTrace) -> dict[str, list[tuple[int, int]]]:
    """By chunk: `hit rank, offset` of every window it stands in."""
    out: dict[str, list[tuple[int, int]]] = {}
    for h in trace.expansion_tree:
        for m in (*h.neighbors_prev, h.hit, *h.neighbors_next):
            out.setdefault(m.chunk_id, []).append((h.rank, m.chunk_index - h.hit.chunk_index))
    return out


def _slots(setup: Setup, hit: TreeHit, stands: dict[str, list[tuple[int, int]]], shelf: Shelf) -> list[Slot]:
    prev, following, _ = setup.expansion
    members = (*hit.neighbors_prev, hit.hit, *hit.neighbors_next)
    by_offset = {m.chunk_index - hit.hit.chunk_index: m for m in members}
    out = [] if prev else [Slot("off", "previous", note=_off(setup))]
    for offset in range(-prev, following + 1):
        member = by_offset.get(offset)
        if member is None:
            why = "document starts here" if offset < 0 else "document ends here"
            out.append(Slot("edge", _label(offset), note=why))
        else:
            note = _elsewhere(stands[member.chunk_id], hit.rank, offset)
            out.append(Slot("nb" if offset else "hit", _label(offset), shelf.shown(setup, member), note))
    return out if following else [*out, Slot("off", "next", note=_off(setup))]


def _off(setup: Setup) -> str:
    prev, following, applied = setup.expansion
    if not applied:
        return f"not applied: {setup.run.config['strategy']['name']}"
    return "off" if prev or following else "expansion off"


def _label(offset: int) -> str:
    return f"previous {-offset}" if offset < 0 else f"next {offset}" if offset else "hit"


def _elsewhere(places: Sequence[tuple[int, int]], rank: int, offset: int) -> str:
    """`also hit 3`, `also next 1 of hit 2`."""
    others = [p for p in places if p != (rank, offset)]
    words = [f"{_label(o)} of hit {r}" if o else f"hit {r}" for r, o in others]
    return f"also {numbers.listed(words)}" if words else ""


def context(setup: Setup, trace: QueryTrace, shelf: Shelf) -> list[Line]:
    """The context in the order the model sees it, with the tokens up to and with each chunk."""
    stands = _windows(trace)
    out: list[Line] = []
    running, document = 0, None
    for member in trace.retrieved_chunks:
        running += member.tokens
        ranks = [r for r, o in stands[member.chunk_id] if not o] or [r for r, _ in stands[member.chunk_id]]
        distinct = list(dict.fromkeys(ranks))
        role = f"{'hit' if len(distinct) == 1 else 'hits'} {numbers.listed(distinct)}"
        is_hit = member.role == "hit"
        out.append(
            Line(
                shelf.shown(setup, member),
                role if is_hit else f"neighbor of {role}",
                "hit" if is_hit else "nb",
                running,
                member.doc_id != document,
            )
        )
        document = member.doc_id
    return out
