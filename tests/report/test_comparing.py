"""The page that compares: its data equal the run folder, and what it computes equals `compare`."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from dataset.native_folders import lines
from report.browser import Opened, opened
from report.pages import experiment, sweep

from runner.comparison import record
from runner.report import comparing, listing, numbers, page, question_pages
from runner.report.assets import bundle
from runner.runs import Run
from runner.statistics.draws import seed_of

NUMBERS = ["nought", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]
FILLER = "gravel and sand lie along the river where boats pass slowly in the morning light of a long summer. "


def study(at: Path) -> None:
    """Twelve documents, a question about each; in every third one the gold stands after a filler."""
    at.mkdir()
    said = [f"The keeper of tower {n} stores the {n} lamp below the stairs." for n in NUMBERS]
    texts = [f"{FILLER * (i % 3)}{s} {FILLER * 2}" for i, s in enumerate(said)]
    documents = [{"doc_id": n, "text": t} for n, t in zip(NUMBERS, texts, strict=True)]
    (at / "documents.jsonl").write_bytes(lines(documents))
    queries = [{"query_id": n, "text": f"which lamp has tower {n} <b>below</b>"} for n in NUMBERS]
    (at / "queries.jsonl").write_bytes(lines(queries))
    gold = [{"query_id": n, "doc_id": n, "quote": s} for n, s in zip(NUMBERS, said, strict=True)]
    (at / "gold.jsonl").write_bytes(lines(gold))


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve questions: a sweep over size and neighbors, one over models, and a site of both."""
    home = tmp_path_factory.mktemp("wide")
    study(home / "data")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        assert sweep(home, "strategy.size=8,14", "neighbor_prev=0,1", "top_k=2", name="towers") == 0
        assert sweep(home, "strategy.size=14", "embedding.dimensions=256,64", "top_k=2", name="models") == 0
    return site(home)


def site(home: Path) -> Path:
    reports = home / "reports"
    bundle.write(reports)
    for name in ("towers", "models"):
        question_pages.write(found := experiment(home, name), reports, question_pages.panels(found, 30))
    page.replace(reports / "index.html", listing.listing(home / "outputs", reports).encode())
    comparing.write(home / "outputs", reports)
    return home


def keys_of(home: Path, name: str) -> list[str]:
    return [c["run"] for c in experiment(home, name).cells]


def data_of(home: Path, key: str) -> dict[str, Any]:
    text = (home / "reports" / "data" / f"{key}.js").read_text("utf-8")
    found: dict[str, Any] = json.loads(text[text.index(",") + 1 : text.rindex(")")])
    return found


def test_the_data_of_a_run_are_its_columns(wide: Path) -> None:
    for key in keys_of(wide, "towers"):
        run, said = Run(wide / "outputs", key), data_of(wide, key)
        assert said["queries"] == sorted(NUMBERS)
        for measure, text in said["measures"].items():
            values = np.frombuffer(base64.b64decode(text), "<f8")
            table = run.table("curve" if measure in run.table("curve")["measure"] else "measures")
            assert values.tolist() == table.filter(measure=measure).sort("query_id")["value"].to_list()
        tokens = np.frombuffer(base64.b64decode(said["tokens"]), "<f8")
        spent = run.table("context").group_by("query_id").agg(n=pl.col("tokens").sum())
        assert tokens.tolist() == spent.sort("query_id")["n"].to_list()
        assert int(said["seed"], 16) == seed_of(run.meta["fingerprints"]["queries"])


def test_a_second_writing_leaves_the_files(wide: Path) -> None:
    before = {p: p.stat().st_mtime_ns for p in (wide / "reports" / "data").iterdir()}
    comparing.write(wide / "outputs", wide / "reports")
    assert {p: p.stat().st_mtime_ns for p in (wide / "reports" / "data").iterdir()} == before


@pytest.fixture
def compared(browser: Any, wide: Path) -> Iterator[Opened]:
    """The four cells of `towers`, the first as baseline, computed to the end."""
    at = f"#runs={','.join(keys_of(wide, 'towers'))}"
    with opened(browser, wide / "reports" / "compare.html", at) as seen:
        seen.page.wait_for_selector("#measures[data-done]", timeout=60_000)
        yield seen
        seen.quiet(wide / "reports")


def test_differences_and_intervals_are_those_of_compare(compared: Opened, wide: Path) -> None:
    runs = [Run(wide / "outputs", k) for k in keys_of(wide, "towers")]
    group = record.compared(runs, {r.key: r.short for r in runs})
    cells = compared.page.evaluate(
        "report.all('td[data-base]').map(td => ({...td.dataset, text: td.textContent}))"
    )
    assert len(cells) >= 3 * 12
    intervals = 0
    for cell in cells:
        row = group.row(cell["run"], cell["measure"])
        assert row is not None
        assert float(cell["value"]) == pytest.approx(row.difference, abs=1e-12)
        assert numbers.difference(row.measure, row.difference) in cell["text"]
        assert (cell["low"] == "") == (row.low is None)
        if row.low is not None and row.high is not None:
            assert [float(cell["low"]), float(cell["high"])] == pytest.approx([row.low, row.high], abs=1e-9)
            if not row.measure.startswith(("Tokens", "Yield")):
                assert numbers.interval(row.low, row.high) in cell["text"]
            intervals += 1
    assert intervals == len(cells)


