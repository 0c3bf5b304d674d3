"""The report is true: its table, trees, contexts and warnings are what the runs recorded."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from dataset.native_folders import lines
from report.pages import GOLD, Parsed, asked, experiment, parsed, sweep, within_main

from runner import pipeline
from runner.named import open_experiment
from runner.report import site
from runner.runs import Experiment


def recorded(home: Path, run: str) -> pl.DataFrame:
    return pl.read_parquet(home / "outputs" / "runs" / run / "measures.parquet")


def test_a_sweep_writes_its_report_whole(home: Path) -> None:
    found = sorted(p for p in (home / "reports").rglob("*"))
    names = {re.sub(r"-[0-9a-f]{8}$", "", p.parent.name) for p in found if p.name == "index.html"}
    assert {"mixed", "windows"} <= names
    assert not [p for p in found if p.name.startswith(".")]


def test_the_same_records_give_the_same_bytes(home: Path, tmp_path: Path) -> None:
    found = experiment(home, "windows")
    for d in ("one", "two"):
        site.render(found, tmp_path / d, questions=30)
        site.single(found, tmp_path / d, questions=30)
    one, two = (
        {p.relative_to(tmp_path / d): p.read_bytes() for p in (tmp_path / d).rglob("*") if p.is_file()}
        for d in ("one", "two")
    )
    assert one == two


def test_the_table_has_the_means_of_the_measures(home: Path) -> None:
    cells = parsed(home, "windows").having("data-std")
    runs = {r.key: r for r in experiment(home, "windows").runs.values()}
    assert len(cells) == sum(len(r.measures) for r in runs.values()) > 0
    for cell in cells:
        values = recorded(home, cell["data-run"]).filter(measure=cell["data-measure"])["value"]
        assert float(cell["data-value"]) == pytest.approx(values.mean(), rel=1e-12, abs=1e-15)
        assert float(cell["data-std"]) == pytest.approx(values.std(ddof=0), rel=1e-9, abs=1e-12)
        assert int(cell["data-n"]) == len(values) == 3


def test_a_question_has_its_own_values(home: Path) -> None:
    site.render(experiment(home, "windows"), home / "again", questions=30)
    pages = sorted((home / "again").glob("windows-*/q/[0-9a-f]*.html"))
    assert len(pages) == 5
    cells = [a for p in pages for a in Parsed(p.read_text("utf-8")).having("value") if a.get("data-query")]
    assert cells
    for cell in cells:
        row = recorded(home, cell["data-run"]).filter(
            measure=cell["data-measure"], query_id=cell["data-query"]
        )
        assert float(cell["data-value"]) == row["value"].item()


def test_trees_and_contexts_are_those_of_the_record(home: Path) -> None:
    answers = [(q.query_id, a) for q in asked(home, "windows") for a in q.answers]
    assert len(answers) == 5 * 3, "of four cells the first three are shown"
    for query_id, answer in answers:
        run = answer.setup.run
        rows = run.table("expansion").filter(query_id=query_id).select("hit_rank", "chunk_id").rows()
        assert [(b.rank, s.chunk.chunk_id) for b in answer.tree for s in b.slots if s.chunk] == rows
        context = run.table("context").filter(query_id=query_id)
        kinds = {"hit": "hit", "nb": "neighbor"}
        flat = [(line.chunk.chunk_id, kinds[line.kind]) for line in answer.context]
        assert flat == context.select("chunk_id", "role").rows()
        prev, following, _ = answer.setup.expansion
        # An empty array is drawn as well: one empty place on the side where nothing was asked for.
        assert all(len(b.slots) == max(prev, 1) + 1 + max(following, 1) for b in answer.tree)


def test_the_running_count_ends_at_the_measured_tokens(home: Path) -> None:
    for question in asked(home, "windows"):
        for answer in question.answers:
            values = recorded(home, answer.setup.run.key).filter(
                query_id=question.query_id, measure="Tokens@5+"
            )
            running = answer.context[-1].running if answer.context else 0
            assert values["value"].to_list() in ([], [running])


def questions_text(home: Path, name: str) -> str:
    """All panels of an experiment, as the single file shows them."""
    path = site.single(experiment(home, name), home / "alone", questions=30)
    return within_main(path.read_text("utf-8")).text


def test_an_empty_place_says_why_it_is_empty(home: Path) -> None:
    text = questions_text(home, "windows")
    for why in ("document starts here", "document ends here", "expansion off"):
        assert why in text
    assert "not applied: sentence" not in text
    assert "previous: not applied: sentence" in questions_text(home, "mixed")


def test_gold_is_marked_and_found_again(home: Path) -> None:
    path = site.single(experiment(home, "windows"), home / "alone", questions=30)
    assert f"<mark>{GOLD}</mark>" in path.read_text("utf-8")
    assert "hit 1" in questions_text(home, "windows")


def test_a_mixed_sweep_mutes_the_badge_and_names_the_same_run(home: Path) -> None:
    html = parsed(home, "mixed")
    muted = html.of_class("muted")
    badges = [a for a in html.of_class("badge") if a in muted]
    assert badges
    assert all(a["title"].endswith("not applied: fixed_size was not in this run") for a in badges)
    assert "Same run as cell 2, computed once." in html.text
    assert "4 cells: 3 run, 0 found finished, 0 failed, 1 the same run as another" in html.text


def test_the_soft_warning_is_there_exactly_when_set_ups_differ(
    home: Path, monkeypatch: pytest.MonkeyPatch, quiet: None
) -> None:
    text = parsed(home, "windows").text
    assert "Neighbor Expansion differs: neighbor_prev=0 neighbor_next=0 has ±0/0, neighbor_prev=0" in text
    assert "Embedding Model differs" not in text
    assert "Neighbor Expansion differs: 2 runs have ±0/0, strategy=fixed_size" in parsed(home, "mixed").text
    monkeypatch.chdir(home)
    assert sweep(home, name="one") == 0
    assert "differs" not in parsed(home, "one").text
    assert sweep(home, "retrieval=bm25,vector", name="legs") == 0
    text = parsed(home, "legs").text
    assert "Embedding Model differs: retrieval=bm25 uses none, retrieval=vector uses hashing" in text


def test_a_cell_without_result_is_a_grey_row_that_says_why(
    home: Path, monkeypatch: pytest.MonkeyPatch, quiet: None
) -> None:
    real = pipeline.order.ranking

    def broken(hits: pl.DataFrame, *rest: Any) -> Any:
        if hits["final_rank"].max() == 2:
            raise RuntimeError("no <b>hits</b> left")
        return real(hits, *rest)

    monkeypatch.chdir(home)
    monkeypatch.setattr(pipeline.order, "ranking", broken)
    assert sweep(home, "top_k=1,2", "threshold.score=null,99", name="failing") == 1
    html = parsed(home, "failing")
    assert [a["id"] for a in html.of_class("failed")] == ["row-1", "row-2", "row-3"]
    assert "RuntimeError: no <b>hits</b> leftIt is in no number here." in html.text
    assert "Refused before any work. threshold.score: 99 is above 1.3" in html.text
    assert "1 run, 0 found finished, 1 failed, 2 invalid" in html.text


def test_a_failed_cell_names_its_stage_and_no_run_is_still_a_page(tmp_path: Path) -> None:
    folder = tmp_path / "experiments" / ("k" * 64)
    folder.mkdir(parents=True)
    cell = {
        "num": 0, "overrides": [], "status": "failed", "run": None, "stage": "fusion", "reason": "out of air",
        "counters": {}, "not_applied": {}, "same_as": None,
    }  # fmt: skip
    body = {
        "key": folder.name, "name": "../../é <x>", "axes": {}, "cells": [cell], "command": ["a b"],
        "created": "2026-11-30T10:00:00+00:00",
    }  # fmt: skip
    (folder / "experiment.json").write_text(json.dumps(body), "utf-8")
    path = site.render(Experiment(tmp_path, folder.name), tmp_path / "reports", questions=30)["report"]
    assert path == tmp_path / "reports" / "x-kkkkkkkk" / "index.html"
    text = Parsed(path.read_text("utf-8")).text
    assert "no cell finished" in text
    assert "Stopped at stage fusion. out of air" in text


def test_missing_texts_and_missing_runs_are_said(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "outputs", tmp_path / "outputs")
    shutil.rmtree(tmp_path / "outputs" / "store")
    found = open_experiment(tmp_path / "outputs", "windows")
    text = Parsed(site.single(found, tmp_path / "reports", questions=30).read_text("utf-8")).text
    assert "The texts of cells 0, 1, 2 and 3 are no longer in the store" in text
    assert "text no longer in the store" in text
    shutil.rmtree(tmp_path / "outputs" / "runs" / found.cells[0]["run"])
    text = Parsed(site.single(found, tmp_path / "reports", questions=30).read_text("utf-8")).text
    assert "its run folder is gone or damaged" in text


def test_words_that_claim_too_much_are_not_used(home: Path) -> None:
    words = r"\b(significant|best cell|recommend|nan|undefined)\b"
    assert not re.search(words, parsed(home, "mixed").text, re.IGNORECASE)


def test_document_gold_reasons_and_two_data_sets(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quiet: None
) -> None:
    monkeypatch.chdir(home)
    whole = tmp_path / "whole"
    shutil.copytree(home / "data", whole)
    (whole / "gold.jsonl").write_bytes(lines([{"query_id": "q3", "doc_id": "b", "grade": 2}]))
    paths = f"dataset.path={home / 'data'},{whole}"
    assert sweep(home, paths, "metrics=rank", "retrieval=bm25", "top_k=1", name="kinds") == 0
    assert len(asked(home, "kinds")) == 10, "questions of two data sets are two questions"
    text = questions_text(home, "kinds")
    assert "the whole document · grade 2" in text
    assert "No hit: the expansion tree and the context are empty." in text
    assert "bm25: no match" in text
