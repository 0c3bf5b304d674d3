"""`inspect query` as text: what was asked of what, the funnel, hits, misses, expansion tree, context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from runner.inspector.forms import Block, Branch, Cell, Facts, Piece, Table, Title, excerpt, number, whole
from runner.inspector.query_records import CandidateView, QueryView, StageView
from runner.inspector.text_shared import about, notes
from runner.records import TreeHit, TreeMember

_SHORT = 60
_WIDE = 140
"""From this width on, tables of candidates have room for text."""


def blocks(view: QueryView, width: int, *, explain: bool) -> Iterator[Block]:
    """The view as blocks; `explain` shows every signal of every candidate with its terms."""
    yield from about(view.run, view.embedding, [leg.index for leg in view.legs])
    yield Facts(list(_asked(view)))
    yield Title(f"funnel (ms: {view.timed})")
    yield Table(["stage", "component", "in", "out", "dropped", "ms", "settings"],
                [_stage(s) for s in view.funnel], [2, 3, 4, 5])  # fmt: skip
    yield Title(f"hits: {view.window.returned}")
    yield _candidates(view, view.hits, width)
    if view.misses is not None:
        yield Title(f"misses: {view.window.heading}")
        yield _candidates(view, view.misses, width)
    if explain:
        for candidate in (*view.hits, *(view.misses or ())):
            yield from _explained(candidate)
    yield _tree(view.expansion_tree)
    yield Title(f"context: {len(view.retrieved_chunks)} chunks, {view.context_tokens:,} tokens")
    yield _context(view.retrieved_chunks)
    if view.gold:
        yield Title("gold")
        yield _gold(view)
    if view.measures:
        yield Facts([(m, number(v)) for m, v in view.measures.items()])
    yield from notes(view.notes)


def _asked(view: QueryView) -> Iterator[tuple[str, Cell]]:
    said = {"recorded": "the trace that the run recorded", "executed": "executed just now"}
    yield "query", f"{view.query_id}: {excerpt(view.text)}"
    yield "shown", f"{said[view.origin]}; window: {view.window.heading}"
    legs = (f"{leg.leg} ({leg.component}, depth {leg.depth}, {leg.unit})" for leg in view.legs)
    yield "mode", f"{view.mode}: {', '.join(legs)}"
    yield "fusion", f"{view.fusion} ({view.fusion_component})"
    limits = [f"{k} {v:g}" for k, v in view.threshold.items() if v is not None]
    limits += [f"filter {k}={v}" for k, v in view.filter.items()]
    yield "limits", ", ".join([*limits, f"top_k {view.top_k}"])
    if view.reranker:
        settings = ", ".join(f"{k} {v}" for k, v in view.reranker.settings.items())
        yield "reranker", f"{view.reranker.component} ({settings})"
        fallback = view.reranker.fallback
        yield "fallback", [(f"fused order kept: {fallback}", "bold red")] if fallback else "no"
    else:
        yield "reranker", "none"
    for reason in view.reasons:
        yield "reason", reason


def _stage(stage: StageView) -> Sequence[Cell]:
    settings = ", ".join(f"{k} {v}" for k, v in stage.settings.items())
    counts = (f"{n:,}" for n in (stage.rows_in, stage.rows_out, stage.dropped))
    return [stage.stage, stage.component, *counts, number(stage.ms, 2), excerpt(settings, _SHORT)]


def _candidates(view: QueryView, some: Sequence[CandidateView], width: int) -> Block:
    """Ranks and scores of each stage; with the beginning of the text where there is room for it."""
    legs = [leg.leg for leg in view.legs]
    wide = width >= _WIDE
    head = ["#", "chunk", *legs, "fused", *["rerank"] * bool(view.reranker), "fate", *["text"] * wide]
    rows: list[list[Cell]] = []
    for c in some:
        signals = [_ranked(s.rank, s.score) if (s := c.signals.get(leg)) else "" for leg in legs]
        moved = [f"{_ranked(c.rerank_rank, c.rerank_score)} {_moved(c.rerank_movement)}"] * bool(
            view.reranker
        )
        fused = _ranked(c.fused_rank, c.fused_score)
        text = [excerpt(c.text, _SHORT)] * wide
        rows.append([whole(c.final_rank), c.chunk_id, *signals, fused, *moved, fate(c), *text])
    return Table(head, rows, [0])


def _ranked(rank: int | None, score: float | None) -> str:
    return "" if rank is None else f"{rank}: {number(score)}"


def _moved(places: int | None) -> str:
    return "" if places is None else f"↑{places}" if places > 0 else f"↓{-places}" if places else "="


def fate(of: CandidateView) -> str:
    """`hit`, or what dropped it, with value and limit."""
    if of.drop_stage is None:
        return of.fate
    value, limit = (f"{v:.7g}" if v is not None else "" for v in (of.drop_value, of.drop_limit))
    numbers = f" ({value} against {limit})" if limit else f" ({value})" if value else ""
    return f"{of.drop_stage}: {of.drop_reason}{numbers}"


def _explained(of: CandidateView) -> Iterator[Block]:
    place = f"{of.row_type} row {of.row or 0}, [{of.start}, {of.end}), {of.tokens} tokens"
    yield Title(of.chunk_id)
    rows: list[tuple[str, Cell]] = [("source", place + (f", {of.heading}" if of.heading else ""))]
    for leg, signal in of.signals.items():
        scaled = "kept out of the fusion" if signal.normalized is None else number(signal.normalized, 6)
        said = f"rank {signal.rank}, raw {number(signal.score, 6)}, normalised {scaled}"
        rows.append((leg, said))
        if signal.terms is not None:
            rows.append(
                (f"{leg} terms", " + ".join(map(_term, signal.terms)) + f" = {number(signal.score, 6)}")
            )
    rows.append(("fused", f"rank {of.fused_rank or '–'}, {number(of.fused_score, 6) or '–'}"))
    if of.rerank_rank is not None:
        moved = f"rank {of.rerank_rank} ({_moved(of.rerank_movement)}), {number(of.rerank_score, 6)}"
        rows.append(("reranked", moved))
    final = f"rank {of.final_rank}, {number(of.final_score, 6)}; " if of.final_rank else ""
    rows += [("final", final + fate(of)), ("text", excerpt(of.text))]
    yield Facts(rows)


def _term(term: object) -> str:
    word, asked, inside, weight = (getattr(term, f) for f in ("term", "asked", "in_chunk", "weight"))
    times = f"×{asked}" if asked > 1 else ""
    return f"{word}{times} {weight:.6f}" + ("" if inside else " (not in the chunk)")


def _gold(view: QueryView) -> Block:
    rows = [
        [f"{g.doc_id} {'whole' if g.start is None else f'[{g.start}, {g.end})'}", str(g.grade), g.stage,
         number(g.covered, 2), number(g.covered_expanded, 2), g.chunk_id or "–", g.drop_reason or ""]
        for g in view.gold
    ]  # fmt: skip
    head = ["item", "grade", "stage", "in hits", "in context", "chunk", "why"]
    return Table(head, rows, [1, 3, 4])


def _tree(hits: Sequence[TreeHit]) -> Branch:
    def leaf(member: TreeMember, label: str) -> Branch:
        style = "bold" if member.role == "hit" else ""
        pieces: list[Piece] = [
            (f"{label} ", "dim"),
            (member.chunk_id, style),
            (f"  {excerpt(member.text, 80)}", ""),
        ]
        return Branch(pieces)

    def window(hit: TreeHit) -> Branch:
        members = [(m, "prev") for m in hit.neighbors_prev] + [(hit.hit, "hit")]
        members += [(m, "next") for m in hit.neighbors_next]
        return Branch(f"{hit.rank}. {number(hit.score)}", [leaf(m, label) for m, label in members])

    return Branch("expansion tree", [window(h) for h in hits])


def _context(members: Sequence[TreeMember]) -> Block:
    running = accumulate(m.tokens for m in members)
    rows = [
        [str(i), m.chunk_id, m.role, str(m.tokens), f"{total:,}", excerpt(m.text, _SHORT)]
        for i, (m, total) in enumerate(zip(members, running, strict=True), start=1)
    ]
    return Table(["position", "chunk", "role", "tokens", "up to here", "text"], rows, [0, 3, 4])