def test_sentences_are_those_of_the_terminal(compared: Opened, wide: Path) -> None:
    from runner.comparison import said

    runs = [Run(wide / "outputs", k) for k in keys_of(wide, "towers")]
    letters = dict(zip([r.key for r in runs], "ABCD", strict=True))
    group = record.compared(runs, letters)
    head = said.headline(group)
    assert head is not None
    assert head.sentence in compared.page.inner_text("#verdicts")
    told = compared.page.evaluate("report.all('#compared > .note.warn').map(n => n.textContent)")
    assert told == [f"{n.head} {n.body}" for n in said.warnings(runs, letters)]


def test_shares_of_resamples_are_those_of_the_record(compared: Opened, wide: Path) -> None:
    runs = [Run(wide / "outputs", k) for k in keys_of(wide, "towers")]
    first = {
        f["measure"]: f["shares"] for f in record.compared(runs, {r.key: r.short for r in runs}).body["first"]
    }
    told = compared.page.evaluate("report.all('[data-share]').map(el => ({...el.dataset}))")
    assert len(told) == 4
    for t in told:
        assert float(t["share"]) == pytest.approx(first[t["measure"]][t["run"]], abs=1e-9)


def test_warnings_stand_exactly_where_runs_differ(browser: Any, wide: Path) -> None:
    towers, models = keys_of(wide, "towers"), keys_of(wide, "models")
    pairs = {
        (towers[0], towers[1]): ["Neighbor Expansion differs:"],
        (towers[0], towers[2]): [],  # another size, the same neighbors
        (models[0], models[1]): ["Embedding Model differs:"],
        (towers[1], models[1]): ["Neighbor Expansion differs:", "Embedding Model differs:"],
    }
    for runs, expected in pairs.items():
        with opened(browser, wide / "reports" / "compare.html", f"#runs={','.join(runs)}") as seen:
            seen.page.wait_for_selector("#measures[data-done]", timeout=60_000)
            heads = seen.page.evaluate("report.all('#compared > .note.warn .head').map(n => n.textContent)")
            assert heads == expected
            seen.page.emulate_media(media="print")
            assert seen.page.locator("#compared > .note.warn:visible").count() == len(expected)


def test_from_the_list_to_the_comparison(browser: Any, wide: Path) -> None:
    with opened(browser, wide / "reports" / "index.html") as seen:
        assert seen.violations() == []
        for tick in seen.page.query_selector_all("input[name=run]"):
            tick.check()
        seen.page.click("#compare")
        seen.page.wait_for_selector("#measures[data-done]", timeout=60_000)
        assert seen.page.inner_text("h1") == "Compare 2 runs"
        seen.page.check("input[name=base] >> nth=1")
        seen.page.wait_for_selector("#facts >> text=baseline B")
        seen.quiet(wide / "reports")


@pytest.mark.parametrize("how", [{}, {"color_scheme": "dark"}, {"viewport": {"width": 390, "height": 800}}])
@pytest.mark.parametrize("name", ["index.html", "compare.html", "question"])
def test_pages_are_accessible_and_fit(browser: Any, wide: Path, name: str, how: dict[str, Any]) -> None:
    reports = wide / "reports"
    path = next(reports.glob("towers-*/q/*.html")) if name == "question" else reports / name
    at = f"#runs={','.join(keys_of(wide, 'towers'))}" if name == "compare.html" else ""
    with opened(browser, path, at, **how) as seen:
        if at:
            seen.page.wait_for_selector("#measures[data-done]", timeout=60_000)
        assert seen.wide() <= 0
        seen.quiet(reports)
        assert seen.violations() == []


def test_other_data_are_refused(browser: Any, wide: Path, home: Path, tmp_path: Path) -> None:
    """Runs over other gold get no number at all; an address with anything else than a key gets a sentence."""
    reports = tmp_path / "reports"
    bundle.write(reports)
    comparing.write(home / "outputs", reports)
    other = keys_of(home, "windows")[0]
    mine = keys_of(wide, "towers")[0]
    (reports / "data" / f"{mine}.js").write_bytes((wide / "reports" / "data" / f"{mine}.js").read_bytes())
    with opened(browser, reports / "compare.html", f"#runs={mine},{other},<img src=x>") as seen:
        seen.page.wait_for_selector("#matrix")
        assert "No verdict: data set differs" in seen.page.inner_text("#compared")
        assert seen.page.query_selector("#measures") is None
        assert seen.page.query_selector("#compared img") is None
        seen.quiet(reports)


def test_without_script_the_command_stands(browser: Any, wide: Path) -> None:
    with opened(browser, wide / "reports" / "compare.html", java_script_enabled=False) as seen:
        assert "script is off" in seen.page.inner_text("main")
        assert seen.page.is_visible("#cmd")
        assert seen.page.is_visible("#runs")
        seen.quiet(wide / "reports")
