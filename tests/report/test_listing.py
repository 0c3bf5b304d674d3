"""The list of experiments: one row each, badges, recorded verdicts, and why something is missing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from report.pages import Parsed, within_main

from runner.report import listing
from runner.report.listing import NO_RECORD


def listed(home: Path, reports: str = "reports") -> Parsed:
    return within_main(listing.listing(home / "outputs", home / reports))


def test_every_experiment_has_a_row_and_a_tick_for_its_baseline(home: Path) -> None:
    page = listed(home)
    rows = page.having("data-experiment")
    every = {
        p.parent.name: json.loads(p.read_text())
        for p in (home / "outputs").glob("experiments/*/experiment.json")
    }
    assert {r["data-experiment"] for r in rows if "data-strategy" in r} == set(every)
    ticks = {a["value"] for a in page.having("name") if a["name"] == "run"}
    # Three questions name no winner, so the first cell, the baseline, stands for each.
    assert ticks == {e["cells"][0]["run"] for e in every.values()}


def test_badges_are_one_per_value_and_a_range_from_four(home: Path) -> None:
    forms = [a["class"] for a in listed(home).of_class("badge")]
    # `windows` has P 0, 1 x N 0, 2: four values; `mixed` has P 0, 1, applied to fixed_size.
    assert sorted(forms) == ["badge off", "badge on", "badge range"]


def test_the_verdict_is_that_of_the_record(home: Path) -> None:
    page = listed(home)
    for path in (home / "outputs").glob("experiments/*/comparison.json"):
        group = json.loads(path.read_text())["groups"][0]
        for tag in group["answer"]["tags"]:
            assert tag["words"] in page.text
    assert "no interval: 3 questions" in page.text


def test_without_a_record_the_reason_stands(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "outputs", tmp_path / "outputs")
    for path in (tmp_path / "outputs").glob("experiments/*/comparison.json"):
        path.unlink()
    page = listed(tmp_path)
    assert page.text.count(NO_RECORD) >= 2
    assert {a["data-verdict"] for a in page.having("data-verdict")} == {"none"}
    assert "None" not in page.text


def test_no_experiment_says_how_to_start(tmp_path: Path) -> None:
    page = listed(tmp_path)
    assert "No experiment is recorded in this folder yet" in page.text
    assert "python -m runner" in page.text
