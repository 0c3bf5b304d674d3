"""Colours: every pair that meets on a page has the contrast of WCAG 2.2 AA, in light and in dark."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest

from runner.report.assets import bundle

HOME = Path(bundle.__file__).parent
COLOURS: dict[str, list[str]] = json.loads((HOME / "colours.json").read_text("utf-8"))
INKS = ("ink", "ink-2", "ink-3", "accent", "better", "worse", "same", "open", "warn", "block")
SERIES = ("c1", "c2", "c3", "c4")
TEXT = [
    *itertools.product(INKS, ("paper", "surface")),
    *((word, f"{word}-bg") for word in INKS[3:]),
    *itertools.product(("ink", "ink-2", "ink-3"), ("accent-bg",)),
    *itertools.product(("ink", "ink-2"), ("warn-bg", "block-bg")),
    *itertools.product(("accent",), ("warn-bg", "block-bg")),
    *(("ink", b) for b in ("gold", "better-bg", "worse-bg", "open-bg", "same-bg")),
    *((c, "paper") for c in SERIES),
    *(("paper", c) for c in SERIES),
    *(("ink", f"h{i}") for i in range(4)),
    *(("paper", f"h{i}") for i in (4, 5, 6)),
]
SHAPES = [
    *itertools.product(("edge", "accent", "better", "worse", "same", "open", "gold-line"), ("paper",)),
    *itertools.product(("edge", "gold-line", "better", "worse", "c1"), ("surface",)),
    ("gold-line", "accent-bg"),
    ("gold-line", "gold"),
]


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a: str, b: str) -> float:
    """WCAG 2.2: (lighter + 0.05) / (darker + 0.05)."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def test_the_formula() -> None:
    assert contrast("#ffffff", "#000000") == 21
    assert round(contrast("#777777", "#ffffff"), 2) == 4.48
    assert contrast("#123456", "#123456") == 1


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("pairs", "least"), [(TEXT, 4.5), (SHAPES, 3.0)], ids=["text", "shapes"])
def test_every_pair_can_be_told_apart(pairs: list[tuple[str, str]], least: float, theme: int) -> None:
    found = {(a, b): contrast(COLOURS[a][theme], COLOURS[b][theme]) for a, b in pairs}
    assert {p: round(c, 2) for p, c in found.items() if c < least} == {}


def test_every_colour_is_used_and_every_used_one_is_there() -> None:
    css = "".join(p.read_text("utf-8") for p in sorted((HOME / "style").glob("*.css")))
    used = set(re.findall(r"var\(--([\w-]+)\)", css))
    own = {n for n in used if re.fullmatch(r"sans|mono|s\d|t-\w+", n)}
    assert used - own == set(COLOURS)
    assert not re.search(r"#[0-9a-f]{3,8}\b", css), "a colour has a name"


def test_both_themes_are_written() -> None:
    assert bundle.style().text.count("light-dark(") == len(COLOURS) + 1
