"""Sweeps delivered over HTTP to an MLflow server that keeps them in PostgreSQL."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import polars as pl
import pytest
from tracking import servers
from tracking.deliveries import (
    CELLS,
    NOTHING,
    artifact,
    client,
    compared,
    copied,
    files,
    steps,
    swept,
    traces,
    tracked,
)

from runner.config import Tracking
from runner.measure_names import BUDGETS
from runner.runs import Experiment
from runner.tracking import Files, deliver
from runner.tracking.interest import Interest

pytestmark = pytest.mark.slow
SECRETS = (servers.PASSWORD.encode(), b"s3cr3t%2Fpg")


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    reason = servers.missing()
    if reason is not None:
        pytest.skip(reason)
    with servers.postgresql() as uri:
        yield uri


@pytest.fixture(scope="module")
def server(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with servers.mlflow(database, tmp_path_factory.mktemp("server")) as url:
        yield url


@pytest.fixture(scope="module")
def sent(
    server: str, original: Experiment, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Experiment, Tracking]:
    """The tiny sweep, compared, and delivered with its report."""
    home = tmp_path_factory.mktemp("sent")
    experiment = compared(copied(original, home))
    report = home / "tiny.html"
    report.write_text("<h1>tiny</h1>", "utf-8")
    there = Tracking(uri=server, traces=2)
    line = deliver(experiment, there, Files(report))
    assert line == f"mlflow: 1 parent and 3 runs, 6 query traces in {server}"
    return experiment, there


@pytest.fixture(scope="module")
def there(sent: tuple[Experiment, Tracking]) -> dict[str, Any]:
    return tracked(*sent)


@pytest.mark.parametrize(("lacking", "said"), [("PostgreSQL", "no PostgreSQL"), ("psycopg2", "no psycopg2")])
def test_what_is_missing_is_said_loudly(lacking: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Path(__file__).parent
    monkeypatch.setattr(servers, "programs", lambda: None if lacking == "PostgreSQL" else here)
    monkeypatch.setattr(servers.importlib.util, "find_spec", lambda _: None)
    reason = servers.missing()
    assert reason
    assert reason.startswith(f"{said}: the MLflow server backed by PostgreSQL was NOT checked")
    assert "apt-get install postgresql" in reason


def test_it_is_postgresql_that_holds_it(sent: tuple[Experiment, Tracking], database: str) -> None:
    import psycopg2

    with psycopg2.connect(servers.plain(database)) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM tags WHERE key = 'runner.sweep' AND value = %s", (sent[0].key,))
        assert cursor.fetchone() == (4,)


def test_params_metrics_and_tags(sent: tuple[Experiment, Tracking], there: dict[str, Any]) -> None:
    experiment, tracking = sent
    for cell, run in experiment.runs.items():
        child = there[str(cell)]
        assert child.data.params["neighbors"] == run.badge.text
        assert child.data.params["strategy.size"] == "4"
        assert child.data.metrics["spanr_at_3"] == pytest.approx(run.measures[0]["mean"])
        rows = run.table("curve")
        expected = {b: rows.filter(pl.col("measure") == f"SpanR@{b}t")["value"].mean() for b in BUDGETS}
        assert steps(experiment, child, "SpanR_by_tokens", tracking) == pytest.approx(expected)
        assert child.data.tags["runner.run"] == run.key
        assert child.data.tags["runner.key.chunks"] == run.meta["keys"]["chunks"]
        assert child.data.tags["mlflow.parentRunId"] == there["parent"].info.run_id
        assert child.info.status == "FINISHED"
    assert there["0"].data.tags["runner.verdict"] == "baseline"
    assert "Against the baseline" in there["2"].data.tags["mlflow.note.content"]
    assert "Neighbor Expansion differs" in there["parent"].data.tags["mlflow.note.content"]


def test_the_runs_can_be_searched_by_their_axis(sent: tuple[Experiment, Tracking]) -> None:
    experiment, tracking = sent
    api = client(experiment, tracking)
    (known,) = (e for e in api.search_experiments() if e.name == "tiny")
    found = api.search_runs([known.experiment_id], "params.neighbors = '±1/1' and metrics.spanr_at_3 >= 0")
    assert [r.data.tags["runner.cell"] for r in found] == ["2"]


def test_artifacts(sent: tuple[Experiment, Tracking], there: dict[str, Any]) -> None:
    experiment, tracking = sent
    assert files(experiment, there["parent"], tracking) == [
        "charts/gold_by_budget.svg", "charts/quality_by_tokens.svg", "comparison/comparison.json",
        "contrasts/contrasts.parquet", "experiment.json", "report/tiny.html", "summary.csv",
    ]  # fmt: skip
    assert artifact(experiment, there["parent"], "report/tiny.html", tracking) == "<h1>tiny</h1>"
    assert artifact(experiment, there["parent"], "summary.csv", tracking).startswith("cell,what,neighbors,")
    recorded = sorted(f"run/{p.name}" for p in experiment.runs[1].path.iterdir())
    assert files(experiment, there["1"], tracking) == recorded


def test_traces_with_a_span_per_stage(sent: tuple[Experiment, Tracking], there: dict[str, Any]) -> None:
    experiment, tracking = sent
    chosen = Interest(experiment).sample(experiment.runs[0], 2)
    for cell in "012":
        found = traces(experiment, there[cell], tracking)
        assert [t.info.tags["runner.query_id"] for t in found] == [c.query_id for c in chosen]
        assert [t.info.tags["runner.why"] for t in found] == [c.why for c in chosen]
        for trace in found:
            root, *stages = trace.data.spans
            assert [s.name for s in stages] == [
                "retrieval.bm25", "retrieval.vector", "fusion", "cut", "expansion",
            ]  # fmt: skip
            assert {s.parent_id for s in stages} == {root.span_id}
            assert root.span_type == "RETRIEVER"
            assert stages[1].span_type == "RETRIEVER"
            assert all(d["page_content"] and d["metadata"]["doc_uri"] for d in stages[1].outputs)
            assert trace.info.assessments


def test_a_second_time_changes_nothing(sent: tuple[Experiment, Tracking], there: dict[str, Any]) -> None:
    experiment, tracking = sent
    assert deliver(experiment, tracking) == NOTHING
    for marker in experiment.path.glob("tracked-*.json"):
        marker.unlink()
    assert "3 of them there before" in deliver(experiment, tracking)
    again = tracked(experiment, tracking)
    assert {c: r.data.to_dictionary() for c, r in again.items()} == {
        c: r.data.to_dictionary() for c, r in there.items()
    }
    assert [len(traces(experiment, again[c], tracking)) for c in "012"] == [2, 2, 2]


def test_a_delivery_that_broke_off_is_completed(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlflow.tracking import MlflowClient

    experiment = compared(swept(tmp_path, CELLS[:2], "broken"))
    tracking = Tracking(uri=server, traces=1)
    with monkeypatch.context() as broken:
        broken.setattr(MlflowClient, "log_artifacts", lambda *_: 1 / 0)
        assert "not delivered (ZeroDivisionError" in deliver(experiment, tracking)
    assert tracked(experiment, tracking)["0"].info.status == "RUNNING"
    assert "1 parent and 2 runs, 2 query traces" in deliver(experiment, tracking)
    runs = tracked(experiment, tracking)
    assert {r.info.status for r in runs.values()} == {"FINISHED"}
    assert len(steps(experiment, runs["0"], "SpanR_by_tokens", tracking)) == len(BUDGETS)
    assert len(runs["0"].inputs.dataset_inputs) == 1


def test_straight_into_the_database_and_no_password_is_stored(
    server: str,
    database: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """`tracking.uri=postgresql+psycopg2://…`: the server shows what was delivered past it."""
    experiment = compared(swept(tmp_path, CELLS[:2], "straight"))
    line = deliver(experiment, Tracking(uri=database, traces=1))
    shown = f"{servers.SCHEME}://127.0.0.1:{urlsplit(database).port}/postgres"
    assert line == f"mlflow: 1 parent and 2 runs, 2 query traces in {shown}"
    runs = tracked(experiment, Tracking(uri=server))
    assert set(runs) == {"parent", "0", "1"}
    out = capfd.readouterr()
    assert servers.PASSWORD not in line + caplog.text + out.out + out.err
    stored = [p for p in tmp_path.rglob("*") if p.is_file() and any(s in p.read_bytes() for s in SECRETS)]
    assert not stored
    assert not any(servers.PASSWORD in str(r.data.to_dictionary()) for r in runs.values())
    assert not any(servers.PASSWORD in value for value in os.environ.values())
