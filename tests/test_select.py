"""Select: chosen on dev by the stated rule, confirmed once on test, every look at it written down."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import Line

from runner import ledger, named
from runner.comparison import choosing, record
from runner.comparison.choosing import Place
from runner.errors import StoreError
from runner.runs import Experiment, Run
from runner.store import Store

BASE = ("dataset=guide", "embedding=hashing", "tokenizer=words", "retrieval=bm25", "tracking=off")


@pytest.fixture
def swept(line: Line) -> Line:
    """A sweep over all questions of the guide, which says what the cells are."""
    said = line("-m", *BASE, "top_k=1,2,4,8", "experiment.name=depth")
    assert said.code == 0, said
    return line


def chosen(line: Line, *words: str) -> dict[str, Any]:
    said = line("select", "depth", *words, "--json")
    assert said.code == 0, said
    body: dict[str, Any] = json.loads(said.out)
    return body


def test_the_choice_is_the_highest_mean_within_the_budget(swept: Line) -> None:
    body = chosen(swept, "--measure", "SpanR@8000t", "--budget", "600")
    runs = {c["cell"]: Run(swept.outputs, c["run"]) for c in body["cells"]}
    assert sorted(runs) == [0, 1, 2, 3]
    means, tokens = {}, {}
    for cell, run in runs.items():
        values = run.table("curve").filter(measure="SpanR@8000t")["value"]
        means[cell], n = values.mean(), run.meta["data"]["queries"]
        tokens[cell] = run.table("context")["tokens"].sum() / n
    within = [c for c in runs if tokens[c] <= 600]
    assert 0 < len(within) < 4, tokens
    assert body["chosen"]["cell"] == max(within, key=lambda c: means[c])
    assert all(r.config["split"] == "dev" for r in runs.values())


def test_the_test_half_is_compared_as_compare_does_and_has_no_question_of_dev(swept: Line) -> None:
    body = chosen(swept, "--measure", "SpanR@8000t")
    assert body["chosen"] == {"cell": 3, "overrides": ["top_k=8"]}
    test = Experiment(swept.outputs, body["test"]["experiment"])
    row = record.of_experiment(test)[0].row(test.runs[1].key, "SpanR@8000t")
    assert row is not None
    assert body["test"]["difference"] == row.difference
    assert body["test"]["verdict"] == row.verdict
    dev = Run(swept.outputs, body["cells"][0]["run"]).table("queries")["query_id"].to_list()
    assert not set(dev) & set(test.runs[0].table("queries")["query_id"].to_list())


def test_every_look_at_the_test_half_is_counted(swept: Line) -> None:
    assert chosen(swept, "--measure", "SpanR@8000t")["test"]["times"] == 2  # baseline and choice
    again = chosen(swept, "--measure", "SpanR@8000t")
    assert (again["test"]["times"], again["test"]["setups"]) == (4, 2)
    said = swept(*BASE, "split=test", "top_k=3")
    assert "this test half was looked at 5 times, with 3 set-ups" in said.out


def test_cells_keep_the_numbers_of_the_sweep_they_come_from(line: Line) -> None:
    sizes = "strategy.size=20,-5,400,200,100"
    assert line("-m", *BASE, sizes, "experiment.name=depth").code == 1  # a cell cannot be run
    refused = line("select", "depth", "--measure", "SpanR@8000t", "--baseline", "1")
    assert (refused.code, refused.out) == (2, "")
    assert "no cell 1 can be run; choose of 0, 2, 3, 4" in refused.err
    body = chosen(line, "--measure", "SpanR@8000t", "--baseline", "2", "--halving")
    assert body["baseline"] == {"cell": 2, "overrides": ["strategy.size=400"]}
    sized = {0: 20, 2: 400, 3: 200, 4: 100}
    for cell in (*body["cells"], body["chosen"]):
        assert cell["overrides"] == [f"strategy.size={sized[cell['cell']]}"]


def test_cells_that_are_one_run_are_counted_once(line: Line) -> None:
    said = line("-m", *BASE, "strategy=sentence,document", "neighbor_prev=0,1", "experiment.name=depth")
    assert said.code == 0  # four cells, but neighbors do nothing: two runs
    body = chosen(line, "--measure", "SpanR@8000t", "--halving", "--baseline", "1")
    assert body["baseline"]["cell"] == 1
    assert len(body["cells"]) == 2
    assert body["evaluations"]["made"] == body["evaluations"]["all"]


def test_what_is_selects_own_is_refused(line: Line) -> None:
    for override in ("split=test", "experiment=hybrid"):
        said = line("select", "chunking", "--measure", "SpanR@5", override)
        assert (said.code, said.out) == (2, "")
        assert "are select's own; leave it out" in said.err
    away = line("select", "../expected/chroma_minilm", "--measure", "SpanR@5")
    assert (away.code, "there is no experiment" in away.err) == (2, True)


def test_what_was_not_to_be_tracked_is_not_when_it_is_selected_from(swept: Line) -> None:
    chosen(swept, "--measure", "SpanR@8000t")
    assert not (swept.outputs / "mlflow.db").exists()


def test_nobody_looks_where_the_baseline_is_the_choice(swept: Line) -> None:
    body = chosen(swept, "--measure", "SpanR@8000t", "--baseline", "3")
    assert body["test"] is None
    assert not (swept.outputs / "ledger.jsonl").exists()


def test_halving_ends_with_all_questions_and_counts_what_it_saved(swept: Line) -> None:
    body = chosen(swept, "--measure", "SpanR@8000t", "--halving")
    n = body["evaluations"]["all"] // 4
    assert body["rounds"][-1]["questions"] == n
    made = sum(r["questions"] * r["cells"] for r in body["rounds"])
    assert body["evaluations"] == {"made": made, "all": 4 * n}
    assert json.loads((swept.outputs / "experiments" / body["dev"] / "selection.json").read_text()) == body
    (page,) = (swept.at / "reports").glob(f"depth-dev-{body['dev'][:8]}/index.html")
    assert f"chosen, by the highest mean: {body['chosen']['overrides'][0]}" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("cells", "questions", "rounds"),
    [
        (9, 236, [29, 59, 118, 236]),  # 9, 5, 3, 2 cells
        (2, 236, [236]),
        (64, 40, [20, 40]),  # 10 would be too few to tell anything
    ],
)
def test_rounds_halve_the_cells_and_double_the_questions(
    cells: int, questions: int, rounds: list[int]
) -> None:
    assert choosing.rounds(cells, questions) == rounds


def test_the_baseline_stays_in_a_halving() -> None:
    order = [Place(r, 0.0, 0.0, within=True) for r in "abcde"]
    assert choosing.kept(order, "b") == ["a", "b", "c"]
    assert choosing.kept(order, "e") == ["a", "b", "c", "e"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--measure", "SpanR@9"), "the runs have no 'SpanR@9'"),
        (("--measure", "Tokens@5"), "Tokens@5 is a cost; choose by quality"),
        (("--measure", "SpanR@8000t", "--budget", "3"), "the smallest context has"),
        (("--measure", "SpanR@8000t", "--budget", "few"), "--budget: 'few' is no whole number"),
        (("--measure", "SpanR@8000t", "--baseline", "4"), "no cell 4 can be run; choose of 0, 1, 2, 3"),
        (("--measure", "SpanR@8000t", "top_k=3"), "overrides (top_k=3) are for presets"),
        ((), "usage: python -m runner select"),
    ],
)
def test_a_wrong_request_is_refused(swept: Line, words: tuple[str, ...], says: str) -> None:
    said = swept("select", "depth", *words)
    assert (said.code, said.out) == (2, "")
    assert says in said.err


def test_a_measure_that_no_run_will_have_is_refused_before_anything_runs(swept: Line) -> None:
    before = named.run_keys(swept.outputs)
    assert swept("select", "depth", "--measure", "SpanR@9").code == 2
    assert named.run_keys(swept.outputs) == before


def test_a_damaged_ledger_is_named_with_its_line(tmp_path: Path) -> None:
    ledger.look(Store(tmp_path / "store"), "q", "r", "guide")
    with (tmp_path / "ledger.jsonl").open("a") as f:
        f.write("{half\n")
    with pytest.raises(StoreError, match=r"ledger\.jsonl:2: is no line of the ledger"):
        ledger.looks(tmp_path, "q")


def test_a_finished_sweep_is_told_though_the_ledger_is_damaged(line: Line) -> None:
    line.outputs.mkdir()
    (line.outputs / "ledger.jsonl").write_text("{half\n")
    said = line(*BASE, "split=test", "top_k=3")
    assert said.code == 0
    assert "ledger.jsonl:1: is no line of the ledger" in said.out
    assert line.cells()[0]["status"] == "finished"
