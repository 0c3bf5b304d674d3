"""An interval as a cell of a table: dot, whiskers, zero line and margin, on the column's one scale."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from markupsafe import Markup

from runner.report.charts._scale import Scale, bound, finite, within
from runner.report.charts._svg import px, svg

Kind = Literal["better", "worse", "same", "open"]
"""Of the verdict after correction; never of the interval itself."""

WIDTH = 132
_EDGE = 4
_FRAME = f'viewBox="0 0 {WIDTH} 16" width="{WIDTH}" height="16" aria-hidden="true"'
"""Hidden from readers of the screen: the same numbers stand as text in the row."""


def domain(intervals: Iterable[tuple[float, float, float]]) -> float:
    """The half width of a column's scale: a round number that no `(difference, low, high)` exceeds."""
    return bound(*(v for one in intervals for v in one))


def cell(
    difference: float, low: float, high: float, *, most: float, kind: Kind, margin: float = 0.0
) -> Markup:
    """One row of the column.

    Args:
        difference: to the baseline.
        low: low end of its interval.
        high: high end.
        most: the scale runs from -most to +most, see `domain`.
        kind: the verdict's.
        margin: differences up to it do not matter; drawn as a band, 0 draws none.

    Raises:
        ValueError: a value is not finite, or lies beyond `most`.
    """
    finite(margin)
    x = _scale(most)
    a, d, b = (px(x(within(v, -most, most))) for v in (low, difference, high))
    body = []
    if margin:
        left, right = x(-min(margin, most)), x(min(margin, most))
        body.append(f'<rect class="mg" x="{px(left)}" y="0" width="{px(right - left)}" height="16"/>')
    body += [
        f'<path class="z" d="M{px(x(0))} 0V16"/>',
        f'<path class="w" d="M{a} 8H{b}M{a} 5V11M{b} 5V11"/>',
        f'<circle class="d" cx="{d}" cy="8" r="3.5"/>',
    ]
    return svg(f'class="iv {kind}" {_FRAME}', body)


def _scale(most: float) -> Scale:
    return Scale(-most, most, _EDGE, WIDTH - _EDGE)
