"""Tiny sweeps to deliver, and what MLflow says of them afterwards."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import helpers

from runner import pipeline, sweep
from runner.comparison import record as comparison
from runner.comparison import said
from runner.config import Tracking
from runner.runs import Experiment
from runner.sweep import Cell

AXES = {"neighbor_prev": ["0", "1"], "neighbor_next": ["0", "1"]}
Asked = list[tuple[list[str], dict[str, Any]]]
"""Per cell: its overrides, and the changes to the tiny config that they mean."""
CELLS: Asked = [
    (["neighbor_prev=0", "neighbor_next=0"], {}),
    (["neighbor_prev=1", "neighbor_next=0"], {"neighbor_prev": 1}),
    (["neighbor_prev=1", "neighbor_next=1"], {"neighbor_prev": 1, "neighbor_next": 1}),
]
NOTHING = "mlflow: delivered before, nothing to do"


def swept(
    home: Path, cells: Asked, name: str = "tiny", axes: dict[str, list[str]] | None = None
) -> Experiment:
    """A sweep over the tiny data set, run and recorded under `home/outputs`."""
    data = home / "data" if (home / "data").is_dir() else helpers.tiny(home / "data")
    session = helpers.session(home / "outputs")
    found: list[Cell] = []
    for num, (overrides, changes) in enumerate(cells):
        outcome = pipeline.run(helpers.config(data, **changes), session)
        same = next((c.num for c in found if c.run == outcome.run_key), None)
        found.append(Cell(num, overrides, "finished", outcome.run_key, same_as=same))
    return record(home, found, name, axes if axes is not None else AXES)


def record(
    home: Path, cells: list[Cell], name: str = "tiny", axes: dict[str, list[str]] | None = None
) -> Experiment:
    """These cells as an experiment."""
    command = ["python", "-m", "runner", "-m", *(f"{k}={','.join(v)}" for k, v in (axes or {}).items())]
    return Experiment(home / "outputs", sweep.record(home / "outputs", name, axes or {}, cells, command).key)


def compared(experiment: Experiment) -> Experiment:
    """The same experiment with its comparison recorded, as a sweep leaves it."""
    groups = comparison.of_experiment(experiment)
    said.answers(groups)
    comparison.write(experiment, groups)
    return experiment


def copied(experiment: Experiment, to: Path) -> Experiment:
    """The same experiment with all its runs under another home, delivered nowhere."""
    shutil.copytree(experiment.outputs, to / "outputs")
    return Experiment(to / "outputs", experiment.key)


def client(experiment: Experiment, tracking: Tracking | None = None) -> Any:
    """An MLflow client on the store."""
    from mlflow.tracking import MlflowClient

    uri = tracking.uri if tracking else None
    return MlflowClient(uri or f"sqlite:///{(experiment.outputs / 'mlflow.db').absolute()}")


def tracked(experiment: Experiment, tracking: Tracking | None = None) -> dict[str, Any]:
    """The MLflow runs of an experiment by cell (`0`, …, `parent`); a cell that is there twice fails."""
    api = client(experiment, tracking)
    found = api.search_runs([api.get_experiment_by_name(experiment.name).experiment_id])
    mine = [r for r in found if r.data.tags["runner.sweep"] == experiment.key]
    by_cell = {r.data.tags["runner.cell"]: r for r in mine}
    assert len(by_cell) == len(mine), "a cell was delivered twice"
    return by_cell


def files(experiment: Experiment, run: Any, tracking: Tracking | None = None) -> list[str]:
    """The artifacts of an MLflow run, as paths."""
    api = client(experiment, tracking)

    def below(path: str | None) -> list[str]:
        out = []
        for item in api.list_artifacts(run.info.run_id, path):
            out += below(item.path) if item.is_dir else [item.path]
        return out

    return sorted(below(None))


def artifact(experiment: Experiment, run: Any, name: str, tracking: Tracking | None = None) -> str:
    """The text of an artifact."""
    path: str = client(experiment, tracking).download_artifacts(run.info.run_id, name)
    return Path(path).read_text("utf-8")


def steps(
    experiment: Experiment, run: Any, metric: str, tracking: Tracking | None = None
) -> dict[int, float]:
    """The values of a metric by step; a step that is there twice fails."""
    history = client(experiment, tracking).get_metric_history(run.info.run_id, metric)
    found = {m.step: m.value for m in history}
    assert len(found) == len(history), "a step was delivered twice"
    return found


def traces(experiment: Experiment, run: Any, tracking: Tracking | None = None) -> list[Any]:
    """The traces of an MLflow run, with their spans, newest first."""
    api = client(experiment, tracking)
    found: list[Any] = api.search_traces(
        locations=[run.info.experiment_id], run_id=run.info.run_id, max_results=50
    )
    return found
