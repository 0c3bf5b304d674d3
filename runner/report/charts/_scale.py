"""Scales: where a value lies on an axis, and which round values the axis names."""

from __future__ import annotations

import math
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_BOUNDS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.5, 10.0)
_ROUNDING = 1e-9
"""Ratios this near to 1 are 1: the rest is rounding."""


def finite(*values: float | None) -> None:
    """Refuse what cannot be drawn.

    Raises:
        ValueError: a value is NaN or infinite.
    """
    for value in values:
        if value is not None and not math.isfinite(value):
            raise ValueError(f"a chart cannot show {value}")


def within(value: float, low: float, high: float) -> float:
    """The value, which must lie in `[low, high]`; what is outside by rounding only is the end.

    Raises:
        ValueError: it is not finite, or lies outside.
    """
    finite(value, low, high)
    slack = _ROUNDING * max(abs(low), abs(high))
    if not low - slack <= value <= high + slack:
        raise ValueError(f"a chart from {low} to {high} cannot show {value}")
    return min(max(value, low), high)


def step(low: float, high: float, want: int) -> float:
    """The least of 1, 2, 2.5, 5 times a power of ten that cuts `[low, high]` in at most `want` parts."""
    raw = (high - low) / want
    power = 10.0 ** math.floor(math.log10(raw))
    return next(s * power for s in _STEPS if s * power >= raw * (1 - _ROUNDING))


def ticks(low: float, high: float, want: int = 5) -> list[float]:
    """The multiples of `step` in `[low, high]`; `[low]` if the two are equal."""
    finite(low, high)
    if low >= high:
        return [low]
    width = step(low, high, want)
    first, last = math.ceil(low / width - _ROUNDING), math.floor(high / width + _ROUNDING)
    return [round(i * width, _decimals(width)) for i in range(first, last + 1)]


def _decimals(width: float) -> int:
    """How many decimals multiples of `width` need."""
    return next(
        (d for d in range(12) if abs(width * 10**d - round(width * 10**d)) < _ROUNDING * 10**d * width), 12
    )


def bound(*values: float) -> float:
    """The least of 1, 1.5, 2, 3, 5, 7.5 times a power of ten that no |value| exceeds; 1 if all are 0."""
    finite(*values)
    most = max((abs(v) for v in values), default=0.0)
    if most == 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(most))
    found = next((b for b in _BOUNDS if b * power >= most * (1 - _ROUNDING)), 10.0) * power
    return round(found, _decimals(found))


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear map from `[low, high]` to pixels `[start, end]`; `end` may be the smaller."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The pixel of a value."""
        return self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale with the values it names, and how many decimals they need."""

    scale: Scale
    ticks: list[float]
    decimals: int

    def label(self, tick: float) -> str:
        """A tick as text: the axis's decimals, thousands with a comma, a true minus, zero without sign."""
        text = f"{tick:,.{self.decimals}f}"
        return text.replace("-", "\u2212") if text.strip("-0.,") else text.lstrip("-")


def axis(low: float, high: float, start: float, end: float, want: int = 5) -> Axis:
    """An axis that begins and ends at a tick and holds `[low, high]`."""
    finite(low, high)
    if high - low <= _ROUNDING * max(abs(low), abs(high)):  # equal but for rounding
        half = abs(low) * 0.1 or 0.5
        low, high = low - half, high + half
    width = step(low, high, want)
    first, last = math.floor(low / width + _ROUNDING), math.ceil(high / width - _ROUNDING)
    decimals = _decimals(width)
    named = [round(i * width, decimals) for i in range(first, last + 1)]
    return Axis(Scale(named[0], named[-1], start, end), named, decimals)
