"""`inspect neighbors` and `inspect diff` as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runner.inspector.forms import Block, Cell, Facts, Table, Title, excerpt, number
from runner.inspector.query_records import DiffView, QueryChange, StageDiff
from runner.inspector.records import Near, NearList, NeighborsView
from runner.inspector.text_shared import about, card, notes

_SHORT = 48
_LISTED = 20
_NARROW = 100
"""Below this width lists stand one below the other."""


def neighbors(view: NeighborsView, width: int) -> Iterator[Block]:
    """The view as blocks: its lists side by side."""
    yield from about(view.run, view.embedding)
    yield Facts(
        [
            ("chunk", f"{view.chunk_id}  [{view.start}, {view.end})"),
            ("text", excerpt(view.text)),
            ("entities", ", ".join(view.entities) or "–"),
        ]
    )
    lists = [n for n in (view.document, view.vector, view.lexical, view.entity) if n is not None]
    groups = [[one] for one in lists] if width < _NARROW else [lists]
    for some in groups:
        yield Table([f"{n.label}: {n.unit}" for n in some], _side_by_side(some))
    yield from notes(view.notes)


def _side_by_side(lists: Sequence[NearList]) -> list[list[Cell]]:
    deepest = max((len(n.found) for n in lists), default=0)
    return [[_near(n.found[i], n.unit) if i < len(n.found) else "" for n in lists] for i in range(deepest)]


def _near(one: Near, unit: str) -> Cell:
    shared = f" [{', '.join(one.entities)}]" if one.entities else ""
    value = f"{one.value:+g}" if unit.startswith("places") else f"{one.value:.4f}".removesuffix(".0000")
    return [(one.chunk_id, "bold"), (f" {value}{shared} ", "cyan"), (excerpt(one.text, _SHORT), "")]


def diff(view: DiffView) -> Iterator[Block]:
    """The view as blocks."""
    yield Facts([("A", card(view.a)), ("B", card(view.b))])
    yield Table(
        ["differs", "A", "B"], [[d.what, excerpt(d.a, 80), excerpt(d.b, 80)] for d in view.differences]
    )
    yield Title("questions by the first stage that differs")
    yield Facts([(stage, str(n)) for stage, n in view.first.items()])
    if view.stages is None:
        yield Title(f"questions by change ({min(_LISTED, len(view.queries))} of {len(view.queries)})")
    yield _changes(view.queries[:_LISTED])
    for stage in view.stages or ():
        yield from _stage(stage)
    for side, alone in (("A", view.only_in_a), ("B", view.only_in_b)):
        if alone:
            yield Facts([(f"only in {side}", f"{len(alone)} questions: {', '.join(alone[:_LISTED])}")])
    yield from notes(view.notes)


def _changes(changes: Sequence[QueryChange]) -> Block:
    rows = [
        [c.query_id, number(c.change, 2), c.stage or "–", c.reason, f"+{c.entered} −{c.left} ~{c.moved}",
         *_first_measure(c), excerpt(c.text, _SHORT)]
        for c in changes
    ]  # fmt: skip
    head = ["query", "change", "first stage", "reason", "hits", "measure", "A", "B", "question"]
    return Table(head, rows, [1, 6, 7])


def _first_measure(change: QueryChange) -> list[str]:
    for measure, (a, b) in change.measures.items():
        return [measure, number(a), number(b)]
    return ["–", "", ""]


def _stage(stage: StageDiff) -> Iterator[Block]:
    yield Title(f"{stage.stage}: {stage.change} ({stage.in_a} in A, {stage.in_b} in B)")
    rows: list[tuple[str, Cell]] = []
    for name, chunks in (("entered", stage.entered), ("left", stage.left)):
        if chunks:
            rows.append((name, _some(chunks)))
    if stage.moved:
        rows.append(("moved", _some([f"{m.chunk} {m.rank_a}→{m.rank_b}" for m in stage.moved])))
    if stage.rescored:
        rows.append(("rescored", str(stage.rescored)))
    if rows:
        yield Facts(rows)


def _some(said: Sequence[str]) -> str:
    more = f" and {len(said) - _LISTED} more" if len(said) > _LISTED else ""
    return ", ".join(said[:_LISTED]) + more
