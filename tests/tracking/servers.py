"""A PostgreSQL and an MLflow server of our own on 127.0.0.1, gone when the test is."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

PASSWORD = "s3cr3t/pg"  # noqa: S105 - of a database that lives for a minute
SCHEME = "postgresql+psycopg2"
MISSING = (
    "no {what}: the MLflow server backed by PostgreSQL was NOT checked; "
    "install it: apt-get install postgresql; pip install '.[test]'"
)
_USERS = ("postgres", "nobody")
"""Who runs the database where the tests run as root, which PostgreSQL refuses."""
Process = subprocess.Popen[bytes]


def missing() -> str | None:
    """What the machine lacks, as a reason to skip; None: nothing."""
    if programs() is None:
        return MISSING.format(what="PostgreSQL")
    return None if importlib.util.find_spec("psycopg2") else MISSING.format(what="psycopg2")


def programs() -> Path | None:
    """The folder of initdb and postgres: Debian keeps them off the path, one folder a version."""
    on_path = shutil.which("initdb")
    found = [Path(on_path).resolve()] if on_path else []
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    return next((p.parent for p in found if (p.parent / "postgres").exists()), None)


@contextlib.contextmanager
def postgresql() -> Iterator[str]:
    """A database in a folder of its own; its URI, password included.

    The URI names the driver: what `postgresql://` means has changed between versions of SQLAlchemy.
    """
    folder = programs()
    assert folder is not None, missing()
    other = next((u for u in _USERS if u in _users()), None) if os.geteuid() == 0 else None
    home = Path(tempfile.mkdtemp(prefix="runner-pg-"))  # pytest's own folders are closed to other users
    port = free_port()
    try:
        (home / "password").write_text(PASSWORD, "utf-8")
        if other:
            for path in (home, home / "password"):
                shutil.chown(path, other)
        as_them: dict[str, object] = {"cwd": home, "env": {"PATH": os.defpath, "LC_ALL": "C"}}
        as_them |= {"user": other, "group": pwd.getpwnam(other).pw_gid, "extra_groups": []} if other else {}
        make = [folder / "initdb", "-D", home / "data", "-U", "runner", "-A", "scram-sha-256", "-E", "UTF8",
                "--pwfile", home / "password", "--no-sync"]  # fmt: skip
        made = subprocess.run(make, check=False, capture_output=True, text=True, **as_them)  # type: ignore[call-overload]
        assert made.returncode == 0, f"initdb failed: {made.stderr}"
        told = (
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "fsync=off",
            "synchronous_commit=off",
        )
        options = [word for option in told for word in ("-c", option)]
        serve = [folder / "postgres", "-D", home / "data", "-p", str(port), *options]
        uri = f"{SCHEME}://runner:{PASSWORD.replace('/', '%2F')}@127.0.0.1:{port}/postgres"
        with running(serve, home / "log", signal.SIGINT, **as_them) as server:
            wait(lambda: _connects(uri), server, home / "log")
            yield uri
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextlib.contextmanager
def mlflow(store: str, home: Path) -> Iterator[str]:
    """An MLflow server on `store` that keeps artifacts in `home`; its address."""
    port = free_port()
    command = [
        sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port),
        "--workers", "1", "--serve-artifacts", "--artifacts-destination", home / "artifacts",
    ]  # fmt: skip
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MLFLOW_")} | {
        "MLFLOW_BACKEND_STORE_URI": store,  # on the command line everybody on the machine could read it
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
        "MLFLOW_DISABLE_TELEMETRY": "true",
    }
    with running(command, home / "log", signal.SIGTERM, env=environment, cwd=home) as server:
        url = f"http://127.0.0.1:{port}"
        wait(lambda: answers(url), server, home / "log")
        yield url


@contextlib.contextmanager
def running(command: list[object], log: Path, stop: signal.Signals, **options: object) -> Iterator[Process]:
    """A process in a group of its own, asked to stop, then made to."""
    with log.open("wb") as out:
        words = [str(c) for c in command]
        process: Process = subprocess.Popen(words, stdout=out, stderr=out, start_new_session=True, **options)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.send_signal(stop)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait(until: Callable[[], bool], server: Process, log: Path) -> None:
    """Until it is so; a server that stopped or takes a minute fails with what it said."""
    for _ in range(300):
        if until():
            return
        if server.poll() is not None:
            break
        time.sleep(0.2)
    raise AssertionError(f"the server did not start: {log.read_text('utf-8', 'replace')[-2000:]}")


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=5) as answer:  # noqa: S310 - our own server
            return bool(answer.status == 200)
    except OSError:
        return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _connects(uri: str) -> bool:
    import psycopg2

    try:
        psycopg2.connect(plain(uri), connect_timeout=5).close()
    except psycopg2.OperationalError:
        return False
    return True


def plain(uri: str) -> str:
    """A URI as the driver itself takes it."""
    return uri.replace(SCHEME, "postgresql", 1)


def _users() -> set[str]:
    return {user.pw_name for user in pwd.getpwall()}
