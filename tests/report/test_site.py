"""The answer page and the list: their numbers are the record's, links lead on, hostile names are text."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import helpers
import polars as pl
import pytest

from runner import named, runs
from runner.cli import main
from runner.comparison import record
from runner.errors import StoreError
from runner.report import site

NAME = "<b>&hostile"


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    helpers.tiny(folder / "data")
    words = ["dataset=native", f"dataset.path={folder / 'data'}", "strategy.size=4", "tokenizer=words"]
    words += ["retrieval=bm25", "metrics=span", "metrics.measures=[SpanR@3,SpanR@3+,Tokens@3+]", "top_k=3"]
    words += [
        f"runtime.outputs={folder / 'outputs'}",
        f"runtime.reports={folder / 'reports'}",
        "tracking=off",
    ]
    assert main(["-m", *words, f"experiment.name='{NAME}'", "neighbor_next=0,1"]) == 0
    return folder


def experiment(at: Path) -> runs.Experiment:
    return named.open_experiment(at / "outputs", "latest")


def test_every_number_of_the_page_is_in_the_record(at: Path) -> None:
    (page,) = (at / "reports").glob("*/index.html")
    html = page.read_text("utf-8")
    found = re.findall(r'<data value="([^"]+)" data-run="([0-9a-f]{64})" data-measure="([^"]+)"', html)
    assert len(found) > 6
    recorded = record.read(experiment(at))
    assert recorded is not None
    rows = recorded[1]
    known = {
        (r["candidate"], r["measure"], v)
        for r in rows.to_dicts()
        for v in (r["candidate_mean"], r["difference"])
    }
    fronts = recorded[0]["groups"][0]["front"]
    known |= {(f["run"], f["measure"], f["mean"]) for f in fronts}
    surfaces = recorded[0]["groups"][0]["surfaces"]
    known |= {(w["run"], s["measure"], w["mean"]) for s in surfaces for w in s["windows"]}
    ran = experiment(at).runs.values()
    known |= {(r.key, m["measure"], m["mean"]) for r in ran for m in r.measures}  # the measures in words
    for value, run, measure in found:
        assert (run, measure, float(value)) in known
    for f in fronts:
        table = runs.Run(at / "outputs", f["run"]).table("measures").filter(pl.col("measure") == f["measure"])
        assert table["value"].mean() == pytest.approx(f["mean"])


def test_the_page_says_the_recorded_answer_and_leads_to_the_details(at: Path) -> None:
    (page,) = (at / "reports").glob("*/index.html")
    html = page.read_text("utf-8")
    group = (record.read(experiment(at)) or ({}, None))[0]["groups"][0]
    assert group["answer"]["sentence"].split(".")[0] in html
    assert "Neighbor Expansion differs:" in html
    links = re.findall(r'href="(\.\./[^"#]+)"', html)
    assert links
    assert all((page.parent / link).exists() for link in links)


def test_pages_load_nothing_from_elsewhere_and_have_no_inline_code(at: Path) -> None:
    for page in (at / "reports").rglob("*.html"):
        html = page.read_text("utf-8")
        assert "Content-Security-Policy" in html
        assert not re.search(r'\s(?:on\w+|style)="', html)
        assert not re.search(r'(?:src|href)="(?:https?:)?//', html)
        assert "<b>&hostile" not in html
        assert not re.search(
            r"\b(?:NaN|None|nan)\b", re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)
        )


def test_the_list_leads_to_the_page(at: Path) -> None:
    html = (at / "reports" / "index.html").read_text("utf-8")
    links = [x for x in re.findall(r'href="([^"#]+\.html)"', html) if x != "index.html"]
    assert links
    assert (at / "reports" / links[0]).is_file()


def test_the_same_record_gives_the_same_bytes(at: Path) -> None:
    before = {p: p.read_bytes() for p in (at / "reports").rglob("*.html")}
    site.render(experiment(at), at / "reports", questions=30)
    assert {p: p.read_bytes() for p in (at / "reports").rglob("*.html")} == before


def test_a_page_that_is_gone_or_cut_is_made_again(at: Path) -> None:
    (page,) = (at / "reports").glob("*/index.html")
    question = min((page.parent / "q").glob("*.html"))
    before = [p.read_bytes() for p in (page, question)]
    page.write_bytes(b"")
    question.unlink()
    site.render(experiment(at), at / "reports", questions=30)
    assert [p.read_bytes() for p in (page, question)] == before


def test_reports_that_are_a_file_are_named(at: Path, tmp_path: Path) -> None:
    (tmp_path / "reports").write_text("")
    with pytest.raises(StoreError, match="reports: is no folder; name another"):
        site.render(experiment(at), tmp_path / "reports", questions=30)


def test_a_compared_run_that_is_gone_is_named(at: Path, tmp_path: Path) -> None:
    shutil.copytree(at / "outputs", tmp_path / "outputs")
    found = named.open_experiment(tmp_path / "outputs", "latest")
    shutil.rmtree(found.runs[0].path)
    pages = site.render(
        named.open_experiment(tmp_path / "outputs", "latest"), tmp_path / "reports", questions=30
    )
    assert "A run that was compared cannot be read: " in pages["report"].read_text("utf-8")


def test_one_run_says_its_mean_with_interval_and_compares_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    helpers.tiny(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    words = ["dataset=native", "dataset.path=data", "strategy.size=4", "tokenizer=words", "retrieval=bm25"]
    assert main([*words, "tracking=off"]) == 0
    (page,) = (tmp_path / "reports").glob("*/index.html")
    html = page.read_text("utf-8")
    assert "One cell, nothing to compare: SpanR@5" in html
    assert "Better" not in html
