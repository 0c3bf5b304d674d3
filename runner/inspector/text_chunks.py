"""`inspect chunks` as text: rows and their chunks, borders and gold in the document, health of the corpus."""

from __future__ import annotations

from collections.abc import Iterator

from runner import keys
from runner.inspector.chunk_records import Boundaries, ChunksView, ChunkView, DocumentView, Health
from runner.inspector.forms import Block, Facts, Piece, Prose, Table, Title, excerpt, number
from runner.inspector.text_shared import about, notes

_STYLES = {"ready": "green", "pending": "yellow", "stale": "red", "missing": "red", "orphaned": "red"}
_LISTED = 20
"""Chunks of a finding that are listed; --json has all."""


def blocks(view: ChunksView) -> Iterator[Block]:
    """The view as blocks."""
    yield from about(view.run, view.embedding, view.indexes)
    yield Facts([("data set now", f"{view.source.state}: {view.source.detail}")])
    if view.document:
        yield from _document(view.document)
    if view.health:
        yield from _health(view.health)
    yield from notes(view.notes)


def _document(document: DocumentView) -> Iterator[Block]:
    size = "not indexed" if document.characters is None else f"{document.characters:,} characters"
    yield Title(f"document {document.doc_id}")
    counts = ", ".join(f"{n} {s}" for s, n in document.statuses.items()) or "no chunk"
    yield Facts(
        [
            ("title", document.title or "–"),
            ("size", size),
            ("text", f"sha256 {document.text_digest}"),
            ("status", [(document.status, _STYLES[document.status]), (f"  ({counts})", "")]),
        ]
    )
    for row in document.rows:
        yield Title(f"row {row.row} · {row.type} · [{row.start}, {row.end}) · {len(row.chunks)} chunks")
        for chunk in row.chunks:
            yield _chunk(chunk)
    if document.boundaries:
        yield Title("boundaries: ‹n› begins chunk n, ‹/n› ends it; ⟦gold⟧, ⟦✂ cut gold ✂⟧")
        yield Prose(list(_marked(document.boundaries)))
        yield _gold(document.boundaries)


def _chunk(chunk: ChunkView) -> Block:
    rows: list[tuple[str, str | list[Piece]]] = [
        ("chunk", [(chunk.chunk_id, "bold"), (f"  [{chunk.start}, {chunk.end}) {chunk.tokens} tokens", "")]),
        ("status", [(chunk.status, _STYLES[chunk.status]), (f"  {chunk.why}; {chunk.updated or '–'}", "")]),
    ]
    if chunk.parent_start is not None:
        rows.append(("returns", f"[{chunk.parent_start}, {chunk.parent_end})"))
    if chunk.heading:
        rows.append(("heading", chunk.heading))
    if chunk.embedding:
        told = chunk.embedding
        read = f"{told.tokens_embedded} of {told.tokens_total} tokens read"
        cost = (
            f", {told.own_tokens_pushed_out} pushed out by the header" if told.own_tokens_pushed_out else ""
        )
        rows.append(
            ("vector", f"{told.input_key[: keys.SHORT]} of model {told.model[: keys.SHORT]}, {read}{cost}")
        )
    indexes = (f"{leg} {key[: keys.SHORT]}" for leg, key in chunk.indexes.items())
    rows.append(("indexes", ", ".join(indexes)))
    if chunk.header:
        rows.append(("header", f"{excerpt(chunk.header.text)} ({chunk.header.tokens} tokens)"))
    rows.append(("digest", f"sha256 {chunk.text_digest[: keys.SHORT]}"))
    rows.append(("text", excerpt(chunk.text)))
    return Facts(rows)


def _marked(shown: Boundaries) -> Iterator[Piece]:
    """The document with its borders and gold; ends come before beginnings at one place."""
    marks: dict[int, tuple[list[Piece], list[Piece]]] = {}

    def mark(at: int, begins: bool, piece: Piece) -> None:
        marks.setdefault(at, ([], []))[begins].append(piece)

    for border in shown.borders:
        n = border.chunk_id.rpartition("#")[2].lstrip("0") or "0"
        mark(border.start, True, (f"‹{n}›", "cyan"))
        mark(border.end, False, (f"‹/{n}›", "cyan"))
    spans = [(g.start, g.end, g.cut) for g in shown.gold if g.start is not None and g.end is not None]
    for start, end, cut in spans:
        mark(start, True, ("⟦✂ " if cut else "⟦", "bold red" if cut else "bold green"))
        mark(end, False, (" ✂⟧" if cut else "⟧", "bold red" if cut else "bold green"))
    edges = sorted({0, len(shown.text), *marks})
    for here, following in zip(edges, [*edges[1:], len(shown.text)], strict=True):
        ends, begins = marks.get(here, ([], []))
        yield from [*ends, *begins]
        inside = [cut for start, end, cut in spans if start <= here and following <= end]
        yield shown.text[here:following], "red" if any(inside) else "green" if inside else ""


def _gold(shown: Boundaries) -> Block:
    rows = [
        [
            g.query_id,
            "whole document" if g.start is None else f"[{g.start}, {g.end})",
            str(g.grade),
            [("CUT", "bold red")] if g.cut else "held",
            number(g.best_share, 2),
            ", ".join(g.held_by[:3]) or "–",
            excerpt(g.query, 80),
        ]
        for g in shown.gold
    ]
    return Table(["query", "gold", "grade", "", "best share", "held by", "question"], rows, [2, 4])


def _health(health: Health) -> Iterator[Block]:
    yield Title(
        f"health: {health.chunks:,} chunks of {health.tokens_least} to {health.tokens_most} tokens, "
        f"median {health.tokens_median:g}"
    )
    rows = [[f.kind, f"{f.count:,}", f"{f.share:.1%}", f.rule] for f in health.findings]
    yield Table(["kind", "chunks", "share", "rule"], rows, [1, 2])
    found = [f for f in health.findings if f.count]
    if found:
        yield Facts([(f.kind, _some(f.chunks)) for f in found])


def _some(ids: tuple[str, ...]) -> str:
    more = f" and {len(ids) - _LISTED:,} more" if len(ids) > _LISTED else ""
    return ", ".join(ids[:_LISTED]) + more
