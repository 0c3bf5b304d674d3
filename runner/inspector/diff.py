"""`inspect diff`: two runs stage by stage, what entered, left and moved, and the first stage that differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from runner.errors import RequestError, did_you_mean
from runner.inspector.outputs import Output, Outputs
from runner.inspector.query_records import Change, DiffView, Moved, QueryChange, Reason, StageDiff
from runner.inspector.reasons import differences, reason
from runner.inspector.stored import Stored
from runner.text import one_line

_SAME = 1e-6
"""Scores nearer than this are the same."""
Spans = list[tuple[str, int, int]]


def view(a: Stored, b: Stored, asked: str | None) -> DiffView:
    """The view of one question (by id or text), or of all that both runs asked.

    Raises:
        RequestError: the runs do not share that question, or any.
    """
    spans = a.keys["chunks"] != b.keys["chunks"]
    sides = (Outputs(a, spans=spans), Outputs(b, spans=spans))
    both = [q for q, (text, _) in sides[0].questions.items() if sides[1].questions.get(q, ("",))[0] == text]
    wanted = both if asked is None else [_one(asked, both, sides[0])]
    if not wanted:
        raise RequestError(f"runs {a.run.short} and {b.run.short} share no question: nothing to compare")
    stages = _stages(a, b)
    found = {q: _compared(q, stages, sides) for q in wanted}
    changes = [_change(q, found[q], sides) for q in wanted]
    changes.sort(key=lambda c: (-c.change, -(c.entered + c.left), -c.moved, c.query_id))
    notes = ["the runs chunk differently: chunks are compared by document and span"] if spans else []
    return DiffView(
        view="diff",
        a=a.card(),
        b=b.card(),
        differences=tuple(differences(a, b)),
        first=dict(Counter(c.stage or "none" for c in changes).most_common()),
        queries=tuple(changes),
        stages=None if asked is None else tuple(found[wanted[0]]),
        only_in_a=tuple(q for q in sides[0].questions if q not in both),
        only_in_b=tuple(q for q in sides[1].questions if q not in both),
        notes=tuple(notes),
    )


def _one(asked: str, both: Sequence[str], side: Outputs) -> str:
    if asked in both:
        return asked
    by_text = next((q for q in both if side.questions[q][0] == asked), None)
    if by_text is None:
        near = did_you_mean(asked, both, [*both[:20], "…"] if len(both) > 20 else None)
        raise RequestError(f"the two runs share no question '{one_line(asked)}'; {near}")
    return by_text


def _stages(a: Stored, b: Stored) -> list[str]:
    """The stages that at least one of two runs has, in the order of the pipeline."""
    runs = (a.run, b.run)
    legs = sorted({leg for r in runs for leg in r.legs})
    limits = {k for r in runs for k, v in r.config["threshold"].items() if v is not None}
    has = {
        "filter": any(r.config["filter"] for r in runs),
        "threshold.similarity": "similarity" in limits,
        "fusion": any(len(r.legs) > 1 for r in runs),
        "threshold.score": "score" in limits,
        "reranker": any("reranker" in r.meta["identities"] for r in runs),
    }
    return [*(f"retrieval.{leg}" for leg in legs), *(s for s, on in has.items() if on), "cut", "expansion"]


def _compared(query: str, stages: Sequence[str], sides: tuple[Outputs, Outputs]) -> list[StageDiff]:
    mine, other = (side.of(query, stages) for side in sides)
    return [_stage(stage, mine[stage], other[stage]) for stage in stages]


def _stage(stage: str, a: Output, b: Output) -> StageDiff:
    entered, left = tuple(c for c in b if c not in a), tuple(c for c in a if c not in b)
    moved, rescored = [], 0
    for chunk, (rank_a, score_a) in a.items():
        rank_b, score_b = b.get(chunk, (None, None))
        if rank_a is not None and rank_b is not None and rank_a != rank_b:
            moved.append(Moved(chunk, rank_a, rank_b))
        rescored += score_a is not None and score_b is not None and abs(score_a - score_b) > _SAME
    change: Change = "items" if entered or left else "order" if moved else "scores" if rescored else "same"
    return StageDiff(stage, change, len(a), len(b), entered, left, tuple(moved), rescored)


def _change(query: str, found: Sequence[StageDiff], sides: tuple[Outputs, Outputs]) -> QueryChange:
    first = next((s for s in found if s.change != "same"), None)
    cut = next(s for s in found if s.stage == "cut")
    said = (sides[0].questions[query][1], sides[1].questions[query][1])
    why: Reason = "none" if first is None else reason(first.stage, sides[0].stored, sides[1].stored, said)
    measured = [side.measures.get(query, {}) for side in sides]
    return QueryChange(
        query_id=query,
        text=sides[0].questions[query][0],
        change=distance(*(_context(side, query) for side in sides)),
        stage=None if first is None else first.stage,
        reason=why,
        entered=len(cut.entered),
        left=len(cut.left),
        moved=len(cut.moved),
        measures={m: (v, measured[1][m]) for m, v in measured[0].items() if m in measured[1]},
    )


def _context(side: Outputs, query: str) -> Spans:
    return [side.returned[row["chunk_id"]] for row in side.contexts.get(query, [])]


def distance(a: Spans, b: Spans) -> float:
    """1 − |A ∩ B| ÷ |A ∪ B| over the code points of two lists of spans (Jaccard); 0 for two empty ones."""
    sizes = [_size(s) for s in (a, b, [*a, *b])]
    shared = sizes[0] + sizes[1] - sizes[2]
    return 1 - shared / sizes[2] if sizes[2] else 0.0


def _size(spans: Iterable[tuple[str, int, int]]) -> int:
    """Code points in the union of spans."""
    total, document, reached = 0, None, 0
    for doc_id, start, end in sorted(spans):
        if doc_id != document:
            document, reached = doc_id, 0
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total
