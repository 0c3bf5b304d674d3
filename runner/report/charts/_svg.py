"""SVG as text: coordinates, paths, marks, labels and the frame of a chart; no ids, styles or scripts."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup, escape

from runner.text import one_line

WIDTH = 640
"""Pixels of every chart; its 12 px text stays above 11 px where a page makes the chart a little narrower."""
SERIES = 4
"""Colours and shapes; beyond that a shape comes again in another colour."""
_MARKS = (
    "M{x} {y}m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",  # circle
    "M{x} {y}m-4.5-4.5h9v9h-9z",  # square
    "M{x} {y}m0-6l6 6-6 6-6-6z",  # diamond
    "M{x} {y}m0-6l6 10.5h-12z",  # triangle
)


def px(value: float) -> str:
    """A coordinate: one decimal, no trailing zero, no minus zero."""
    text = f"{value:.1f}"
    if text.endswith(".0"):
        text = text[:-2]
    return "0" if text == "-0" else text


def path(cls: str, d: str) -> str:
    """A path of one class."""
    return f'<path class="{cls}" d="{d}"/>'


def colour(series: int) -> int:
    """1 … 4: the colour of a series, another one each time the shapes start again."""
    return (series + series // SERIES) % SERIES + 1


def mark(series: int, x: float, y: float) -> str:
    """The mark of a series: shape and colour, with a halo of paper."""
    return path(f"f{colour(series)} halo", _MARKS[series % SERIES].format(x=px(x), y=px(y)))


def text(x: float, y: float, words: str, cls: str = "") -> str:
    """A label with its baseline at y; class `e` ends at x, `m` is centred, `k` is bold."""
    named = f' class="{cls}"' if cls else ""
    return f'<text x="{px(x)}" y="{px(y)}"{named}>{escape(words)}</text>'


def clipped(words: str, limit: int) -> str:
    """A name from data on one line of at most `limit` characters, hidden characters visible."""
    return one_line(words, limit)


def chart(name: str, table: str, height: int, body: Iterable[str]) -> Markup:
    """The frame of a chart.

    Args:
        name: what it shows, without a full stop.
        table: where the same values stand as text: "below", "of candidates".
        height: in pixels; the width is `WIDTH`.
        body: its parts, already markup.
    """
    said = escape(f"{clipped(name, 400)}. Same values in the table {table}.")
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    return svg(f'class="chart" {size} role="img" aria-label="{said}"', body)


def svg(attributes: str, body: Iterable[str]) -> Markup:
    """An SVG element; both parts are markup of this package, in which every text was escaped."""
    return Markup(f"<svg {attributes}>{''.join(body)}</svg>")  # noqa: S704 - see above


def icon(series: int) -> Markup:
    """The mark of a series alone, for the key beside a chart; its name stands beside it."""
    x, y = 7, 7 if series % SERIES < SERIES - 1 else 6
    return svg('viewBox="0 0 14 14" aria-hidden="true"', [mark(series, x, y)])
