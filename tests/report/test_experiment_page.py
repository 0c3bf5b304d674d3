"""The page of an experiment in a browser: both views, the list of questions, and all of it as one file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from report.browser import opened
from report.pages import experiment

from runner.report import site

HOW = [{}, {"color_scheme": "dark"}, {"viewport": {"width": 320, "height": 800}}]
PLACES = ["index.html", "index.html#technical", "q/index.html"]


@pytest.fixture(scope="module")
def reports(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of both sweeps, and each as one file."""
    folder = tmp_path_factory.mktemp("pages")
    for name in ("mixed", "windows"):
        site.render(experiment(home, name), folder, questions=30)
        site.single(experiment(home, name), folder, questions=30)
    return folder


def page_of(reports: Path, name: str) -> Path:
    (found,) = reports.glob(f"{name}-*/index.html")
    return found


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", ["mixed", "windows"])
def test_it_is_accessible_fits_and_asks_for_nothing(
    browser: Any, reports: Path, name: str, place: str, how: dict[str, Any]
) -> None:
    path, _, at = place.partition("#")
    with opened(browser, page_of(reports, name).parent / path, f"#{at}" if at else "", **how) as seen:
        assert seen.wide() <= 0
        seen.quiet(reports)
        assert seen.violations() == []


@pytest.mark.parametrize("name", ["mixed", "windows"])
def test_as_one_file_it_works_where_nothing_else_is(
    browser: Any, reports: Path, tmp_path: Path, name: str
) -> None:
    (found,) = reports.glob(f"{name}-*.html")
    alone = tmp_path / "sent.html"
    alone.write_bytes(found.read_bytes())
    with opened(browser, alone, "#technical") as seen:
        assert seen.page.locator("#cells").is_visible()
        assert not seen.page.locator("#managerial").is_visible()
        seen.quiet(tmp_path)
        assert seen.requests == [] or {r.split("/")[-1].split("#")[0] for r in seen.requests} == {"sent.html"}
        assert seen.violations() == []
    with opened(browser, alone, java_script_enabled=False) as seen:
        assert seen.page.locator("#cells").is_visible(), "without script both views stand one after the other"


def test_paper_has_both_the_warning_and_the_verdict(browser: Any, reports: Path) -> None:
    with opened(browser, page_of(reports, "windows")) as seen:
        seen.page.emulate_media(media="print")
        assert seen.page.locator(".note.warn:visible").count() == 1
        assert seen.page.locator(".verdict:visible").count() >= 1


def test_a_badge_is_reached_by_keyboard_and_says_what_it_means(browser: Any, reports: Path) -> None:
    with opened(browser, page_of(reports, "mixed"), "#technical") as seen:
        seen.page.locator("#cells .badge.muted").first.focus()
        title = seen.page.evaluate("document.activeElement.title || document.activeElement.dataset.tip")
        assert title.endswith("not applied: fixed_size was not in this run")


def test_the_heat_map_has_the_recorded_means(browser: Any, reports: Path, home: Path) -> None:
    found = experiment(home, "windows")
    (group,) = json.loads((found.path / "comparison.json").read_text("utf-8"))["groups"]
    with opened(browser, page_of(reports, "windows"), "#technical") as seen:
        drawn = seen.page.evaluate(
            "report.all('table.heat data').map(d => [d.dataset.run, d.dataset.measure, +d.value])"
        )
    expected = [
        [w["run"], s["measure"], w["mean"]]
        for s in group["surfaces"]
        for w in sorted(s["windows"], key=lambda w: (w["prev"], w["next"]))
    ]
    assert drawn == expected
    assert len(drawn) == 4 * len(group["surfaces"]) > 0


def test_the_strip_adds_up(reports: Path, home: Path) -> None:
    """Rows in are rows out and dropped, in every box that has all three."""
    from runner.report.technical import technical

    boxes = [b for p in technical(experiment(home, "windows")).pipelines for b in p.boxes]
    whole = [dict(b.counts) for b in boxes if {"in", "out", "dropped"} <= set(dict(b.counts))]
    assert whole
    for counts in whole:
        n = {k: int(v.replace(",", "")) for k, v in counts.items()}
        assert n["in"] == n["out"] + n["dropped"]
    assert {b.mark for b in boxes} <= {"", "off", "made", "cached", "part cached"}
    assert {b.name for b in boxes if b.mark == "off"} == {"enrichment", "reranker"}


def test_every_waterfall_adds_up(browser: Any, reports: Path) -> None:
    read = """Array.from(document.querySelectorAll('table')).filter(t => t.querySelector('.barcell')).map(
        t => Array.from(t.tBodies[0].rows).map(r => [0, 2, 3].map(i => r.cells[i].textContent)))"""
    with opened(browser, page_of(reports, "windows"), "#technical") as seen:
        tables = seen.page.evaluate(read)
    assert tables
    for rows in tables:
        lost = [p.replace("\N{MINUS SIGN}", "-") for s, p, _ in rows if s != "expansion_recovered"]
        lost = [round(10 * float(p)) for p in lost]
        assert 1000 + sum(lost) == round(10 * float(rows[-1][2].rstrip("%")))
