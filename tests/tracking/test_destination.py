"""Where runs go, and that no credential on the way there is shown or stored."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from runner.tracking import destination, without_credentials
from runner.tracking.destination import resolve

OUT = Path("/srv/me@work/outputs")


def test_the_default_is_a_store_in_outputs() -> None:
    where = resolve(OUT, None)
    assert where is not None
    assert where.uri == where.shown == "sqlite:////srv/me@work/outputs/mlflow.db"
    assert where.database == OUT / "mlflow.db"
    assert where.artifacts == "file:///srv/me%40work/outputs/mlartifacts"
    assert not where.hidden
    assert resolve(OUT, "") == where
    assert resolve(OUT, "off") is None


def test_a_relative_path_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    where, named = resolve(Path("outputs"), None), resolve(Path("outputs"), "sqlite:///outputs/mlflow.db")
    assert where is not None
    assert where.uri == f"sqlite:///{tmp_path}/outputs/mlflow.db"
    assert where.shown == "sqlite:///outputs/mlflow.db"
    assert where == named


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("http://tracker:5000", "http://tracker:5000"),
        ("https://me:s3cr3t@tracker/ml", "https://tracker/ml"),
        ("https://me:s3%2Fcr3t@tracker:5000/ml@1?token=s3cr3t#s3cr3t", "https://tracker:5000/ml@1"),
        ("https://s3cr3t@tracker", "https://tracker"),
        (
            "postgresql+psycopg2://me:s3cr3t@db:5432/mlflow?password=s3cr3t",
            "postgresql+psycopg2://db:5432/mlflow",
        ),
        ("http://me:un/quoted/s3cr3t@tracker", "http://tracker"),
        ("http://me:12@34s3cr3t@tracker", "http://tracker"),
        ("databricks", "databricks"),
    ],
)
def test_what_is_shown_has_no_credentials(uri: str, shown: str) -> None:
    where = resolve(OUT, uri)
    assert where is not None
    assert (where.uri, where.shown) == (uri, shown)
    assert "s3cr3t" not in repr(where)
    assert where.hidden == (uri != shown)


def test_the_digest_does_not_depend_on_the_password() -> None:
    one, other, third = (resolve(OUT, f"http://{u}tracker") for u in ("me:1@", "me:2@", ""))
    assert one and other and third
    assert one.digest == other.digest == third.digest


def test_an_error_of_a_library_is_scrubbed() -> None:
    where = resolve(OUT, "http://me:s3%20cr3t@tracker?token=abcdef")
    assert where is not None
    said = where.scrub(
        "GET http://me:s3%20cr3t@tracker?token=abcdef/api: me:s3%20cr3t, s3 cr3t, /api?token=abcdef"
    )
    assert "cr3t" not in said
    assert "abcdef" not in said


def test_a_command_line_is_safe_to_store() -> None:
    words = [
        "python", "-m", "tracking.uri=http://me:s3cr3t@host/x?token=s3cr3t", "++tracking.uri='http://a:s3cr3t@b'",
        "dataset.path=s3://k:s3cr3t@bucket/x?part=1", "tracking.uri=http://a:s3cr3t@b,http://c:s3cr3t@d",
        "tracking.uri=sqlite:////srv/me@work/x.db", "neighbor_prev=0,1",
        "tracking.uri=https://u:s3cr3t@mlflow.office.example/?token=s3cr3t",
        "tracking={uri:https://h/?token=s3cr3t}", "tracking.uri=sqlite:///x.db?timeout=3,http://h?a=s3cr3t,off",
    ]  # fmt: skip
    assert without_credentials(words) == [
        "python", "-m", "tracking.uri=http://host/x", "++tracking.uri='http://b'",
        "dataset.path=s3://bucket/x?part=1", "tracking.uri=http://b,http://d",
        "tracking.uri=sqlite:////srv/me@work/x.db", "neighbor_prev=0,1",
        "tracking.uri=https://mlflow.office.example/",
        "tracking={uri:https://h/}", "tracking.uri=sqlite:///x.db?timeout=3,http://h,off",
    ]  # fmt: skip


def test_what_a_person_set_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "5")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "")  # so that it is as it was when the test has ended
    monkeypatch.delenv("MLFLOW_DISABLE_TELEMETRY")
    destination.settle()
    assert os.environ["MLFLOW_HTTP_REQUEST_MAX_RETRIES"] == "5"
    assert os.environ["MLFLOW_DISABLE_TELEMETRY"] == "true"
