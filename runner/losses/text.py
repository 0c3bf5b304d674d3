"""The text form of `why`: the waterfall of a run, the gold of a question, and what single changes brought."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runner import keys
from runner.fates import FOUND
from runner.inspector.forms import Block, Facts, Prose, Table, Title, excerpt, whole
from runner.loss_records import Confirmation, Depth, GoldItem, StageLoss, Verdict, WhyQuery, WhyRun
from runner.losses.said import MEANING
from runner.text import thousandths

_QUOTE = 80
"""Characters shown of a gold text."""


def run(view: WhyRun) -> Iterator[Block]:
    """The waterfall, the ceilings, and the worst questions of each stage."""
    yield Title(f"Where the gold of run {view.run[: keys.SHORT]} ({view.data_set}) was lost")
    yield Prose(f"{view.n:,} gold items of {view.questions:,} questions.")
    left = 1000 if view.n else 0
    rows = [["gold", f"{view.n:,}", _percent(left / 1000), _percent(left / 1000), ""]]
    for stage, share in zip(view.stages, thousandths([s.items for s in view.stages]), strict=True):
        left -= 0 if stage.stage in FOUND else share
        rows.append(_step(stage, share, left))
    yield Table(["stage", "items", "share", "left", "which means"], rows, right=[1, 2, 3])
    yield Table(
        ["ceiling after", "items", "share"],
        [[c.stage, f"{c.items:,}", _percent(c.share)] for c in view.ceilings],
        right=[1, 2],
    )
    yield Prose("A ceiling is what could be in the context if everything after that stage were perfect.")
    for stage in view.stages:
        if stage.worst:
            yield Title(f"{stage.stage}: {_counted(stage)}, the worst of them")
            yield Table(
                ["question", "asks", "gold", "lost", "why"],
                [
                    [q.query_id, excerpt(q.text, _QUOTE), excerpt(q.item.quote, _QUOTE),
                     f"{q.lost} of {q.n_gold}", q.item.says]
                    for q in stage.worst
                ],
            )  # fmt: skip
            for q in stage.worst:
                if q.item.deeper:
                    yield _deeper(q.item.deeper, q.query_id)
    yield from _notes(view.notes)


def _counted(stage: StageLoss) -> str:
    items = "1 item" if stage.items == 1 else f"{stage.items:,} items"
    return f"{items} of {'1 question' if stage.questions == 1 else f'{stage.questions:,} questions'}"


def _step(stage: StageLoss, share: int, left: int) -> list[str]:
    kept = stage.stage in FOUND
    sign = "+" if kept else "−" if stage.items else ""
    shares = [_percent(share / 1000), "" if kept else _percent(left / 1000)]
    return [stage.stage, f"{sign}{stage.items:,}", *shares, MEANING[stage.stage]]


def query(view: WhyQuery) -> Iterator[Block]:
    """Each gold item of a question, and what was tried."""
    yield Title(f"Where the gold of question {view.query_id} was lost, in run {view.run[: keys.SHORT]}")
    yield Prose(excerpt(view.text))
    if not view.items:
        yield Prose("This question has no gold.")
    for i, item in enumerate(view.items, 1):
        yield Facts(_item(i, item))
        if item.deeper:
            yield _deeper(item.deeper, f"item {i}")
    if view.confirmation:
        yield from _confirmation(view.confirmation)
    yield from _notes(view.notes)


def _item(i: int, item: GoldItem) -> list[tuple[str, str]]:
    at = "the whole document" if item.start is None else f"characters {item.start:,} to {item.end or 0:,}"
    ranks = [f"{leg} {whole(rank) or '–'}" for leg, rank in item.legs.items()]
    after = (("fused", item.fused_rank), ("reranked", item.rerank_rank), ("final", item.final_rank))
    ranks += [f"{name} {rank}" for name, rank in after if rank is not None]
    shares = (
        f"one chunk or window {item.held:.0%}, hits {item.covered:.0%}, context {item.covered_expanded:.0%}"
    )
    return [
        (f"item {i}", f"{item.doc_id}, {at}, grade {item.grade}"),
        ("gold", excerpt(item.quote, _QUOTE)),
        ("stage", f"{item.stage}: {MEANING[item.stage]}"),
        ("why", item.says),
        ("held by", shares),
        ("ranks", f"{item.chunk_id or '–'}: {', '.join(ranks)}"),
    ]


def _deeper(depths: Sequence[Depth], what: str) -> Block:
    said = [
        f"{d.leg}: rank {d.rank:,} of {d.of:,} ({d.chunk_id}, score {d.score:.4f})"
        if d.rank is not None
        else f"{d.leg}: at no depth ({d.of:,} chunks have a score)"
        for d in depths
    ]
    return Prose(f"{what}, deeper look (exact, taken now, no part of the run): {'; '.join(said)}")


def _confirmation(found: Confirmation) -> Iterator[Block]:
    yield Title("One thing changed at a time")
    yield Table(
        ["change", "back", "lost", "tokens", "added", "items then"],
        [
            [c.says, whole(c.brings_back), whole(c.loses), f"{c.tokens:,}", f"{c.tokens_added:+,}",
             ", ".join(c.stages)]
            for c in found.changes
        ],
        right=[1, 2, 3, 4],
    )  # fmt: skip
    yield Prose(f"The context of the run has {found.tokens:,} tokens.")
    for verdict in found.verdicts:
        yield Prose(_verdict(verdict))
    for said in found.not_tried:
        yield Prose(f"not tried: {said}")


def _verdict(v: Verdict) -> str:
    head = f"item {v.item + 1}: {v.stage} "
    if v.confirmed:
        head += f"CONFIRMED: {', '.join(v.by)} brings it back, nothing else changed."
    elif v.then:
        head += f"inferred, not confirmed: with that undone it is lost at {', '.join(v.then)}."
    else:
        head += "inferred, not confirmed: there is no change that undoes it."
    if v.cheapest is None:
        return f"{head} No single change that was tried does."
    return head if v.by == (v.cheapest,) else f"{head} Cheapest change that does: {v.cheapest}."


def _percent(share: float) -> str:
    return f"{share:.1%}"


def _notes(notes: Sequence[str]) -> Iterator[Block]:
    for note in notes:
        yield Prose([("note: ", "yellow"), (note, "")])
