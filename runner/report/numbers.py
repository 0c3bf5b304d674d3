"""The one form of each kind of number and list on a page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

_MINUS = "\u2212"
SHORT = 8
"""Characters of a key or digest on a page; the whole stands in its title."""


def measured(measure: str, value: float) -> str:
    """A value of a measure: `0.792`, of tokens `2,291` (below 100 with a decimal), of yields `0.0003`."""
    if measure.startswith("Tokens"):
        return f"{value:,.1f}" if abs(value) < 100 and value % 1 else f"{value:,.0f}"
    return _plain(f"{value:.4f}" if measure.startswith("Yield") else f"{value:.3f}")


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
