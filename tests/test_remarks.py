"""What a sweep says beside its table: what was given twice, whose warnings, sizes of two kinds."""

from __future__ import annotations

import json

import pytest
from command import Line


def test_what_is_given_twice_is_said_for_hydra_keeps_the_last(line: Line) -> None:
    said = line.fast("top_k=1", "top_k=2", "runtime.progress=false")
    assert said.code == 0
    assert said.err.count("is given twice") == 1
    assert "WARNING: top_k is given twice; top_k=1 is not used" in said.err


def test_a_warning_of_some_cells_names_them(line: Line) -> None:
    said = line.fast("-m", "metrics=rank", "metrics.measures=[nDCG@3]", "top_k=1,2,5")
    assert "note: cell 0: nDCG@3 sees at most top_k = 1 hits" in said.out
    assert "note: embedding hashing knows words, not meaning" in said.out  # of all of them


@pytest.mark.parametrize(
    ("strategies", "said"),
    [
        ("fixed_size,heading", "strategy.size counts tokens in fixed_size; characters in heading"),
        ("fixed_size,recursive", None),
    ],
)
def test_one_number_is_not_one_length_where_strategies_count_differently(
    line: Line, strategies: str, said: str | None
) -> None:
    out = line(
        "-m", "embedding=hashing", "tokenizer=words", "tracking=off", "dataset=native", "dataset.path=data",
        f"strategy={strategies}", "strategy.size=4,8", "retrieval=bm25",
    ).out  # fmt: skip
    assert ("one number is not one length" in out) == (said is not None)
    assert said is None or said in out


def test_the_list_of_runs_says_what_the_newest_sweep_called_them(line: Line) -> None:
    assert line.fast("-m", "top_k=1,2").code == 0
    runs = json.loads(line("ls", "--json").out)["runs"]
    assert sorted(o for r in runs for o in r["overrides"] if o.startswith("top_k")) == ["top_k=1", "top_k=2"]
    assert {r["dataset"] for r in runs} == {"data"}  # the folder's name: many data sets are `native`


def test_compare_shows_the_measures_that_are_asked_for(line: Line) -> None:
    assert line.fast("-m", "top_k=1,2").code == 0
    said = line("compare", "--measure", "SpanR@500t")
    rows = [x for x in said.out.splitlines() if x.startswith("top_k=2 ")]
    assert ["SpanR@500t" in row for row in rows] == [True]
    wrong = line("compare", "--measure", "SpanR@501t")
    assert (wrong.code, "the runs have no 'SpanR@501t'" in wrong.err) == (2, True)


def test_strategies_without_windows_are_named_in_one_line(line: Line) -> None:
    out = line(
        "-m", "embedding=hashing", "tokenizer=words", "tracking=off", "dataset=native", "dataset.path=data",
        "strategy=sentence,heading,document", "neighbor_prev=0,1", "retrieval=bm25",
    ).out  # fmt: skip
    lines = [x for x in out.splitlines() if x.startswith("not applied: ")]
    said = "not applied: neighbor_prev: strategy document, heading and sentence has no windows to widen"
    assert [x for x in lines if "neighbor_prev" in x] == [said]
