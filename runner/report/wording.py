"""Wording: each sentence of a verdict is one template, filled from the record and picked by one rule.

Never "significant", never "no difference" for what is undecided, "best" only for a winner by the 90% rule, no
advice. Templates are plain texts with slots, so the page that compares in the browser can fill the same ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from runner.report import numbers
from runner.report.claim import Claim, size, slots
from runner.statistics.winner import SURE

Kind = Literal["better", "worse", "same", "open", "block", "warn"]
"""A class of the style sheet, with its shape."""

FAR = 10
"""An undecided comparison that needs more than so many times its questions is said to be out of reach."""

TAGS: dict[str, tuple[Kind, str]] = {
    "better": ("better", "Better"),
    "worse": ("worse", "Worse"),
    "equivalent": ("same", "Equivalent within \u00b1{margin}"),
    "undecided": ("open", "Undecided"),
    "nothing": ("open", "Nothing to compare"),
    "no winner": ("open", "No clear winner"),
    "construction": ("same", "Equal by construction"),
    "adds": ("open", "Cannot be negative"),
    "takes": ("open", "Cannot be positive"),
    "dearer": ("worse", "Costs more"),
    "cheaper": ("better", "Cheaper"),
    "blocked": ("block", "Blocked"),
    "failed": ("block", "Failed"),
    "placebo": ("block", "Not shown: placebo gains too"),
}

TEMPLATES: dict[str, str] = {
    "better": "{change} {gains} ({interval}, {n} questions, Holm p\u00a0{p}){cost}.",
    "not at equal tokens": "{change} {brings}{price}. At equal tokens, no gain is shown.",
    "worse at equal tokens": "{change} {brings}{price}; but{at} it {loses} ({interval}, Holm p\u00a0{p}).",
    "worse": "{change} {loses} ({interval}, {n} questions, Holm p\u00a0{p}){saving}.",
    "equivalent": "{change} and {base} are equal within \u00b1{margin}{at} ({ends}){cheaper}.",
    "undecided": (
        "{n} questions cannot tell {change} from {base}{at}: {difference} ({ends}). "
        "{need} questions would decide it at 80% power."
    ),
    "undecided, far": (
        "{n} questions cannot tell {change} from {base}{at}: {difference} ({ends}). Even ten times as many "
        "would not decide it; a difference of this size matters only if {limit} says so."
    ),
    "too few": "{n} questions are too few to tell {change} from {base}{at}: {difference}.",
    "construction": "{measure} is the same in both ({reason}).",
    "adds": "The difference in {measure} cannot be negative: {reason}.",
    "takes": "The difference in {measure} cannot be positive: {reason}.",
    "axes": "{axes} differ at once, so the {what} cannot be given to {axis} alone.",
    "blocked": "No verdict: {what} differs ({a} / {b}). `--force` shows the numbers, marked.",
    "one cell": "One cell, nothing to compare: {measure} {value}{ends}.",
    "winner": "{cell} is the best of {m} cells: first in {share} of resamples.",
    "no winner": (
        "No clear winner: {cell} is first in {share} of resamples; a winner is named from 90%. "
        "{alike} cannot be told apart from {base}."
    ),
    "no winner, though": (
        "No clear winner: {cell} is first in {share} of resamples, but is not shown to be better than every "
        "other cell. {alike} cannot be told apart from {base}."
    ),
    "unfilled": (
        "{runs} of those compared at {budget} tokens {verb} smaller than that; the smallest has {tokens} on "
        "average: {cell}."
    ),
    "also, one": "One other cell is better at equal tokens: {cells}.",
    "also, several": "{k} other cells are better at equal tokens: {cells}.",
}


@dataclass(frozen=True, slots=True)
class Tag:
    """A verdict in a word or two, with its shape."""

    kind: Kind
    words: str


@dataclass(frozen=True, slots=True)
class Headline:
    """The answer on top of a page."""

    kind: Kind
    tags: tuple[Tag, ...]
    sentence: str


def tag(name: str, where: str = "", margin: str = "") -> Tag:
    """A tag of `TAGS`; `where` follows it: "at equal tokens"."""
    kind, words = TAGS[name]
    return Tag(kind, f"{words.format(margin=margin)}{' ' if where else ''}{where}")


def headline(at_k: Claim, at_tokens: Claim | None = None, *, constructed: str = "") -> Headline:
    """The verdict of a comparison at equal top_k and, if the record has it, at equal tokens.

    A gain that more context buys is never the headline alone: the sentence says what is left at equal tokens.

    Args:
        at_k: at equal top_k.
        at_tokens: at a token budget.
        constructed: why the configs alone decide the comparison at equal top_k, which then means nothing.
    """
    if at_tokens is None:
        if constructed:
            certain = tag(certainty(constructed))
            return Headline(certain.kind, (certain,), construction(at_k.thing, constructed))
        return Headline(tag(at_k.verdict).kind, (_tagged(at_k),), sentence(at_k))
    tags = (_tagged(at_k, "at equal top_k"), _tagged(at_tokens, "at equal tokens"))
    if at_k.verdict == "better" and at_tokens.verdict != "better":
        if at_tokens.verdict == "worse":
            there = {k: v for k, v in slots(at_tokens).items() if k in ("at", "interval", "p")}
            there["loses"] = slots(replace(at_tokens, budget=None))["loses"]
            return Headline("worse", tags, _fill("worse at equal tokens", **{**slots(at_k), **there}))
        return Headline(tags[1].kind, tags, _fill("not at equal tokens", **slots(at_k)))
    lead = at_k if at_k.verdict == "better" and not constructed else at_tokens
    return Headline(tags[1].kind, tags, sentence(lead))


def sentence(claim: Claim) -> str:
    """The sentence of one comparison, by its verdict."""
    return _fill(_rule(claim), **slots(claim))


def outcome(row: Mapping[str, Any]) -> Tag:
    """A row of the comparison record in few words: `undecided; about 2,900 questions would decide`."""
    if row["constructed"]:
        return Tag("same", f"by construction: {row['constructed']}")
    if row["verdict"] == "cost":
        dearer = (row["difference"] > 0) - (row["difference"] < 0)
        return (Tag("same", "costs the same"), Tag("worse", "costs more"), Tag("better", "cheaper"))[dearer]
    if row["verdict"] == "undecided":
        need = f"; {numbers.about(row['needed'])} questions would decide" if row["needed"] else ""
        return Tag("open", f"undecided{need}")
    return Tag(TAGS[row["verdict"]][0], str(row["verdict"]))


def _rule(claim: Claim) -> str:
    if claim.verdict != "undecided":
        return claim.verdict
    if claim.interval is None:
        return "too few"
    return "undecided" if claim.needed is not None and claim.needed <= FAR * claim.n else "undecided, far"


def _tagged(claim: Claim, where: str = "") -> Tag:
    return tag(claim.verdict, where, size(claim, claim.margin))


def also(claims: Sequence[Claim]) -> str:
    """The second line: every other cell that is better at equal tokens; empty if there is none."""
    if not claims:
        return ""
    said = []
    for c in claims:
        s = slots(c)
        said.append(f"{c.change}, {s['difference']} ({s['ends']}, Holm p\u00a0{s['p']})")
    name = "also, one" if len(claims) == 1 else "also, several"
    return _fill(name, k=numbers.count(len(claims)), cells="; ".join(said))


def winner(cell: str, share: float, m: int, *, named: bool, alike: int, base: str) -> str:
    """Who is first among `m` cells; `alike` of them cannot be told apart from the baseline."""
    facts = {"cell": cell, "share": f"{100 * share:.0f}%", "m": numbers.count(m), "base": base}
    rule = "winner" if named else "no winner" if share < SURE else "no winner, though"
    return _fill(rule, **facts, alike=numbers.several(alike, "cell"))


def one_cell(measure: str, value: float, interval: tuple[float, float] | None, level: float, n: int) -> str:
    """The sentence of an experiment with one cell: its mean over `n` questions, with the interval."""
    said = [numbers.measured(measure, v) for v in (value, *(interval or ()))]
    ends = f"{numbers.level(level)} interval {said[1]} to {said[2]}, " if interval else ""
    return _fill(
        "one cell", measure=measure, value=said[0], ends=f" ({ends}{numbers.several(n, 'question')})"
    )


def construction(measure: str, reason: str) -> str:
    """What the configs alone decide of a measure; `reason` as the comparison record has it."""
    return _fill(certainty(reason), measure=measure, reason=reason)


def certainty(reason: str) -> str:
    """The name of the tag and of the template for what is certain by construction."""
    if reason.startswith("same hits"):
        return "construction"
    return "adds" if reason == "expansion only adds" else "takes"


def axes(names: Sequence[str], mean: float) -> str:
    """More than one axis differs: the difference belongs to none of them alone; empty where one does."""
    if len(names) < 2:
        return ""
    count = {2: "Two", 3: "Three"}.get(len(names), numbers.count(len(names)))
    what = "gain" if mean > 0 else "loss" if mean < 0 else "difference"
    return _fill("axes", axes=f"{count} axes", what=what, axis=numbers.listed(names).replace(" and ", " or "))


def unfilled(short: Sequence[tuple[str, float]], budget: int) -> str:
    """Contexts that are smaller than the budget they are compared at: who, and their tokens."""
    least = min(short, key=lambda s: s[1])
    return _fill(
        "unfilled", budget=numbers.count(budget), runs=numbers.several(len(short), "context"),
        verb="is" if len(short) == 1 else "are", cell=least[0], tokens=f"{least[1]:,.0f}",
    )  # fmt: skip


def _fill(name: str, **slots: str) -> str:
    return TEMPLATES[name].format(**slots)
