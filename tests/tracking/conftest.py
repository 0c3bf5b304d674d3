"""One tiny sweep for the tests of the tracker; each test has a copy of its own, delivered nowhere yet."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tracking.deliveries import CELLS, copied, swept

from runner.config import Tracking
from runner.runs import Experiment
from runner.tracking import deliver


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    """Three cells: ±0/0, ±1/0, ±1/1."""
    return swept(tmp_path_factory.mktemp("original"), CELLS)


@pytest.fixture(scope="session")
def store(original: Experiment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An MLflow store in which nothing is but what MLflow puts there: making one takes half a second."""
    home = tmp_path_factory.mktemp("store")
    other = copied(original, home)
    deliver(swept(home, CELLS[:1], "for the store"), Tracking(traces=0))
    database = other.outputs / "mlflow.db"
    from tracking.deliveries import client

    api = client(other)
    api.delete_experiment(api.get_experiment_by_name("for the store").experiment_id)
    return database


@pytest.fixture
def fresh(original: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """The sweep where no MLflow store is yet. The current folder is the one that holds its outputs."""
    monkeypatch.chdir(tmp_path)
    return copied(original, tmp_path)


@pytest.fixture
def experiment(fresh: Experiment, store: Path) -> Experiment:
    """The sweep beside a store that other sweeps have used."""
    shutil.copy(store, fresh.outputs / "mlflow.db")
    return fresh
