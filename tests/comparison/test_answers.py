"""The answer of a comparison: what leads it, what stands beside it, and which records are read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import helpers
import numpy as np
import pytest
from comparison.sweeps import swept
from helpers import done

from runner import named
from runner.cli import main
from runner.comparison import record, said
from runner.comparison.scores import scores
from runner.runs import Run


@pytest.mark.parametrize(
    ("measures", "main_"),
    [
        (["Tokens@3", "nDCG@3"], "nDCG@3"),  # a cost decides nothing
        (["SpanR@500t", "SpanR@3"], "SpanR@3"),  # nor does a budget lead "at equal top_k"
    ],
)
def test_the_answer_leads_with_quality_at_equal_top_k(at: Path, measures: list[str], main_: str) -> None:
    pair_ = [done(at / "data", at / "out", top_k=k, metrics__measures=measures) for k in (1, 3)]
    group = record.compared(pair_, {r.key: r.short for r in pair_})
    assert group.body["main"][0] == main_
    assert len(set(group.body["main"])) == len(group.body["main"])
    assert said.headline(group) is not None


def test_gold_of_whole_documents_has_a_verdict_too(tmp_path: Path) -> None:
    gold = [{"query_id": "q1", "doc_id": "metals"}, {"query_id": "q2", "doc_id": "trees"}]
    helpers.tiny(tmp_path / "data", gold=gold)
    measures = ["SpanR@3", "Tokens@3", "Tokens@3+", "nDCG@3"]
    pair_ = [
        done(tmp_path / "data", tmp_path / "out", neighbor_prev=n, metrics__measures=measures) for n in (1, 0)
    ]
    group = record.compared(pair_, {r.key: r.short for r in pair_})
    assert group.body["main"] == ["nDCG@3"]
    answer = said.headline(group)
    assert answer is not None
    assert answer.sentence == "nDCG@3 is the same in both (same hits: expansion leaves ranks alone)."
    assert group.body["surfaces"] == []


def test_another_better_run_and_two_changed_axes_stand_beside_the_headline(pair: list[Run]) -> None:
    labels = {r.key: r.short for r in pair}
    cells = [{"neighbor_prev": str(n), "neighbor_next": str(n)} for n in (0, 1)]
    line, small = said.beside(record.compared(pair, labels, cells=cells))
    assert line.startswith("Two axes differ at once, so the ")
    assert line.endswith(" cannot be given to neighbor_prev or neighbor_next alone.")
    assert small.startswith("2 contexts of those compared at 250 tokens are smaller than that; the smallest ")
    assert said.beside(record.compared(pair, labels)) == [small]


@pytest.mark.parametrize(
    ("tokens", "chunk", "budget"),
    [
        ([996, 2100], [200, 200], 1000),  # within 1% of it
        ([900, 2100], [200, 200], 500),  # every run fills 500, not 1,000
        ([480, 2000], [100, 400], 500),  # 250 is filled, but holds no chunk of 400
        ([90, 120], [30, 60], 250),  # none is small enough
        ([9000, 20_000], [9000, 9000], 8000),  # none is large enough
    ],
)
def test_the_budget_is_filled_and_holds_a_chunk(
    pair: list[Run], tokens: list[int], chunk: list[int], budget: int
) -> None:
    found = scores(pair)
    means = np.tile(np.array(tokens, float), (len(found.queries), 1))
    assert record.budget_for(replace(found, tokens=means, chunk=np.array(chunk, float))) == budget


def test_the_baseline_of_another_data_set_is_the_cell_most_like_the_one_named(tmp_path: Path) -> None:
    for name in ("one", "two"):
        helpers.tiny(tmp_path / name, queries=helpers.QUERIES if name == "one" else helpers.QUERIES[:2])
    sets = ",".join(str(tmp_path / name) for name in ("one", "two"))
    words = ["dataset=native", f"dataset.path={sets}", "strategy.size=4", "tokenizer=words", "retrieval=bm25"]
    words += [f"runtime.{w}={tmp_path / w}" for w in ("outputs", "reports")]
    assert main(["-m", *words, "tracking=off", "top_k=1,2,3", "dataset.on_bad=skip"]) in (0, 1)
    found = named.open_experiment(tmp_path / "outputs", "latest")
    groups = record.of_experiment(found, baseline=1)
    assert [g.labels[g.body["baseline"]].rpartition("top_k=")[2] for g in groups] == ["2"] * len(groups)
    assert len(groups) == 2


def test_a_record_of_another_format_is_none(at: Path) -> None:
    experiment = swept(at)
    assert record.read(experiment) is not None
    file = experiment.path / "comparison.json"
    was = file.read_text("utf-8")
    file.write_text(json.dumps({**json.loads(was), "format": 99}), "utf-8")
    assert record.read(experiment) is None
    file.write_text(was, "utf-8")
