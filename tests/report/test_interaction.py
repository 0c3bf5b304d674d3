"""What the script adds in a real browser: views, sorting, filters, ticks, cards, theme and data."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from report import gallery
from report.browser import Opened, opened

SHOWN = """
Array.from(document.querySelectorAll('#list tbody tr')).filter(r => !r.hidden).map(r => r.cells[1].innerText)
"""
VALUES = "Array.from(document.querySelectorAll('#list tbody tr')).map(r => +(r.cells[3].dataset.v || NaN))"


def test_data_beside_the_page_and_inside_it(seen: Opened) -> None:
    inside = seen.page.evaluate("report.get('sample')")
    assert inside["end"] == "</script>\u2028"
    beside = seen.page.evaluate(
        "report.get('run-1').then(v => [v.text, Array.from(report.floats(v.values))])"
    )
    assert beside[0] == gallery.HOSTILE
    assert beside[1][0] == 0.5
    assert math.isnan(beside[1][1])
    twice = "Promise.all([report.get('run-1'), report.get('run-1')]).then(([a, b]) => a === b)"
    assert seen.page.evaluate(twice) is True
    for key in ("../x/gallery", "http://a", "A", ""):
        refused = "key => report.get(key).then(() => 'given', e => e.message)"
        assert seen.page.evaluate(refused, key) == "no such data"
    assert [r for r in seen.requests if "/data/" in r] == [
        r for r in seen.requests if r.endswith("data/run-1.js")
    ]


def test_data_that_is_not_there_is_said(browser: Any, site: Path) -> None:
    with opened(browser, site / "x" / "gallery.html") as seen:
        told = seen.page.evaluate("report.get('run-2').then(() => 'given', e => e.message)")
        assert told == "no such data"


def test_views_are_tabs_for_mouse_keyboard_and_address(browser: Any, site: Path) -> None:
    with opened(browser, site / "x" / "gallery.html") as seen:
        page = seen.page
        assert page.is_visible("#managerial")
        assert page.is_hidden("#technical")
        page.focus("text=Managerial view")
        for key, at in (
            ("ArrowRight", "technical"),
            ("ArrowRight", "managerial"),
            ("End", "technical"),
            ("Home", "managerial"),
        ):
            page.keyboard.press(key)
            assert page.is_visible(f"#{at}")
            assert page.url.endswith(f"#{at}")
            assert page.get_attribute("[aria-selected=true]", "href") == f"#{at}"
        page.click("text=Technical view")
        assert page.is_visible("#cells")
        page.evaluate("location.hash = '#warnings'")
        page.wait_for_selector("#warnings", state="visible")
        seen.quiet(site)
    with opened(browser, site / "x" / "gallery.html", "#tree") as seen:
        assert seen.page.is_visible("#technical")
        assert seen.page.evaluate("document.getElementById('tree').getBoundingClientRect().top") < 900
    with opened(browser, site / "x" / "gallery.html", "#technical") as seen:
        assert seen.page.evaluate("scrollY") == 0, "the tabs are in sight"
    with opened(browser, site / "x" / "gallery.html", "#%") as seen:
        assert seen.page.is_visible("#managerial")
        seen.quiet(site)


def test_tables_are_sorted_by_buttons(seen: Opened) -> None:
    page = seen.page
    page.click("text=Value")
    assert page.get_attribute("th:has-text('Value')", "aria-sort") == "descending"
    *first, last = page.evaluate(VALUES)
    assert first == sorted(first, reverse=True)
    assert math.isnan(last)
    assert page.inner_text("#live") == "Sorted by Value, descending"
    page.keyboard.press("Enter")
    *first, last = page.evaluate(VALUES)
    assert first == sorted(first)
    assert math.isnan(last), "what is missing is last either way"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    assert page.get_attribute("th:has-text('Cell')", "aria-sort") == "ascending"
    assert page.evaluate("document.querySelectorAll('[aria-sort]').length") == 1
    names = page.evaluate(SHOWN)
    assert names[-1] == "cell 2", "a failed row is last too"
    assert names[1:-1] == sorted(names[1:-1])


def test_tables_are_filtered_by_words_and_choices(seen: Opened) -> None:
    page = seen.page
    assert page.inner_text(".count") == "8 of 8 shown"
    page.fill("input[type=search]", "CELL 4")
    assert page.evaluate(SHOWN) == ["cell 4"]
    assert page.inner_text(".count") == "1 of 8 shown"
    page.fill("input[type=search]", "")
    page.select_option("select", "open")
    assert page.evaluate(SHOWN) == ["cell 1", "cell 5"]
    page.fill("input[type=search]", "nothing at all")
    assert page.is_visible("#empty")
    assert page.inner_text(".count") == "0 of 8 shown"


def test_ticked_runs_are_compared(seen: Opened, site: Path) -> None:
    page = seen.page
    ticks = page.locator("input[name=run]")
    assert page.is_disabled("#compare")
    ticks.nth(0).check()
    assert (page.inner_text("#compare"), page.is_disabled("#compare")) == ("Compare 1 run", True)
    for i in range(1, 7):
        ticks.nth(i).check()
    assert (page.inner_text("#compare"), page.is_disabled("#compare")) == ("Compare at most 6 runs", True)
    for i in range(2, 7):
        ticks.nth(i).uncheck()
    assert (page.inner_text("#compare"), page.is_enabled("#compare")) == ("Compare 2 runs", True)
    (site / "compare.html").write_text("<!doctype html><title>compare</title>", "utf-8")
    page.click("#compare")
    page.wait_for_url("**/compare.html*")
    a, b = f"{0:064x}", f"{1:064x}"
    assert page.url == f"{site.resolve().as_uri()}/compare.html#runs={a},{b}&base={a}"


def test_two_rows_of_one_run_are_one_run(seen: Opened) -> None:
    page = seen.page
    page.evaluate(
        "(([a, b]) => { b.value = a.value; })(Array.from(document.querySelectorAll('input[name=run]')))"
    )
    for i in range(2):
        page.locator("input[name=run]").nth(i).check()
    assert (page.inner_text("#compare"), page.is_disabled("#compare")) == ("Compare 1 run", True)


def test_cards_are_reached_kept_and_closed(seen: Opened) -> None:
    page = seen.page
    page.focus("#list .badge.muted")
    assert (
        page.inner_text("#tip")
        == "neighbor_prev 0 · neighbor_next 0 · not applied: fixed_size was not in this run"
    )
    assert page.get_attribute("#list .badge.muted", "aria-describedby") == "tip"
    assert page.get_attribute("#list .badge.muted", "aria-label") == "Neighbors ±0/0, not applied"
    page.keyboard.press("Escape")
    assert page.is_hidden("#tip")
    page.hover(".chunk.hit")
    assert "14.82" in page.inner_text("#tip")
    page.hover("#tip")
    page.wait_for_timeout(400)
    assert page.is_visible("#tip"), "a card can be pointed at"
    page.mouse.move(5, 5)
    page.wait_for_selector("#tip", state="hidden")
    assert page.get_attribute(".chunk.hit", "href") == "#chunk"


def test_an_open_card_is_accessible(seen: Opened) -> None:
    seen.page.hover(".chunk.hit")
    assert seen.violations() == []


def test_the_theme_is_chosen_and_remembered(seen: Opened) -> None:
    page, paper = seen.page, "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
    said = []
    for _ in range(3):
        page.click("#theme")
        said.append((page.inner_text("#theme-now"), page.evaluate(paper)))
    white, dark = "rgb(255, 255, 255)", "rgb(18, 23, 28)"  # #12171c
    assert said == [("light", white), ("dark", dark), ("auto", white)]
    page.click("#theme")
    page.click("#theme")
    page.reload()
    assert page.evaluate(paper) == dark


def test_the_first_tab_stop_skips_to_the_content(browser: Any, site: Path) -> None:
    with opened(browser, site / "x" / "gallery.html") as seen:
        page = seen.page
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        assert page.evaluate("document.activeElement.getBoundingClientRect().top") >= 0
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
