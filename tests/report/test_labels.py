"""Labels on the data: never one over another, for 1, 12 and 50 points, as reckoned and in a real browser."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report import gallery
from report.browser import opened

from runner.report.charts._labels import Box, place, spread, width
from runner.report.charts.scatter import Point, front, scatter

FRAME = Box(0, 0, 640, 360)
BOXES = """
Array.from(document.querySelectorAll('#managerial svg text.halo')).map(t => {
  const b = t.getBBox();
  return [b.x, b.y, b.x + b.width, b.y + b.height, t.textContent, b.width];
})
"""
SMALLEST = """
Math.min(...Array.from(document.querySelectorAll('svg text')).filter(t => t.getClientRects().length).map(
  t => parseFloat(getComputedStyle(t).fontSize) * t.ownerSVGElement.getScreenCTM().a))
"""


def points(n: int, seed: int) -> list[Point]:
    rng = random.Random(seed)
    out = []
    for i in range(n):
        tokens = rng.uniform(100, 4000)
        value = 0.5 + tokens / 16_000 + rng.uniform(0, 0.05)
        name = f"strategy.size={i} ±1/{i}"
        out.append(Point(name, f"s{i % 5}", tokens, value, value - 0.05, value + 0.05, i == 0))
    return out


@given(st.lists(st.tuples(st.floats(0, 640), st.floats(0, 360), st.text(max_size=20)), max_size=60))
def test_no_label_covers_another(anchors: list[tuple[float, float, str]]) -> None:
    marks = [Box(x - 7, y - 7, x + 7, y + 7) for x, y, _ in anchors]
    found = [label for label in place(anchors, FRAME, marks) if label is not None]
    boxes = [label.box for label in found]
    for a, b in itertools.combinations(boxes, 2):
        assert not a.meets(b)
    for box in boxes:
        assert not any(map(box.meets, marks))
        assert box.left >= 0
        assert box.right <= 640


def test_a_label_stands_at_the_right_above_its_point_if_it_may() -> None:
    (label,) = place([(100, 100, "±0/0")], FRAME, [])
    assert label is not None
    assert (label.x, label.y, label.end) == (108, 92, False)
    # At the right edge it ends at the left of its point; over a taken place it goes below.
    (edge,) = place([(630, 100, "±0/0")], FRAME, [])
    assert edge is not None
    assert (edge.x, edge.y, edge.end) == (622, 92, True)
    both_above = [Box(0, 60, 640, 96)]
    (below,) = place([(100, 100, "±0/0")], FRAME, both_above)
    assert below is not None
    assert (below.x, below.y) == (109, 116)
    assert place([(100, 100, "±0/0")], FRAME, [FRAME]) == [None]


def test_ends_of_lines_are_moved_apart() -> None:
    assert spread([10, 12, 100], 15, 200) == [10, 25, 100]
    assert spread([100, 100], 15, 105) == [90, 105]
    assert spread([50, 20], 15, 200) == [50, 20]


def test_with_many_points_the_front_and_the_baseline_have_names() -> None:
    few, many = points(12, 1), points(50, 1)
    names = {p.name for p in front(many)} | {many[0].name}
    drawn = set(re.findall(r'<text[^>]*class="[^"]*halo"[^>]*>([^<]+)</text>', _drawn(many)))
    assert drawn <= names
    assert len(drawn) >= len(names) / 2
    assert len(re.findall(r'halo">[^<]', _drawn(few))) >= 10


def _drawn(shown: list[Point]) -> str:
    return scatter(shown, name="made up", table="below", x_label="tokens")


@pytest.mark.parametrize("n", [1, 12, 50])
def test_no_label_covers_another_in_a_browser(browser: Any, tmp_path: Path, n: int) -> None:
    charts = gallery.facts()["charts"] | {
        "scatter": scatter(points(n, n), name="n", table="below", x_label="tokens")
    }
    with opened(browser, gallery.write(tmp_path, charts=charts)) as seen:
        boxes, small = seen.page.evaluate(BOXES), seen.page.evaluate(SMALLEST)
    assert len(boxes) >= min(n, 5)
    for a, b in itertools.combinations(boxes, 2):
        across = min(a[2], b[2]) - max(a[0], b[0])
        down = min(a[3], b[3]) - max(a[1], b[1])
        # A line box is higher than its letters, so boxes may touch by the leading.
        assert across <= 0 or down <= 3.5, (a, b)
    assert all(b[5] <= width(b[4]) for b in boxes), "a text is wider than we reckon"
    assert small >= 11
