"""Sweepers that search: what Optuna is told, what it left out, and the same record as any sweep."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import Line

from runner.runs import Run

pytest.importorskip("hydra_plugins.hydra_optuna_sweeper", reason="the extra `search` is not installed")

ASKED = ("-m", "hydra/sweeper=optuna", "hydra.sweeper.sampler.seed=1", "retrieval=bm25")


def results(line: Line) -> dict[str, Any]:
    found = list(Path(line.outputs).glob("sweeps/*/optimization_results.yaml"))
    assert len(found) == 1
    read: dict[str, Any] = yaml.safe_load(found[0].read_text("utf-8"))
    return read


def test_one_objective_is_the_mean_of_the_first_measure(line: Line) -> None:
    said = line.fast(*ASKED, "hydra.sweeper.n_trials=4", "hydra.sweeper.direction=maximize", "top_k=1,2,3")
    assert said.code == 0, said
    means = [Run(line.outputs, c["run"]).measures[0]["mean"] for c in line.cells()]
    assert len(means) == 4
    assert results(line)["best_value"] == max(means)


def test_a_cost_that_stands_first_is_no_objective(line: Line) -> None:
    words = ("metrics.measures=[Tokens@3,SpanR@3]", "hydra.sweeper.direction=maximize", "top_k=1,2")
    assert line.fast(*ASKED, "hydra.sweeper.n_trials=4", *words).code == 0
    means = {m["measure"]: m["mean"] for c in line.cells() for m in Run(line.outputs, c["run"]).measures}
    assert list(means) == ["Tokens@3", "SpanR@3"]
    assert results(line)["best_value"] == max(
        m["mean"]
        for c in line.cells()
        for m in Run(line.outputs, c["run"]).measures
        if m["measure"] == "SpanR@3"
    )


@pytest.mark.parametrize("wrong", ["hydra.sweeper.n_trials=0", "hydra.sweeper.direction=up"])
def test_a_search_that_cannot_start_records_nothing(line: Line, wrong: str) -> None:
    said = line.fast(*ASKED, "hydra.sweeper.n_trials=2", wrong, "top_k=1,2")
    assert (said.code, said.out) == (2, "")
    assert "no cell was run; mend its settings" in said.err
    assert line.experiments() == []


def test_a_search_that_stops_among_its_cells_fails(line: Line) -> None:
    said = line.fast(*ASKED, "hydra.sweeper.n_trials=2", "hydra.sweeper.direction=[maximize]", "top_k=1,2")
    assert said.code == 1
    assert "ERROR: the launcher or sweeper stopped" in said.err
    assert [bool(c["run"]) for c in line.cells()] == [True] * 2


def test_two_objectives_are_the_measure_and_the_tokens_of_the_context(line: Line) -> None:
    both = "hydra.sweeper.direction=[maximize,minimize]"
    assert line.fast(*ASKED, "hydra.sweeper.n_trials=4", both, "top_k=1,2,3").code == 0
    runs = [Run(line.outputs, c["run"]) for c in line.cells()]
    told = {
        (r.measures[0]["mean"], r.table("context")["tokens"].sum() / r.meta["data"]["queries"]) for r in runs
    }
    assert {tuple(s["values"]) for s in results(line)["solutions"]} <= told


def test_cells_that_were_chosen_on_the_way_are_compared_by_their_axes(line: Line) -> None:
    said = line.fast(*ASKED, "hydra.sweeper.n_trials=6", "top_k=1,2,3", "strategy.overlap=choice(0,1)")
    assert said.code == 0, said
    recorded = line.experiments()[-1]
    made = {tuple(c["overrides"]) for c in recorded["cells"]}
    assert 1 < len(made) <= 6
    assert f"searched: {len(made)} of 6 combinations ({6 - len(made)} evaluations saved)" in said.out
    assert set(recorded["axes"]) <= {"top_k", "strategy.overlap"}
    body = json.loads((line.outputs / "experiments" / recorded["key"] / "comparison.json").read_text("utf-8"))
    labels = [r["label"] for g in body["groups"] for r in g["runs"]]
    assert len(set(labels)) == len(labels) > 1


def test_a_cell_that_fails_fails_alone(line: Line) -> None:
    said = line.fast(*ASKED, "hydra.sweeper.n_trials=6", "top_k=1,2,0")
    assert said.code == 1
    assert {(c["overrides"][0], c["status"]) for c in line.cells()} >= {("top_k=0", "invalid")}
    assert sum(c["run"] is not None for c in line.cells()) >= 1
    assert len(line.cells()) == 6
