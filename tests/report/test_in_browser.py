"""The pieces of the site in a real browser: quiet, accessible, inert; no script, phone, paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from report.browser import Opened, opened

PHONE = {"viewport": {"width": 390, "height": 800}}


EVERYWHERE = [
    pytest.mark.parametrize("name", ["x/gallery.html", "gallery.html"]),
    pytest.mark.parametrize("at", ["", "#technical"]),
    pytest.mark.parametrize(
        "how",
        [{}, {"color_scheme": "dark"}, PHONE, {"forced_colors": "active"}],
        ids=["light", "dark", "phone", "forced"],
    ),
]


def everywhere(test: Any) -> Any:
    """Beside its assets and as one file, both views, four ways to look at them."""
    for mark in EVERYWHERE:
        test = mark(test)
    return test


@everywhere
def test_a_page_is_quiet(browser: Any, site: Path, name: str, at: str, how: dict[str, Any]) -> None:
    with opened(browser, site / name, at, **how) as seen:
        assert seen.page.evaluate("document.documentElement.className") == "js"
        assert seen.wide() <= 0
        seen.quiet(site)


@everywhere
def test_a_page_is_accessible(browser: Any, site: Path, name: str, at: str, how: dict[str, Any]) -> None:
    with opened(browser, site / name, at, **how) as seen:
        assert seen.violations() == []


@pytest.mark.parametrize("width", [320, 640, 1000])
@pytest.mark.parametrize("at", ["", "#technical"])
def test_no_page_scrolls_sideways(browser: Any, site: Path, width: int, at: str) -> None:
    """640 is 1,280 at 200% zoom."""
    with opened(browser, site / "x" / "gallery.html", at, viewport={"width": width, "height": 800}) as seen:
        assert seen.wide() <= 0


def test_hostile_text_is_shown_and_inert(seen: Opened) -> None:
    assert seen.page.title().startswith('"><script>alert(1)</script>[U+202E]')
    assert "{{7*7}}" in seen.page.inner_text("h1")
    assert seen.page.evaluate("document.querySelectorAll('main img, main script').length") == 0
    told = seen.page.evaluate("report.inert('a\\u202e<b>\\n', '\\n').outerHTML")
    assert told == '<bdi>a<span class="cp">U+202E</span>&lt;b&gt;\n</bdi>'


def test_paper_is_light_and_shows_what_counts(browser: Any, site: Path) -> None:
    with opened(browser, site / "x" / "gallery.html", color_scheme="dark") as seen:
        seen.page.emulate_media(media="print", color_scheme="dark")
        assert seen.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert seen.page.is_visible(".note.warn")
        assert seen.page.is_visible(".quad")
        for hidden in (".tabs", "#theme", ".skip", "#technical"):
            assert seen.page.is_hidden(hidden), hidden
        heads = seen.page.evaluate("getComputedStyle(document.querySelector('thead')).display")
        assert heads == "table-header-group"


def test_without_script_all_is_there(browser: Any, site: Path) -> None:
    with opened(browser, site / "x" / "gallery.html", java_script_enabled=False) as seen:
        for shown in (
            "#managerial",
            "#technical",
            "svg.chart >> nth=0",
            "#list",
            ".tree",
            ".note.warn >> nth=0",
        ):
            assert seen.page.is_visible(shown), shown
        for hidden in (".tools", "#theme", "input[name=run] >> nth=0", "[data-copy]", "#empty"):
            assert seen.page.is_hidden(hidden), hidden
        assert seen.page.get_attribute(".badge.on >> nth=0", "title") == "neighbor_prev 1 · neighbor_next 1"
        seen.quiet(site)
