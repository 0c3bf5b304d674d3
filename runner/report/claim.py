"""A claim: one comparison of the record, and what the sentences about it may say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from runner.report import numbers

Verdict = Literal["better", "worse", "equivalent", "undecided"]

PHRASES: dict[str, str] = {
    "brings, share": "brings {amount} more of the {thing} to the model",
    "brings, score": "scores {amount} higher by {thing}",
    "gains, share": "finds {amount} more of the {thing}{at}",
    "gains, score": "scores {amount} higher by {thing}{at}",
    "loses, share": "finds {amount} less of the {thing}{at}",
    "loses, score": "scores {amount} lower by {thing}{at}",
}
"""How a difference is put: of a share of something, or in a score."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One comparison of the record, as its sentence needs it; numbers in units of the measure."""

    change: str
    """What was changed, as the subject of a sentence."""
    base: str
    thing: str
    """For a share, of what it is ("gold text"); else the measure's name."""
    mean: float
    """Mean difference, candidate minus baseline."""
    interval: tuple[float, float] | None
    level: float
    """Of the interval, such as 0.95."""
    n: int
    p: float
    """Corrected by Holm."""
    verdict: Verdict
    needed: int | None = None
    margin: float = 0.0
    share: bool = True
    """Shown in points of percent; else as it is, with three digits."""
    budget: int | None = None
    """Tokens to which both contexts were cut; None: at equal top_k."""
    tokens: tuple[float, float] | None = None
    """Mean tokens of the baseline's and the candidate's context."""


def slots(c: Claim) -> dict[str, str]:
    """What the templates of a comparison may show."""
    form = numbers.points_interval if c.share else numbers.interval
    ends = form(*c.interval) if c.interval else ""
    at = f" at {c.budget:,} tokens" if c.budget is not None else ""
    words = {"amount": size(c, c.mean), "thing": c.thing, "at": at}
    kind = "share" if c.share else "score"
    return {
        **words,
        **_costs(c),
        "change": c.change,
        "base": c.base,
        **{verb: PHRASES[f"{verb}, {kind}"].format(**words) for verb in ("brings", "gains", "loses")},
        "difference": f"{numbers.points(c.mean)} points" if c.share else numbers.signed(c.mean),
        "ends": ends,
        "interval": f"{numbers.level(c.level)} interval {ends}",
        "n": numbers.count(c.n),
        "p": numbers.p_value(c.p),
        "margin": size(c, c.margin),
        "limit": f"the margin of \u00b1{size(c, c.margin)}" if c.margin else "a margin",
        "need": numbers.about(c.needed).capitalize(),
    }


def _costs(c: Claim) -> dict[str, str]:
    """What the change costs; at equal tokens it costs nothing, so nothing is said."""
    if c.tokens is None or c.budget is not None:
        return dict.fromkeys(("cost", "price", "saving", "cheaper"), "")
    before, after = c.tokens
    more = f"{abs(after - before):,.0f} tokens"
    dear, cheap = (c.base, c.change) if after < before else (c.change, c.base)
    same = f"{before:,.0f}" == f"{after:,.0f}"
    times = "" if same or not before else f" for {after / before:.1f} times the tokens"
    return {
        "cost": times,
        "price": f",{times}" if times else "",
        "saving": "" if same else f"; it saves {more}" if dear == c.base else f"; it costs {more} more",
        "cheaper": "" if same else f"; {cheap} is cheaper by {more}",
    }


def size(c: Claim, value: float) -> str:
    """Without sign: `11.0 points`, `0.041`."""
    return f"{abs(100 * value):.1f} points" if c.share else f"{abs(value):.3f}"
