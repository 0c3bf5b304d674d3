"""What the questions can decide, from the variance of earlier runs."""

from __future__ import annotations

import math
from pathlib import Path

import helpers
import pytest
from helpers import done
from scipy.special import ndtri, stdtrit

from runner.cli import main
from runner.comparison.power import told
from runner.comparison.scores import scores


def test_it_is_the_formula_over_the_deviation_of_the_differences(tmp_path: Path) -> None:
    queries = [{"query_id": f"q{i}", "text": helpers.QUERIES[i % 2]["text"]} for i in range(12)]
    gold = [{**g, "query_id": f"q{i}"} for i in range(12) for g in helpers.GOLD
            if g["query_id"] == helpers.QUERIES[i % 2]["query_id"]]  # fmt: skip
    helpers.tiny(tmp_path / "data", queries=queries, gold=gold)
    first = done(tmp_path / "data", tmp_path / "out", top_k=1)
    assert told(tmp_path / "out", first.meta["fingerprints"], 1) == []
    second = done(tmp_path / "data", tmp_path / "out", top_k=3)
    found = told(tmp_path / "out", first.meta["fingerprints"], 1)
    table = scores([second, first])
    for t in found:
        delta = table.of(t.measure)[:, 0] - table.of(t.measure)[:, 1]
        assert t.units == 12
        assert t.deviation == pytest.approx(delta.std(ddof=1))
        expected = (stdtrit(11, 0.975) + ndtri(0.8)) * t.deviation / math.sqrt(12)
        assert t.least == pytest.approx(expected)
    assert told(tmp_path / "out", {**first.meta["fingerprints"], "queries": "other"}, 1) == []


def test_plan_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    helpers.tiny(tmp_path / "data")
    words = [
        "dataset=native",
        f"dataset.path={tmp_path / 'data'}",
        "tokenizer=words",
        "retrieval=bm25",
        "tracking=off",
    ]
    words += [f"runtime.outputs={tmp_path / 'out'}", f"runtime.reports={tmp_path / 'reports'}"]
    assert main(["plan", "--power", *words]) == 0
    assert "fewer than two runs over these questions are recorded" in capsys.readouterr().out
