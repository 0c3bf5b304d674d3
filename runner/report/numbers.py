"""The one form of each kind of number and list on a page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from runner.measure_names import is_cost

_MINUS, _FIXED = "\u2212", "\u00a0"
MISSING = "\u2013"
"""Stands where there is no value; the reason stands beside it."""
SHORT = 8
"""Characters of a key or digest on a page; the whole stands in its title."""


def measured(measure: str, value: float) -> str:
    """A value of a measure: `0.792`, of tokens `2,291` (below 100 with a decimal), of yields `0.0003`."""
    return _plain(f"{value:,.{_digits(measure, value)}f}")


def tabled(measure: str, value: float) -> str:
    """A mean as tables of text have it, which people subtract: `0.7919`, of tokens `948`."""
    return f"{value:,.0f}" if is_cost(measure) else f"{value:.4f}"


def difference(measure: str, value: float) -> str:
    """A difference in a measure, in the digits of `measured`: `+0.012`, `+1,308`, `0.000`."""
    return signed(value, _digits(measure, value))


def ends(measure: str, value: float, low: float | None, high: float | None) -> str:
    """The interval of a difference of `value`, in its digits: `\u22120.014 to +0.039`; `MISSING`: none."""
    return MISSING if low is None or high is None else interval(low, high, _digits(measure, value))


def _digits(measure: str, value: float) -> int:
    if is_cost(measure):
        return 1 if abs(value) < 100 and value % 1 else 0
    return 4 if measure.startswith("Yield") else 3


def signed(value: float, digits: int = 3) -> str:
    """Always with its sign, but for what is zero or rounds to it: `+0.012`, `\u22120.014`, `0.000`."""
    text = f"{value:+,.{digits}f}"
    return text.replace("-", _MINUS) if text.strip("+-0.,") else text.lstrip("+-")


def interval(low: float, high: float, digits: int = 3) -> str:
    """`\u22120.014 to +0.039`."""
    return f"{signed(low, digits)} to {signed(high, digits)}"


def share(value: float) -> str:
    """`79.2%`."""
    return f"{100 * value:.1f}%"


def points(value: float) -> str:
    """A difference of shares in points, without the word: `+11.0`."""
    return signed(100 * value, 1)


def points_interval(low: float, high: float) -> str:
    """`\u22121.4 to +3.9`."""
    return f"{points(low)} to {points(high)}"


def level(value: float) -> str:
    """The level of an interval: `95%`, `98.8%`, `99.98%`."""
    text = f"{100 * value:.{1 if value < 0.999 else 2}f}"
    return f"{text.rstrip('0').rstrip('.')}%"


def p_value(p: float) -> str:
    """After the letter p: `< 0.001`, `= 0.034` below 0.1, `= 0.51`; never 0."""
    return f"<{_FIXED}0.001" if p < 0.001 else f"={_FIXED}{p:.{3 if p < 0.1 else 2}f}"


def about(number: int | None) -> str:
    """Questions needed, in two significant digits: `about 2,900`; missing where no number would do."""
    if number is None:
        return MISSING
    unit = 10 ** max(len(str(number)) - 2, 0)
    return f"about {round(number / unit) * unit:,}"


def milliseconds(value: float) -> str:
    """Without its unit below 10 s, which the head of a column names: `14.2`, `142`; from there `12.4 s`."""
    if value >= 10_000:
        return f"{value / 1000:,.1f} s"
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def score(value: float) -> str:
    """A score: three decimals, four where it is small."""
    return _plain(f"{value:.4f}" if abs(value) < 0.1 else f"{value:,.3f}")


def _plain(text: str) -> str:
    """With a true minus, and no sign on zero."""
    return text.replace("-", _MINUS) if text.strip("-0.") else text.lstrip("-")


def count(value: int) -> str:
    """`2,291`."""
    return f"{value:,}"


def duration(seconds: float) -> str:
    """`< 0.1 ms`, `0.4 ms`, `142 ms`, `12.4 s`, `3 min 20 s`."""
    if seconds < 0.00005:
        return "< 0.1 ms"
    if seconds < 0.1:
        return f"{seconds * 1000:.1f} ms"
    if seconds < 10:
        return f"{seconds * 1000:,.0f} ms"
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


def day(iso: str) -> str:
    """`30 Nov 2026`, or what was recorded if that is no date."""
    try:
        found = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    return f"{found.day} {found:%b %Y}"


def several(n: int, thing: str, things: str | None = None) -> str:
    """`1 hit`, `5 hits`."""
    return f"{n:,} {thing if n == 1 else things or thing + 's'}"


def listed(words: Sequence[object]) -> str:
    """`1`, `1 and 2`, `1, 2 and 3`."""
    texts = [str(w) for w in words]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}" if texts else ""


def cells(nums: Sequence[int]) -> str:
    """`cell 0`, `cells 3, 4 and 5`."""
    return f"{'cell' if len(nums) == 1 else 'cells'} {listed(nums)}"
