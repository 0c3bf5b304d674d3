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
from report.pages import GOLD, Parsed, experiment, parsed, sweep

from runner import pipeline
from runner.report import page, view
from runner.runs import Experiment, open_experiment


def recorded(home: Path, run: str) -> pl.DataFrame:
    return pl.read_parquet(home / "outputs" / "runs" / run / "measures.parquet")


def test_a_sweep_writes_its_report_whole(home: Path) -> None:
    found = sorted(p.name for p in (home / "reports").iterdir())
    names = {re.sub(r"-[0-9a-f]{8}\.html$", "", n) for n in found}
    assert {"mixed", "windows"} <= names
    assert not [n for n in found if n.startswith(".")]


def test_the_same_records_give_the_same_bytes(home: Path, tmp_path: Path) -> None:
    first, second = (
        page.render(experiment(home, "windows"), tmp_path / d, questions=30) for d in ("one", "two")
    )
    assert first.read_bytes() == second.read_bytes()


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
    cells = [a for a in parsed(home, "windows").having("data-value") if "data-query" in a]
    assert cells
    for cell in cells:
        row = recorded(home, cell["data-run"]).filter(
            measure=cell["data-measure"], query_id=cell["data-query"]
        )
        assert float(cell["data-value"]) == row["value"].item()


def test_trees_and_contexts_are_those_of_the_record(home: Path) -> None:
    shown = view.page(experiment(home, "windows"), 30)
    answers = [(q.query_id, a) for q in shown.questions.questions for a in q.answers]
    assert len(answers) == 5 * 4
    for query_id, answer in answers:
        run = answer.setup.run
        rows = run.table("expansion").filter(query_id=query_id).select("hit_rank", "chunk_id").rows()
        assert [(b.rank, s.chunk.chunk_id) for b in answer.tree for s in b.slots if s.chunk] == rows
        context = run.table("context").filter(query_id=query_id)
        kinds = {"hit": "hit", "nb": "neighbor"}
        flat = [(line.chunk.chunk_id, kinds[line.kind]) for line in answer.context]
        assert flat == context.select("chunk_id", "role").rows()
        assert answer.tokens == context["tokens"].sum()
        prev, following, _ = answer.setup.expansion
        # An empty array is drawn as well: one empty place on the side where nothing was asked for.
        assert all(len(b.slots) == max(prev, 1) + 1 + max(following, 1) for b in answer.tree)


def test_the_running_count_ends_at_the_measured_tokens(home: Path) -> None:
    for question in view.page(experiment(home, "windows"), 30).questions.questions:
        for answer in question.answers:
            values = recorded(home, answer.setup.run.key).filter(
                query_id=question.query_id, measure="Tokens@5+"
            )
            assert values["value"].to_list() in ([], [answer.tokens])


def test_an_empty_place_says_why_it_is_empty(home: Path) -> None:
    text = parsed(home, "windows").text
    for why in ("document starts here", "document ends here", "previous expansion off", "next expansion off"):
        assert why in text
    assert "not applied: sentence" not in text
    assert "previous not applied: sentence" in parsed(home, "mixed").text


def test_gold_is_marked_and_found_again(home: Path) -> None:
    html = parsed(home, "windows")
    assert f"<mark>{GOLD}</mark>" in html.raw
    assert "in hit 1" in html.text


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
    assert "Neighbor Expansion differs: cell 0 has ±0/0; cell 1 has ±0/2; cell 2 has ±1/0; cell 3" in text
    assert "Embedding Model differs" not in text
    assert "cells 2 and 3 have no expansion (not applied: sentence)" in parsed(home, "mixed").text
    monkeypatch.chdir(home)
    assert sweep(home, name="one") == 0
    assert "differs" not in parsed(home, "one").text
    assert sweep(home, "retrieval=bm25,vector", name="legs") == 0
    text = parsed(home, "legs").text
    assert "Embedding Model differs: cell 0 has no embedding model (no leg reads vectors); cell 1" in text


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
    assert [a["id"] for a in html.of_class("failed")] == ["cell-1", "cell-2", "cell-3"]
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
    path = page.render(Experiment(tmp_path, folder.name), tmp_path / "reports", questions=30)
    assert path == tmp_path / "reports" / "x-kkkkkkkk.html"
    text = Parsed(path.read_text("utf-8")).text
    assert "no cell finished" in text
    assert "Stopped at stage fusion. out of air" in text


def test_missing_texts_and_missing_runs_are_said(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "outputs", tmp_path / "outputs")
    shutil.rmtree(tmp_path / "outputs" / "store")
    found = open_experiment(tmp_path / "outputs", "windows")
    text = Parsed(page.render(found, tmp_path / "reports", questions=30).read_text("utf-8")).text
    assert "The texts of cells 0, 1, 2 and 3 are no longer in the store" in text
    assert "text no longer in the store" in text
    shutil.rmtree(tmp_path / "outputs" / "runs" / found.cells[0]["run"])
    text = Parsed(page.render(found, tmp_path / "reports", questions=30).read_text("utf-8")).text
    assert "its run folder is gone or damaged" in text


def test_no_verdict_is_given(home: Path) -> None:
    words = r"\b(winner|significant|best cell|recommend|nan|undefined)\b"
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
    shown = view.page(experiment(home, "kinds"), 30)
    assert shown.questions.total == 10, "questions of two data sets are two questions"
    text = parsed(home, "kinds").text
    assert "the whole document · grade 2" in text
    assert "in hit 1" in text
    assert "No hit: the expansion tree and the context are empty." in text
    assert "bm25: no match" in text
