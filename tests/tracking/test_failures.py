"""Whatever happens to the tracker: runs stay as they are, one line says it, nothing is delivered twice."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import helpers
import pytest
from command import Line
from tracking.deliveries import CELLS, NOTHING, client, steps, swept, traces, tracked

from runner.config import Tracking
from runner.measure_names import BUDGETS
from runner.runs import Experiment
from runner.tracking import asked, deliver, pending
from runner.tracking.deliver import LATER

WRITES = (
    "create_experiment", "create_run", "log_batch", "log_inputs", "update_run_info", "start_trace",
    "log_spans",
)  # fmt: skip


def test_a_second_time_does_not_even_import_mlflow(fresh: Experiment) -> None:
    experiment = fresh
    script = (
        "import sys; from pathlib import Path; from runner import tracking;"
        "from runner.runs import Experiment;"
        f"from runner.config import Tracking; e = Experiment(Path('outputs'), {experiment.key!r});"
        "print(tracking.pending(e, Tracking()), tracking.deliver(e, Tracking()), sep='|', end='|');"
        "print('mlflow' in sys.modules)"
    )

    def said() -> str:
        command = [sys.executable, "-c", script]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert said() == "True|mlflow: 1 parent and 3 runs, 9 query traces in sqlite:///outputs/mlflow.db|True\n"
    assert said() == f"False|{NOTHING}|False\n", "nor was anything else printed the first time"


def test_a_server_that_is_down_is_said_at_once(experiment: Experiment) -> None:
    import mlflow  # noqa: F401 - its import is not what is measured

    before = {c: helpers.recorded(r) for c, r in experiment.runs.items()}
    down = Tracking(uri="http://127.0.0.1:9")
    start = time.monotonic()
    line = deliver(experiment, down)
    assert time.monotonic() - start < 5
    assert line == f"mlflow: not delivered (http://127.0.0.1:9 does not answer); {LATER}"
    assert pending(experiment, down)
    assert {c: helpers.recorded(r) for c, r in experiment.runs.items()} == before
    assert asked(experiment) == down


def test_no_credential_is_shown_or_stored(
    experiment: Experiment, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    secret = Tracking(uri="http://me:s3cr3t@127.0.0.1:9/ml?token=s3cr3t")
    line = deliver(experiment, secret)
    assert "(http://127.0.0.1:9/ml does not answer; its credentials are not stored" in line
    out = capfd.readouterr()
    assert "s3cr3t" not in line + caplog.text + out.out + out.err
    stored = [p for p in experiment.outputs.rglob("*") if p.is_file() and b"s3cr3t" in p.read_bytes()]
    assert not stored
    assert asked(experiment).uri == "http://127.0.0.1:9/ml"


@pytest.mark.parametrize(
    ("uri", "reason"),
    [
        ("sqlite:////dev/null/x.db", "FileExistsError"),
        ("sqlite:///garbage.db", "not a database"),
        ("mlruns", "maintenance mode"),
        ("gopher://x", "unsupported URI"),
        ("postgresql://me:s3cr3t@nowhere/db", "credentials are not stored"),
    ],
)
def test_a_broken_store_is_a_line_not_an_error(uri: str, reason: str, experiment: Experiment) -> None:
    Path("garbage.db").write_text("no database " * 99, "utf-8")
    line = deliver(experiment, Tracking(uri=uri))
    assert line.startswith("mlflow: not delivered (")
    assert line.endswith(LATER)
    assert reason in line
    assert "\n" not in line
    assert pending(experiment, Tracking(uri=uri))


def test_an_interrupted_delivery_is_completed(
    experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Broken off after 3, 6, 9, … writes until it is done: the result is that of one whole delivery."""
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    left = [0]
    for name in WRITES:
        real = getattr(SqlAlchemyStore, name)

        def write(*args: Any, _real: Any = real, **kwargs: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt
            return _real(*args, **kwargs)

        monkeypatch.setattr(SqlAlchemyStore, name, write)
    attempts = 0
    while pending(experiment, Tracking()):
        left[0] = attempts = attempts + 3
        try:
            line = deliver(experiment, Tracking())
        except KeyboardInterrupt:
            assert pending(experiment, Tracking())
    assert attempts > 9, "it was broken off several times"
    assert line.startswith("mlflow: 1 parent and 3 runs, ")
    runs = tracked(experiment)
    assert {r.info.status for r in runs.values()} == {"FINISHED"}
    for cell in "012":
        found = traces(experiment, runs[cell])
        assert len(found) == 3
        assert {len(t.info.assessments) for t in found} <= {4, 5}, "an assessment is there twice"
        history = client(experiment).get_metric_history(runs[cell].info.run_id, "spanr_at_3")
        assert len(history) == 1
        assert list(steps(experiment, runs[cell], "SpanR_by_tokens")) == list(BUDGETS)
        assert len(runs[cell].inputs.dataset_inputs) == 1


def test_an_error_in_the_middle_is_said_and_completed(
    experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlflow.tracking import MlflowClient

    with monkeypatch.context() as broken:
        broken.setattr(MlflowClient, "log_artifacts", lambda *_: 1 / 0)
        assert (
            deliver(experiment, Tracking())
            == f"mlflow: not delivered (ZeroDivisionError: division by zero); {LATER}"
        )
    assert tracked(experiment)["0"].info.status == "RUNNING"
    assert pending(experiment, Tracking())
    assert "1 parent and 3 runs" in deliver(experiment, Tracking())
    assert {r.info.status for r in tracked(experiment).values()} == {"FINISHED"}
    assert deliver(experiment, Tracking()) == NOTHING


def test_a_run_without_traces_is_delivered(experiment: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlflow.tracing.client import TracingClient

    def refuse(*_: object) -> None:
        raise NotImplementedError("log_spans is not supported: MLflow server version 3.1 is less than 3.4")

    with monkeypatch.context() as old:
        old.setattr(TracingClient, "log_spans", refuse)
        assert "3 runs without traces" in deliver(experiment, Tracking())
    child = tracked(experiment)["0"]
    assert child.info.status == "FINISHED"
    assert "log_spans is not supported" in child.data.tags["runner.traces"]
    assert pending(experiment, Tracking()), "they may be sent another time"
    assert "9 query traces" in deliver(experiment, Tracking())
    assert tracked(experiment)["0"].data.tags["runner.traces"] == "3"
    assert deliver(experiment, Tracking()) == NOTHING


def test_texts_that_are_gone_cost_the_traces_only(experiment: Experiment) -> None:
    import shutil

    shutil.rmtree(experiment.outputs / "store")
    assert "3 runs without traces" in deliver(experiment, Tracking())
    assert deliver(experiment, Tracking()) == NOTHING, "trying again would not bring them back"


def test_a_store_that_was_deleted_is_filled_again(experiment: Experiment) -> None:
    deliver(experiment, Tracking(traces=0))
    (experiment.outputs / "mlflow.db").unlink()
    assert pending(experiment, Tracking(traces=0))
    other = swept(experiment.outputs.parent, CELLS[:1], "other")
    deliver(other, Tracking(traces=0))
    assert pending(experiment, Tracking(traces=0)), "it is not the store of the marker"
    assert "1 parent and 3 runs" in deliver(experiment, Tracking(traces=0))
    assert len(tracked(experiment)) == 4


def test_a_marker_that_was_lost_makes_no_second_run(experiment: Experiment) -> None:
    deliver(experiment, Tracking())
    for marker in experiment.path.glob("tracked-*.json"):
        marker.write_text("{", "utf-8")
    assert "3 of them there before" in deliver(experiment, Tracking())
    runs = tracked(experiment)
    assert len(runs) == 4
    assert len(traces(experiment, runs["0"])) == 3


def test_an_experiment_deleted_in_mlflow_is_left_alone(experiment: Experiment) -> None:
    other = swept(experiment.outputs.parent, CELLS[:1], "tiny")
    deliver(other, Tracking(traces=0))
    api = client(experiment)
    api.delete_experiment(api.get_experiment_by_name("tiny").experiment_id)
    line = deliver(experiment, Tracking(traces=0))
    assert line.startswith("mlflow: not delivered (MLflow experiment 'tiny' is deleted there: restore it")


def test_the_same_sweep_is_one_experiment_wherever_it_is_sent(line: Line) -> None:
    words = ("-m", "neighbor_prev=0,1", "runtime.progress=false")
    down = line.fast(*words, "tracking=mlflow", 'tracking.uri="http://me:s3cr3t@127.0.0.1:9"')
    assert down.code == 0, "the runs are complete"
    assert "mlflow: not delivered (http://127.0.0.1:9 does not answer" in down.out
    assert "s3cr3t" not in down.out + down.err
    assert line("track", "--pending").code == 1
    again = line.fast(*words, "tracking=mlflow")
    assert "mlflow: 1 parent and 2 runs, 6 query traces in sqlite:///outputs/mlflow.db\n" in again.out
    assert "0 cells run, 2 found finished" in again.out
    assert f"{NOTHING}\n" in line.fast(*words, "tracking=mlflow").out
    pending = line("track", "--pending")
    assert (pending.code, pending.out) == (0, "nothing is pending\n")
    (experiment,) = line.experiments()
    assert "s3cr3t" not in str(experiment)
