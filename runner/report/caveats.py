"""Caveats: soft warnings that two set-ups must not be read as one, and the notes of the runs themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runner.report import numbers
from runner.report.glossary import column
from runner.report.setups import Setup


@dataclass(frozen=True, slots=True)
class Caveat:
    """A soft warning: what differs, between which cells, and how to read the table then."""

    subject: str
    sides: list[tuple[str, str]]
    """Which cells, and what they have."""
    advice: str

    @property
    def said(self) -> str:
        """Both in one text."""
        sides = "; ".join(
            f"{w} {'have' if w.startswith('cells') else 'has'} {what}" for w, what in self.sides
        )
        return f"{sides}. {self.advice}"


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence of one or more runs."""

    text: str
    cells: str


def caveats(setups: Sequence[Setup]) -> list[Caveat]:
    """The soft warnings of these set-ups; shown even where the difference is the declared axis."""
    return [c for c in (_neighbors(setups), _embeddings(setups)) if c is not None]


def _sides(setups: Sequence[Setup], said: Sequence[str]) -> list[tuple[str, str]]:
    """The cells of each thing said, in order."""
    by: dict[str, list[int]] = {}
    for setup, what in zip(setups, said, strict=True):
        by.setdefault(what, []).extend(setup.nums)
    return [(numbers.cells(sorted(nums)), what) for what, nums in by.items()]


def _neighbors(setups: Sequence[Setup]) -> Caveat | None:
    if len({s.expansion[:2] for s in setups}) < 2:
        return None
    said = [
        s.run.badge.text
        if s.expansion[2]
        else f"no expansion (not applied: {s.run.config['strategy']['name']})"
        for s in setups
    ]
    columns = [column(m["measure"]) for s in setups for m in s.run.measures]
    budgets = list(dict.fromkeys(c.measure for c in columns if c.budget))
    tokens = list(dict.fromkeys(c.measure for c in columns if c.base == "Tokens" and c.expanded))
    advice = (
        "Wider windows send more text to the model at the same top_k. "
        "Read the table at equal tokens before crediting the chunking"
    )
    if budgets:
        advice += f": {numbers.listed(budgets)} gives every cell the same budget."
    elif tokens:
        advice += f"; no measure here has a token budget, so hold {numbers.listed(tokens)} beside each gain."
    else:
        advice += "; this sweep has no measure at a token budget."
    return Caveat("Neighbor Expansion differs", _sides(setups, said), advice)


def _embeddings(setups: Sequence[Setup]) -> Caveat | None:
    identities = [s.run.meta["keys"]["model"] for s in setups]
    if len(set(identities)) < 2:
        return None
    cut = [
        f"{s.run.stage('embedding')['truncated']:,} chunks of {s.label} were cut at the model's limit"
        for s in setups
        if s.run.stage("embedding").get("truncated")
    ]
    advice = "; ".join(["Scores from different models do not describe the same set-up", *cut]) + "."
    return Caveat("Embedding Model differs", _sides(setups, [model(s) for s in setups]), advice)


def model(setup: Setup) -> str:
    """The embedding of a set-up: name, weights, identity."""
    identity = setup.run.meta["keys"]["model"]
    if identity is None:
        return "no embedding model (no leg reads vectors)"
    config = setup.run.config["embedding"]
    weights = str(config.get("model") or config.get("path") or "")
    return f"{config['name']}{f' ({weights})' if weights else ''}, identity {identity[: numbers.SHORT]}"


def notes(setups: Sequence[Setup]) -> list[Note]:
    """What the runs say beside their numbers, each sentence once, with the cells that say it."""
    by: dict[str, list[int]] = {}
    for setup in setups:
        for text in [*_folded(setup), *_judged(setup)]:
            by.setdefault(text, []).extend(setup.nums)
    everyone = {n for s in setups for n in s.nums}
    return [
        Note(text, "all runs" if set(nums) == everyone and len(setups) > 1 else numbers.cells(sorted(nums)))
        for text, nums in by.items()
    ]


def _folded(setup: Setup) -> list[str]:
    """The warnings of a run; what is said of several measures alike is said once."""
    measures = {m["measure"] for m in setup.run.measures}
    by: dict[str, list[str]] = {}
    for text in setup.run.meta["warnings"]:
        word, _, rest = text.partition(" ")
        by.setdefault(rest if word in measures else text, []).append(word if word in measures else "")
    return [_of(words, rest) for rest, words in by.items()]


def _of(measures: Sequence[str], rest: str) -> str:
    named = [m for m in measures if m]
    if len(named) > 1:
        rest = rest.replace("sees ", "see ", 1)
    return f"{numbers.listed(named)} {rest}" if named else rest


def _judged(setup: Setup) -> list[str]:
    judged = setup.run.meta["judged"]
    if not judged:
        return []
    out = []
    if judged["excluded"]:
        out.append(f"{numbers.several(judged['excluded'], 'question')} without gold: in no mean")
    if judged["unanswered"]:
        out.append(
            f"{numbers.several(judged['unanswered'], 'judged question')} without any hit: they score 0"
        )
    if judged["holes"]:
        share = judged["holes"] / judged["hits"]
        out.append(
            f"{judged['holes']:,} of {judged['hits']:,} hits ({share:.0%}) carry no judgment: "
            "rank measures count them as not relevant"
        )
    return out
