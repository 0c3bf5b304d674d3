"""Notices: what a reader must know beside the numbers; each is one template, filled from the record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from runner.report import numbers

Level = Literal["warn", "block", "plain"]

TEMPLATES: dict[str, str] = {
    "neighbors": (
        "{sides}. Wider windows send more text to the model at the same top_k. "
        "Read the table at equal tokens before crediting the chunking."
    ),
    "embedding": "{sides}. Scores from different models do not describe the same set-up{cut}.",
    "cut": "; {k} of {run} were cut at the model's limit",
    "fallback": "The reranker failed for {k} of {n} questions and the fused order was used: {reason}.",
    "failed": "{cell} stopped at stage {stage}: {message}. It is in no table and no verdict.",
    "knobs": "neighbor_prev and neighbor_next do nothing for {strategies}{coincide}.",
    "coincide": "; {k} with another and were computed once",
    "unjudged": "{share} of hits unjudged: rank measures count them as not relevant.",
    "gap": "{difference} at {budget} tokens",
    "old": "Recorded with format {format}; {fields} did not exist.",
}


@dataclass(frozen=True, slots=True)
class Notice:
    """One warning or note."""

    level: Level
    head: str
    body: str


@dataclass(frozen=True, slots=True)
class Cut:
    """Chunks of a run that were longer than its model reads."""

    run: str
    chunks: int


def neighbors(sides: Sequence[tuple[Sequence[str], str]]) -> Notice:
    """The seed's first soft warning.

    Args:
        sides: the runs of each value, and the value: `±1/1`.
    """
    said = _sides(sides, "has", "have")
    return Notice("warn", "Neighbor Expansion differs:", _fill("neighbors", sides=said))


def embedding(sides: Sequence[tuple[Sequence[str], str]], cuts: Sequence[Cut] = ()) -> Notice:
    """The seed's second soft warning, with what the models did not read."""
    cut = "".join(_fill("cut", k=numbers.several(c.chunks, "chunk"), run=c.run) for c in cuts)
    said = _sides(sides, "uses", "use")
    return Notice("warn", "Embedding Model differs:", _fill("embedding", sides=said, cut=cut))


def _sides(sides: Sequence[tuple[Sequence[str], str]], one: str, many: str) -> str:
    return ", ".join(f"{numbers.listed(r)} {one if len(r) == 1 else many} {what}" for r, what in sides)


def fallback(failed: int, n: int, reason: str) -> Notice:
    """The reranker gave up for some questions."""
    body = _fill("fallback", k=numbers.count(failed), n=numbers.count(n), reason=reason.rstrip("."))
    return Notice("warn", "Reranker fallback", body)


def failed(cell: str, stage: str, message: str) -> Notice:
    """A cell that has no result."""
    body = _fill("failed", cell=cell, stage=stage, message=message.rstrip("."))
    return Notice("warn", "A cell failed", body)


def knobs(strategies: Sequence[str], coincide: int = 0) -> Notice:
    """Neighbor knobs that were asked for and do nothing."""
    same = f"{coincide} cell coincides" if coincide == 1 else f"{coincide:,} cells coincide"
    also = _fill("coincide", k=same) if coincide else ""
    body = _fill("knobs", strategies=numbers.listed(strategies), coincide=also)
    return Notice("plain", "Knobs not applied", body)


def unjudged(holes: int, hits: int) -> Notice:
    """Hits that carry no judgment."""
    return Notice("plain", "Unjudged hits", _fill("unjudged", share=numbers.share(holes / hits)))


def old(form: int, fields: Sequence[str]) -> Notice:
    """A run folder of an earlier format."""
    return Notice("plain", "Older record", _fill("old", format=str(form), fields=numbers.listed(fields)))


@dataclass(frozen=True, slots=True)
class Gaps:
    """What a comparison did not show."""

    undecided: tuple[float, int] | None = None
    """Difference at a token budget that the questions cannot decide, as a share, and the budget."""
    price: bool = True
    test_split: bool = True
    placebo: bool = True


def not_shown(gaps: Gaps) -> str:
    """The most decision-relevant gap; the fourth of the four facts on top of a page."""
    if gaps.undecided is not None:
        mean, budget = gaps.undecided
        return _fill("gap", difference=numbers.points(mean), budget=numbers.count(budget))
    missing = {
        "no price in the config": gaps.price,
        "no test split": gaps.test_split,
        "placebo not run": gaps.placebo,
    }
    return next((what for what, there in missing.items() if not there), "nothing left open")


def _fill(name: str, **slots: str) -> str:
    return TEMPLATES[name].format(**slots)
