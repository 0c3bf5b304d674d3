"""The MLflow UI opens on the right store, goes when it is told to, and takes deliveries as a server would."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from tracking.deliveries import CELLS, NOTHING, swept, traces, tracked

from runner.config import Tracking
from runner.errors import RequestError
from runner.runs import Experiment
from runner.tracking import deliver, ui_command


def after(command: list[str], option: str) -> str:
    return command[command.index(option) + 1]


def test_the_command_names_the_store(experiment: Experiment) -> None:
    command = ui_command(Path("outputs"))
    home = experiment.outputs.absolute()
    assert command[1:4] == ["-m", "mlflow", "ui"]
    assert after(command, "--backend-store-uri") == f"sqlite:///{home}/mlflow.db"
    assert after(command, "--default-artifact-root") == (home / "mlartifacts").as_uri()
    assert after(command, "--host") == "127.0.0.1"


def test_a_port_that_is_taken_is_left_alone(experiment: Experiment) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", 5000))
        except OSError:
            pass  # somebody else has it: as good
        else:
            taken.listen()
        assert after(ui_command(experiment.outputs), "--port") not in {"5000", "0"}


def test_the_store_is_that_of_the_newest_sweep(experiment: Experiment, tmp_path: Path) -> None:
    uri = f"sqlite:///{tmp_path}/elsewhere.db"
    deliver(experiment, Tracking(uri=uri, traces=0))
    command = ui_command(experiment.outputs)
    assert after(command, "--backend-store-uri") == uri
    assert after(command, "--default-artifact-root") == (tmp_path / "mlartifacts").as_uri()
    deliver(experiment, Tracking(uri="off", traces=0))
    assert after(ui_command(experiment.outputs), "--backend-store-uri").endswith("/outputs/mlflow.db")


def test_no_store_and_no_need_for_a_ui_are_said(fresh: Experiment) -> None:
    with pytest.raises(RequestError, match=r"nothing is delivered yet; .*track --pending"):
        ui_command(fresh.outputs)
    deliver(fresh, Tracking(uri="http://me:s3cr3t@127.0.0.1:9"))
    with pytest.raises(RequestError, match=r"has its own UI: http://127\.0\.0\.1:9$"):
        ui_command(fresh.outputs)


@pytest.mark.slow
def test_the_server_of_the_ui(experiment: Experiment, tmp_path: Path) -> None:
    """Started as a person starts it; sweeps are delivered to it over HTTP; it leaves nothing running."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    script = (
        f"import sys; from pathlib import Path; from runner.tracking import ui; ui._PORT = {port};"
        "sys.exit(ui.open_ui(Path('outputs')))"
    )
    log = (tmp_path / "log").open("w")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MLFLOW_")}
    server = subprocess.Popen(
        [sys.executable, "-c", script], stdout=log, stderr=log, env=environment, start_new_session=True
    )
    try:
        url = f"http://127.0.0.1:{port}"
        wait(lambda: answers(url), server)
        there = Tracking(uri=url, traces=1)
        assert deliver(experiment, there) == f"mlflow: 1 parent and 3 runs, 3 query traces in {url}"
        assert deliver(experiment, there) == NOTHING
        assert len(tracked(experiment)) == 4, "the server's store is the default one"
        (trace,) = traces(experiment, tracked(experiment)["1"])
        assert trace.data.spans[0].span_type == "RETRIEVER"
        assert "6 query traces" in deliver(experiment, Tracking(uri=url, traces=2))
        other = swept(tmp_path, CELLS[:1], "other")
        assert "1 parent and 1 run" in deliver(other, there)
        server.send_signal(signal.SIGTERM)
        server.wait(30)
        wait(lambda: not answers(url), None)
    finally:
        log.close()
        if server.poll() is None:
            os.killpg(server.pid, signal.SIGKILL)
    assert "GET /" not in (tmp_path / "log").read_text("utf-8"), "a line per request would bury the address"


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=5) as answer:  # noqa: S310 - our own server
            return bool(answer.status == 200)
    except OSError:
        return False


def wait(until: object, server: subprocess.Popen[bytes] | None) -> None:
    assert callable(until)
    for _ in range(300):
        if until():
            return
        assert server is None or server.poll() is None, "the server stopped"
        time.sleep(0.2)
    raise AssertionError("it took longer than a minute")
