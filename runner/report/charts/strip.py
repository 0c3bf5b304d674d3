"""Differences question by question: those won and those lost, sorted, and one gap that counts the ties."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from markupsafe import Markup

from runner.report.charts._scale import Axis, Scale, finite, within
from runner.report.charts._svg import WIDTH, chart, path, px, text

_HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM, _GAP = 200, 48, 8, 10, 30, 110
_WIDEST, _APART = 9.0, 3.0
"""Pixels of a bar; bars narrower than the second are drawn as one outline."""


def strip(differences: Sequence[float], *, name: str, table: str, most: float = 1.0) -> Markup:
    """The chart; 1,000 questions are a few kilobytes, because equal neighbors are one step of an outline.

    Args:
        differences: one per question, at least one; 0 is a tie.
        name: what it shows.
        table: where the same values stand as text.
        most: the largest |difference| there can be: 1 for shares.

    Raises:
        ValueError: no difference, one that is not finite, or one beyond `most`.
    """
    if not differences:
        raise ValueError("a strip needs a question")
    finite(*differences)
    shown = sorted(differences, reverse=True)
    for d in (shown[0], shown[-1]):
        within(d, -most, most)
    won, lost = [d for d in shown if d > 0], [d for d in shown if d < 0]
    ties = len(shown) - len(won) - len(lost)
    wide = min(_WIDEST, (WIDTH - _LEFT - _RIGHT - _GAP) / max(len(won) + len(lost), 1))
    y = Scale(most, -most, _TOP, _HEIGHT - _BOTTOM)
    right = _LEFT + len(won) * wide
    second = right + _GAP
    end = second + len(lost) * wide
    body = _grid(y, end, most)
    body += [path("up", _bars(won, _LEFT, wide, y)), path("down", _bars(lost, second, wide, y))]
    floor = _HEIGHT - 8
    body += [
        path("axis", f"M{_LEFT} {px(y(0))}H{px(end)}"),
        text(_LEFT, floor, f"{len(won):,} won", "k"),
        text((right + second) / 2, y(0) - 8, f"{ties:,} equal", "m"),
        # Under its bars, but never over the words at the left.
        text(max(end, _LEFT + 2 * _GAP), floor, f"{len(lost):,} lost", "k e"),
    ]
    return chart(name, table, _HEIGHT, body)


def _grid(y: Scale, end: float, most: float) -> list[str]:
    rows = [most, most / 2, 0.0, -most / 2, -most]
    decimals = next(d for d in range(13) if d == 12 or abs(most / 2 * 10**d - round(most / 2 * 10**d)) < 1e-6)
    named = Axis(y, rows, decimals)
    return [
        path("grid", f"M{_LEFT} {px(y(t))}H{px(end)}")
        + text(_LEFT - 8, y(t) + 4, ("+" if t > 0 else "") + (named.label(t) if t else "0"), "e")
        for t in rows
    ]


def _bars(values: Sequence[float], left: float, wide: float, y: Scale) -> str:
    zero = px(y(0))
    if wide >= _APART:
        return "".join(
            f"M{px(left + i * wide)} {zero}V{px(y(v))}h{px(wide - 1)}V{zero}" for i, v in enumerate(values)
        )
    if not values:
        return ""
    d, at = f"M{px(left)} {zero}", 0
    for height, same in groupby(px(y(v)) for v in values):
        at += len(list(same))
        d += f"V{height}H{px(left + at * wide)}"
    return f"{d}V{zero}Z"
