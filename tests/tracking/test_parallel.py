"""Several processes that deliver into one store at once, the first use of it included (A55)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tracking.deliveries import CELLS, NOTHING, swept, tracked

from runner.runs import Experiment

SCRIPT = """
import os, sys
from pathlib import Path
from runner.config import Tracking
from runner.runs import Experiment
from runner.tracking import deliver, destination

destination.settle()
import mlflow.store.tracking.sqlalchemy_store  # once for all: what is tested is what comes after
ready, go = os.pipe()
for key in sys.argv[1:]:
    if os.fork() == 0:
        os.close(go)
        os.read(ready, 1)  # until the parent closes its end
        line = deliver(Experiment(Path("outputs"), key), Tracking(traces=1))
        os.write(1, f"{line}\\n".encode())
        os._exit(0)
os.close(go)
for _ in sys.argv[1:]:
    os.wait()
"""
REPETITIONS = 2


def at_once(home: Path, experiments: list[Experiment]) -> list[str]:
    """What as many processes say that deliver these experiments at the same moment."""
    command = [sys.executable, "-c", SCRIPT, *(e.key for e in experiments)]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=True, timeout=300)
    assert done.stderr == ""
    return sorted(done.stdout.splitlines())


def test_the_first_use_of_a_store_by_four(tmp_path: Path) -> None:
    experiments = [swept(tmp_path, CELLS[:1], f"e{i}") for i in range(4)]
    database = tmp_path / "outputs" / "mlflow.db"
    line = "mlflow: 1 parent and 1 run, 1 query traces in sqlite:///outputs/mlflow.db"
    for repetition in range(REPETITIONS):
        database.unlink(missing_ok=True)
        assert at_once(tmp_path, experiments) == [line] * 4, repetition
    for e in experiments:
        assert {c: r.info.status for c, r in tracked(e).items()} == {"parent": "FINISHED", "0": "FINISHED"}
    assert not list((tmp_path / "outputs").glob(".draft-*"))


def test_one_experiment_by_two(tmp_path: Path) -> None:
    """`track --pending` while the sweep itself delivers."""
    experiment = swept(tmp_path, CELLS)
    said = at_once(tmp_path, [experiment, experiment])
    assert said == [
        "mlflow: 1 parent and 3 runs, 3 query traces in sqlite:///outputs/mlflow.db",
        NOTHING,
    ]
    assert len(tracked(experiment)) == 4
