"""Charts: drawn where the arithmetic says, named, inert, the same bytes twice, refusing what is no number."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest
from report import gallery

from runner.report.charts import heat, interval
from runner.report.charts._svg import colour, icon, px
from runner.report.charts.bump import Candidate, bump
from runner.report.charts.curve import Series, curve
from runner.report.charts.scatter import Point, front, scatter
from runner.report.charts.strip import strip
from runner.report.charts.waterfall import bar

SAID = {"name": "Quality <b> by tokens", "table": "below"}
BAD = [math.nan, math.inf, -math.inf]


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - written by us


def tags(svg: str) -> list[tuple[str, dict[str, str]]]:
    return [(e.tag, dict(e.attrib)) for e in parsed(svg).iter()]


def of(svg: str, cls: str) -> list[dict[str, str]]:
    return [a for _, a in tags(svg) if cls in a.get("class", "").split()]


def words(svg: str) -> list[str]:
    return [e.text or "" for e in parsed(svg).iter() if e.tag == "text"]


def drawn() -> dict[str, str]:
    return {k: str(v) for k, v in gallery.charts().items()}


@pytest.mark.parametrize("form", ["scatter", "curve", "bump", "strip"])
def test_a_chart_has_a_name_and_no_way_to_act(form: str) -> None:
    svg = drawn()[form]
    root = parsed(svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == "made up. Same values in the table below."
    assert {e.tag for e in root.iter()} <= {"svg", "path", "text", "circle", "rect"}
    for _, attributes in tags(svg):
        assert not [a for a in attributes if a.startswith("on") or a in {"style", "id", "href"}]
    assert not re.search("nan|inf", svg.lower().replace("aria-label", ""))


def test_the_same_values_give_the_same_bytes() -> None:
    assert drawn() == drawn()


def test_names_from_data_are_text() -> None:
    svg = scatter([Point(gallery.HOSTILE, "g", 1, 1)], x_label="tokens", **SAID)
    assert 'aria-label="Quality &lt;b&gt; by tokens. Same' in svg
    assert "<script" not in svg
    assert "\u202e" not in svg
    assert parsed(svg) is not None


def test_a_point_stands_where_its_values_say() -> None:
    svg = scatter([Point("±0/0", "fixed_size", 100, 0.5, 0.46, 0.54)], x_label="tokens", **SAID)
    # x: 0 to 108 tokens on 48 to 620 px; y: 0.46 to 0.54 in steps of 0.02 on 336 to 14 px.
    x, y = 48 + 572 * 100 / 108, (336 + 14) / 2
    (mark,) = of(svg, "f1")
    assert mark["d"].startswith(f"M{px(x)} {px(y)}m-5 0")
    assert of(svg, "hair")[0]["d"] == f"M{px(x)} 336V14"
    assert of(svg, "front")[0]["d"] == f"M{px(x)} {px(y)}H620"
    assert words(svg)[:5] == ["0.46", "0.48", "0.50", "0.52", "0.54"]


def test_the_front_is_what_nothing_beats() -> None:
    values = [
        (983, 0.682),
        (1594, 0.754),
        (1572, 0.721),
        (2103, 0.723),
        (2148, 0.768),
        (1594, 0.70),
        (2148, 0.768),
    ]
    points = [Point(str(i), "g", t, v) for i, (t, v) in enumerate(values)]
    assert [p.name for p in front(points)] == ["0", "2", "1", "4"]


def test_groups_differ_in_shape_or_colour() -> None:
    looks = {(s % 4, colour(s)) for s in range(16)}
    assert len(looks) == 16
    assert [colour(s) for s in range(6)] == [1, 2, 3, 4, 2, 3]
    assert icon(0) != icon(1)


def test_a_curve_has_line_band_and_name() -> None:
    points = [(1000.0, 0.5, 0.4, 0.6), (2000.0, 0.7, 0.6, 0.8)]
    svg = curve([Series("A", points), Series("B", [(2000.0, 0.6, None, None)])], x_label="budget", **SAID)
    # x: 0 to 2,000 on 44 to 520 px; y: 0.4 to 0.8 on 256 to 14 px.
    assert of(svg, "l1")[0]["d"] == f"M282 {px(256 - 242 / 4)}L520 {px(256 - 242 * 0.75)}"
    assert of(svg, "band")[0]["d"] == f"M282 {px(256 - 242 / 2)}L520 14L520 {px(256 - 242 / 2)}L282 256Z"
    assert len(of(svg, "band")) == 1
    assert [a["class"] for a in of(svg, "dash")] == ["l2 dash"]
    assert words(svg)[-2:] == ["A", "B"]


def test_a_bump_chart_shows_gaps_the_deep_and_the_cut() -> None:
    shown = [
        Candidate("a", [2, None, 1], gold=True),
        Candidate("b", [1, 12, 2]),
        Candidate("c", [None, 1, None], gold=True),
    ]
    svg = bump(shown, ["bm25", "vector", "final"], top_k=1, **SAID)
    # x: 38, 253, 468; y of rank r: 26 + 27 (r - 0.5), of the deeper ones that of rank 11.
    assert [a["d"] for a in of(svg, "goldl")] == ["M38 66.5M468 39.5", "M253 39.5"]
    (grey,) = (a for t, a in tags(svg) if a.get("class") == "grey")
    assert grey["d"] == "M38 39.5L253 309.5L468 66.5"
    assert [(a["cx"], a["cy"]) for a in of(svg, "hollow")] == [("253", "309.5")]
    assert of(svg, "dash")[0]["d"] == "M30 53H476"
    assert {"a · gold", "b", "c · gold", "top_k 1", "10+"} <= set(words(svg))
    deep = [Candidate("a", [1, 11], gold=True), Candidate("b", [2, 30], gold=True)]
    assert "2 with gold, deeper" in words(bump(deep, ["bm25", "final"], **SAID))


def test_a_strip_counts_and_sorts() -> None:
    svg = strip([0.5, -1.0, 0.0, 1.0, 0.0], **SAID)
    assert {"2 won", "2 equal", "1 lost", "+1.0", "+0.5", "0", "−0.5", "−1.0"} <= set(words(svg))
    # y: +1 to -1 on 10 to 170 px; bars of 9 px less 1.
    assert of(svg, "up")[0]["d"] == "M48 90V10h8V90M57 90V50h8V90"
    assert of(svg, "down")[0]["d"] == "M176 90V170h8V90"
    many = strip([1.0] * 500 + [-0.5] * 500, **SAID)
    assert len(many) < 2_000
    assert of(many, "up")[0]["d"] == "M48 90V10H285V90Z"  # 474 px for 1,000 bars


def test_an_interval_stands_on_its_columns_scale() -> None:
    svg = interval.cell(0.01, -0.02, 0.04, most=0.05, kind="open", margin=0.01)
    # x of v: 4 + 124 (v + 0.05) / 0.1
    assert of(svg, "z")[0]["d"] == "M66 0V16"
    assert of(svg, "w")[0]["d"] == "M41.2 8H115.6M41.2 5V11M115.6 5V11"
    assert of(svg, "d")[0]["cx"] == "78.4"
    assert (of(svg, "mg")[0]["x"], of(svg, "mg")[0]["width"]) == ("53.6", "24.8")
    assert parsed(svg).get("aria-hidden") == "true"
    assert interval.domain([(0.01, -0.02, 0.04), (0.11, 0.082, 0.138)]) == 0.15


def test_a_bar_shows_what_is_left_and_what_was_taken_or_given_back() -> None:
    lost, gain, start = bar(0.9, 0.6), bar(0.6, 0.7), bar(1, 1)
    assert of(lost, "rest")[0]["width"] == "180"
    assert (of(lost, "lost")[0]["x"], of(lost, "lost")[0]["width"]) == ("180", "90")
    assert (of(gain, "gain")[0]["x"], of(gain, "gain")[0]["width"]) == ("180", "30")
    assert not of(start, "lost")
    assert of(bar(0.5, 0.4999), "lost")[0]["width"] == "0.8"
    assert of(bar(0.3, -1e-17), "rest") == [], "less than nothing by rounding is nothing"


def test_tints_are_seven_equal_steps() -> None:
    assert heat.tints([0, 1, 2, 3, 4, 5, 6, 7]) == ["h0", "h1", "h2", "h3", "h4", "h5", "h6", "h6"]
    assert heat.tints([0.7, None, 0.705], flat=0.01) == ["h3", "", "h3"]
    assert heat.tints([None]) == [""]


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize(
    "call",
    [
        lambda v: scatter([Point("a", "g", v, 1)], x_label="", **SAID),
        lambda v: scatter([Point("a", "g", 1, 1, v, 1)], x_label="", **SAID),
        lambda v: curve([Series("a", [(1, v, None, None)])], x_label="", **SAID),
        lambda v: bump([Candidate("a", [v, 1])], ["a", "b"], **SAID) if not v > 0 else 1 / 0,
        lambda v: strip([v], **SAID),
        lambda v: interval.cell(v, 0, 0, most=1, kind="open"),
        lambda v: bar(v, 0.5),
        lambda v: heat.tints([v]),
    ],
)
def test_what_is_no_number_is_refused(call: Callable[[float], str], bad: float) -> None:
    with pytest.raises((ValueError, ZeroDivisionError)):
        call(bad)


@pytest.mark.parametrize(
    "call",
    [
        lambda: scatter([], x_label="", **SAID),
        lambda: curve([Series("a", [])], x_label="", **SAID),
        lambda: bump([], ["a", "b"], **SAID),
        lambda: bump([Candidate("a", [0, 1])], ["a", "b"], **SAID),
        lambda: bump([Candidate("a", [1])], ["a", "b"], **SAID),
        lambda: strip([], **SAID),
        lambda: strip([1.5], **SAID),
        lambda: interval.cell(0.2, 0.1, 0.3, most=0.15, kind="open"),
        lambda: bar(1.2, 0.5),
    ],
)
def test_what_cannot_be_drawn_is_refused(call: Callable[[], str]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        call()
