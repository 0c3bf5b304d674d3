"""A measure by token budget: a line with its band per run, named at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from runner.report.charts._labels import spread
from runner.report.charts._scale import Axis, Scale, axis, finite, ticks
from runner.report.charts._svg import WIDTH, chart, clipped, colour, mark, path, px, text

_HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 300, 44, 120, 14, 44
_NAME, _LINE = 14, 15


@dataclass(frozen=True, slots=True)
class Series:
    """One run."""

    name: str
    points: Sequence[tuple[float, float, float | None, float | None]]
    """Budget, value, low and high end of its interval; both None: no interval."""


def curve(series: Sequence[Series], *, name: str, table: str, x_label: str) -> Markup:
    """The chart.

    Args:
        series: at least one, each with a point.
        name: what it shows.
        table: where the same values stand as text.
        x_label: what the horizontal axis counts.

    Raises:
        ValueError: no point, or a value is not finite.
    """
    if not series or not all(s.points for s in series):
        raise ValueError("a curve needs a series with points")
    flat = [p for s in series for p in s.points]
    for p in flat:
        finite(*p)
    x = Scale(0.0, max(p[0] for p in flat) or 1.0, _LEFT, WIDTH - _RIGHT)
    values = [v for p in flat for v in p[1:] if v is not None]
    y = axis(min(values), max(values), _HEIGHT - _BOTTOM, _TOP)
    body = _axes(x, y, x_label)
    for i, s in enumerate(series):
        body += _drawn(i, s, x, y.scale)
    return chart(name, table, _HEIGHT, [*body, *_ends(series, y.scale)])


def _axes(x: Scale, y: Axis, x_label: str) -> list[str]:
    right, floor = WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    rows = [
        path("grid", f"M{_LEFT} {px(y.scale(t))}H{right}") + text(_LEFT - 8, y.scale(t) + 4, y.label(t), "e")
        for t in y.ticks
    ]
    across = Axis(x, ticks(0, x.high, 4), 0)
    columns = [text(x(t), floor + 18, across.label(t), "m") for t in across.ticks]
    return [
        *rows,
        *columns,
        path("axis", f"M{_LEFT} {floor}H{right}"),
        text(right, _HEIGHT - 6, x_label, "e"),
    ]


def _drawn(i: int, s: Series, x: Scale, y: Scale) -> list[str]:
    """Band, line and marks; every other line is dashed, so that colour is never alone."""
    points = sorted(s.points, key=lambda p: p[0])
    high = [(b, h) for b, _, _, h in points if h is not None]
    low = [(b, v) for b, _, v, _ in reversed(points) if v is not None]
    out = []
    if high and low:
        out.append(path(f"f{colour(i)} band", _line([*high, *low], x, y) + "Z"))
    out.append(path(f"l{colour(i)}{' dash' if i % 2 else ''}", _line([p[:2] for p in points], x, y)))
    return out + [mark(i, x(p[0]), y(p[1])) for p in points]


def _line(points: Sequence[tuple[float, float]], x: Scale, y: Scale) -> str:
    return "M" + "L".join(f"{px(x(a))} {px(y(b))}" for a, b in points)


def _ends(series: Sequence[Series], y: Scale) -> list[str]:
    """The name of each line where it ends, moved apart where lines end together."""
    at = [y(max(s.points, key=lambda p: p[0])[1]) for s in series]
    heights = spread(at, _LINE, _HEIGHT - _BOTTOM)
    left = WIDTH - _RIGHT + 10
    return [
        text(left, h + 4, clipped(s.name, _NAME), f"k f{colour(i)}")
        for i, (s, h) in enumerate(zip(series, heights, strict=True))
    ]
