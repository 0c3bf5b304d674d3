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
    "gap": "{difference} points at {budget} tokens",
}


NAMED = 60
"""Characters of the names on one side of a warning; of more it says how many runs they are."""


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
    """Who has what; where the names are long, how many."""
    lists = [numbers.listed(r) for r, _ in sides]
    named = [who if len(who) <= NAMED else numbers.several(len(r), "run")
             for who, (r, _) in zip(lists, sides, strict=True)]  # fmt: skip
    return ", ".join(
        f"{who} {one if len(r) == 1 else many} {what}" for who, (r, what) in zip(named, sides, strict=True)
    )


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
