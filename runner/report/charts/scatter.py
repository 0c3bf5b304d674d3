"""Quality against tokens: a point with its interval per cell, the Pareto front, labels on the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from runner.report.charts._labels import Box, place
from runner.report.charts._scale import Axis, Scale, axis, finite, step, ticks
from runner.report.charts._svg import WIDTH, chart, clipped, mark, path, px, text

_HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 380, 48, 20, 14, 44
_ALL_LABELLED = 20
"""With more points than that, only the front and the baseline have names: the rest stands in the table."""
_NAME = 28


@dataclass(frozen=True, slots=True)
class Point:
    """One cell."""

    name: str
    group: str
    """Gives shape and colour: its strategy."""
    tokens: float
    """Mean tokens of the context of a question."""
    value: float
    """Mean of the measure."""
    low: float | None = None
    """Ends of its interval; None: it has none."""
    high: float | None = None
    baseline: bool = False


def front(points: Sequence[Point]) -> list[Point]:
    """The points that no other beats (as few tokens and a higher value, or fewer and as high), by tokens."""
    out: list[Point] = []
    for p in sorted(points, key=lambda p: (p.tokens, -p.value)):
        if not out or p.value > out[-1].value:
            out.append(p)
    return out


def scatter(points: Sequence[Point], *, name: str, table: str, x_label: str, y_decimals: int = 2) -> Markup:
    """The chart.

    Args:
        points: at least one.
        name: what it shows.
        table: where the same values stand as text.
        x_label: what the horizontal axis counts.
        y_decimals: least decimals of the vertical axis.

    Raises:
        ValueError: no point, or a value is not finite.
    """
    if not points:
        raise ValueError("a scatter needs a point")
    for p in points:
        finite(p.tokens, p.value, p.low, p.high)
    most = max(p.tokens for p in points) * 1.08 or 1.0
    x = Scale(0.0, most, _LEFT, WIDTH - _RIGHT)
    values = [v for p in points for v in (p.low, p.value, p.high) if v is not None]
    y = axis(min(values), max(values), _HEIGHT - _BOTTOM, _TOP)
    best = front(points)
    body = [*_axes(x, y, x_label, y_decimals), _front(best, x, y.scale)]
    body += [_hair(p, x, y.scale) for p in points if p.low is not None or p.high is not None]
    order = groups(points)
    body += [mark(order.index(p.group), x(p.tokens), y.scale(p.value)) for p in points]
    body += _names(points, best, x, y.scale)
    return chart(name, table, _HEIGHT, body)


def groups(points: Sequence[Point]) -> list[str]:
    """The groups in the order of their marks, for the key."""
    return list(dict.fromkeys(p.group for p in points))


def _axes(x: Scale, y: Axis, x_label: str, y_decimals: int) -> list[str]:
    right, floor = WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    said = Axis(y.scale, y.ticks, max(y.decimals, y_decimals))
    out = []
    for t in y.ticks:
        out.append(
            path("grid", f"M{_LEFT} {px(y.scale(t))}H{right}")
            + text(_LEFT - 8, y.scale(t) + 4, said.label(t), "e")
        )
    decimals = 0 if step(0, x.high, 6) >= 1 else 1
    across = Axis(x, ticks(0, x.high, 6), decimals)
    out += [text(x(t), floor + 18, across.label(t), "m") for t in across.ticks]
    return [*out, path("axis", f"M{_LEFT} {floor}H{right}"), text(right, _HEIGHT - 6, x_label, "e")]


def _front(best: Sequence[Point], x: Scale, y: Scale) -> str:
    steps = "".join(f"H{px(x(p.tokens))}V{px(y(p.value))}" for p in best[1:])
    return path("front", f"M{px(x(best[0].tokens))} {px(y(best[0].value))}{steps}H{WIDTH - _RIGHT}")


def _hair(p: Point, x: Scale, y: Scale) -> str:
    low, high = (p.value if v is None else v for v in (p.low, p.high))
    return path("hair", f"M{px(x(p.tokens))} {px(y(low))}V{px(y(high))}")


def _names(points: Sequence[Point], best: Sequence[Point], x: Scale, y: Scale) -> list[str]:
    """Names of the front first: where there is no room, they are the ones to keep."""
    first = [*best, *(p for p in points if p.baseline and p not in best)]
    named = [*first, *(p for p in points if p not in first)] if len(points) <= _ALL_LABELLED else first
    marks = [Box(x(p.tokens) - 7, y(p.value) - 7, x(p.tokens) + 7, y(p.value) + 7) for p in points]
    anchors = [(x(p.tokens), y(p.value), clipped(p.name, _NAME)) for p in named]
    frame = Box(_LEFT, 2, WIDTH, _HEIGHT - _BOTTOM)
    out = []
    for p, label in zip(named, place(anchors, frame, marks, _lines(best, x, y)), strict=True):
        if label is not None:
            cls = " ".join(c for c in ("e" * label.end, "k" * (p in best), "halo") if c)
            out.append(text(label.x, label.y, label.words, cls))
    return out


def _lines(best: Sequence[Point], x: Scale, y: Scale) -> list[Box]:
    """The pieces of the front, which labels avoid where they can."""
    corners = [(x(p.tokens), y(p.value)) for p in best]
    ends = [*(c[0] for c in corners[1:]), float(WIDTH - _RIGHT)]
    flat = [Box(cx, cy - 1, end, cy + 1) for (cx, cy), end in zip(corners, ends, strict=True)]
    return flat + [Box(bx - 1, by, bx + 1, ay) for (_, ay), (bx, by) in pairwise(corners)]
