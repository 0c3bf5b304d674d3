"""Verdicts: the words that follow by rule from an interval and a margin, and whether a gate opens."""

from __future__ import annotations

from typing import Literal

Verdict = Literal["better", "worse", "equivalent", "undecided"]
Standing = Literal["non-inferior", "inferior", "not shown"]
Interval = tuple[float, float]


def verdict(interval: Interval | None, margin: float) -> Verdict:
    """What an interval of candidate minus baseline decides.

    `equivalent`: it lies inside [-margin, +margin], even if 0 is outside it: what does not matter is neither
    better nor worse. These are two one-sided tests, each at half of the interval's alpha (Schuirmann, "A
    comparison of the two one-sided tests procedure and the power approach", Journal of Pharmacokinetics and
    Biopharmaceutics 15, 1987, uses the interval at 1 - 2 alpha; we use the one that is shown, which is
    stricter). Otherwise `better`: it lies above 0; `worse`: below 0; `undecided`: it contains 0, or there is
    none.

    Args:
        interval: low and high end, higher is better; None: too few queries to have one.
        margin: the difference that does not matter, at least 0, in units of the measure.
    """
    if interval is None:
        return "undecided"
    low, high = interval
    if -margin <= low and high <= margin:
        return "equivalent"
    if low > 0:
        return "better"
    return "worse" if high < 0 else "undecided"


def standing(mean: float, interval: Interval | None, margin: float) -> Standing:
    """Where a candidate stands against a baseline that it must not fall below by more than the margin.

    `inferior`: significantly worse (the interval lies below 0) and materially worse (the mean difference is
    below -margin). `non-inferior`: shown not to be materially worse (the interval lies above -margin). `not
    shown`: the queries show neither.

    So an unchanged candidate is called inferior with probability alpha / 2 at most, and one whose true loss
    is the margin at most half of the time; asking for the whole interval below -margin would let losses of
    several margins pass on few queries, though the comparison itself reads `worse`. Inferior always implies
    the verdict `worse`.
    """
    if interval is None:
        return "not shown"
    low, high = interval
    if high < 0 and mean < -margin:
        return "inferior"
    return "non-inferior" if low >= -margin else "not shown"


def passes(found: Standing, *, strict: bool) -> bool:
    """Whether a gate opens: unless inferior; `strict`: only if non-inferiority is shown."""
    return found == "non-inferior" if strict else found != "inferior"
