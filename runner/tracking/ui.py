"""The MLflow UI on the store that the runs of an outputs folder were delivered to."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

from runner import named, runs
from runner.errors import RequestError
from runner.tracking import destination, marker
from runner.tracking.destination import Destination

_HOST = "127.0.0.1"
_PORT = 5000
_PATIENCE = 10.0


def ui_command(outputs: Path) -> list[str]:
    """The command that serves the UI, on a port that is free now.

    Raises:
        RequestError: there is no store yet, or the runs are on a server, which has its own UI.
    """
    where = _store(outputs)
    if where.database is not None and not where.database.is_file():
        raise RequestError(
            f"{where.shown}: nothing is delivered yet; run a sweep, or: python -m runner track --pending"
        )
    store = where.shown if where.hidden else where.uri
    artifacts = ["--default-artifact-root", where.artifacts] if where.artifacts else []
    return [
        sys.executable, "-m", "mlflow", "ui", "--backend-store-uri", store, *artifacts,
        "--host", _HOST, "--port", str(_free_port()), "--workers", "1", "--uvicorn-opts", "--no-access-log",
    ]  # fmt: skip


def open_ui(outputs: Path) -> int:
    """Serve the UI until it is stopped; returns its exit code, 0 when a person stopped it."""
    destination.settle()
    # Its job runners take seven processes and are for evaluations that the server itself would start.
    environment = {**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    with subprocess.Popen(ui_command(outputs), env=environment) as process:  # noqa: S603 - our own command

        def stop(*_: object) -> None:
            process.terminate()

        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, stop)  # or the server would outlive the runner
        try:
            return process.wait()
        except KeyboardInterrupt:  # the terminal has told the server as well
            try:
                process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                stop()
            return 0


def _store(outputs: Path) -> Destination:
    """Where the newest experiment went, or would go."""
    known = named.experiment_keys(outputs)
    tracking = marker.asked(runs.Experiment(outputs, known[0])) if known else None
    where = destination.resolve(outputs, tracking.uri if tracking else None)
    if where is None:
        raise RequestError("tracking is off")
    if where.database is None and where.artifacts is None:
        raise RequestError(f"the runs are on a server, which has its own UI: {where.shown}")
    return where


def _free_port() -> int:
    """5000, or any other where something listens there already (on a Mac, AirPlay does)."""
    for port in (_PORT, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((_HOST, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise RequestError("no port is free")
