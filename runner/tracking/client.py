"""The connection to MLflow: a store made once and whole; what is there already is found, not made again."""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from runner.errors import RunnerError
from runner.tracking import contents, destination
from runner.tracking.destination import Destination

_BATCH = 100
"""Parameters or tags that MLflow takes at once; of metrics it would take more."""


class Client:
    """One MLflow experiment, as far as it is used here. Opening one imports mlflow (two seconds)."""

    def __init__(self, where: Destination, name: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from mlflow.tracking import MlflowClient

            self.where = where
            with where.turn(), destination.impatient():
                if where.database is not None and not where.database.exists():
                    _create(where.database, where.artifacts or "")
                self.api: Any = MlflowClient(where.uri)
                self.experiment = self._experiment(name)

    def _experiment(self, name: str) -> str:
        """The id of the MLflow experiment of that name, made if there is none.

        Raises:
            RunnerError: there it is deleted, and MLflow keeps the name.
        """
        from mlflow.exceptions import MlflowException

        found = self.api.get_experiment_by_name(name)
        if found is None:
            try:
                return str(self.api.create_experiment(name, artifact_location=self.where.artifacts))
            except MlflowException:  # another process was faster
                found = self.api.get_experiment_by_name(name)
                if found is None:
                    raise
        if found.lifecycle_stage != "active":
            raise RunnerError(
                f"MLflow experiment '{name}' is deleted there: restore it, or set experiment.name"
            )
        return str(found.experiment_id)

    def runs(self, sweep: str) -> dict[str, Any]:
        """What of this sweep is there already: MLflow runs by cell, the first where there are several."""
        found: dict[str, Any] = {}
        token: str | None = ""
        wanted, order = f"tags.`{contents.SWEEP}` = '{sweep}'", ["attributes.start_time ASC"]
        while token is not None:
            page = self.api.search_runs([self.experiment], wanted, order_by=order, page_token=token or None)
            for run in page:
                found.setdefault(run.data.tags.get(contents.CELL, ""), run)
            token = page.token or None
        return found

    def start(self, name: str, tags: Mapping[str, str], created: int) -> Any:
        """A new run with `tags`, in one call, so that it is found again whatever happens next."""
        with self.where.turn():
            return self.api.create_run(self.experiment, start_time=created, tags=dict(tags), run_name=name)

    def log(
        self,
        run: Any,
        params: Mapping[str, str],
        metrics: Mapping[str, float],
        tags: Mapping[str, str],
        curves: Mapping[str, Mapping[int, float]] | None = None,
    ) -> None:
        """Parameters, metrics, tags. Times are the run's own, so that saying it twice says the same.

        `curves`: metrics with a value by step.
        """
        from mlflow.entities import Metric, Param, RunTag

        at, run_id = run.info.start_time, run.info.run_id
        points = [(k, step, v) for k, steps in (curves or {}).items() for step, v in steps.items()]
        with self.where.turn():
            for few in _parts([Metric(k, v, at, 0) for k, v in metrics.items()]):
                self.api.log_batch(run_id, metrics=few)
            for few in _parts([Metric(k, v, at, step) for k, step, v in points]):
                self.api.log_batch(run_id, metrics=few)
            for few in _parts([Param(k, v) for k, v in params.items()]):
                self.api.log_batch(run_id, params=few)
            for few in _parts([RunTag(k, v) for k, v in tags.items()]):
                self.api.log_batch(run_id, tags=few)

    def dataset(self, run: Any, described: Mapping[str, Any]) -> None:
        """The data set as an input of the run; entities, because `mlflow.data` would import pandas."""
        from mlflow.entities import Dataset, DatasetInput, InputTag

        used = DatasetInput(Dataset(**described), [InputTag("mlflow.data.context", "retrieval")])
        with self.where.turn():
            self.api.log_inputs(run.info.run_id, [used])

    def files(self, run: Any, paths: Mapping[str, Path | None]) -> None:
        """Folders and files as artifacts, each below its name; what is not there is left out."""
        for below, path in paths.items():
            if path is not None and path.is_dir():
                self.api.log_artifacts(run.info.run_id, str(path), below or None)
            elif path is not None and path.is_file():
                self.api.log_artifact(run.info.run_id, str(path), below or None)

    def end(self, run: Any, status: str, seconds: float) -> None:
        """Close a run; a run that is closed has everything."""
        ended = run.info.start_time + max(1, round(seconds * 1000))
        with self.where.turn():
            self.api.set_terminated(run.info.run_id, status, ended)


def _parts(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (values[i : i + _BATCH] for i in range(0, len(values), _BATCH))


def _create(database: Path, artifacts: str) -> None:
    """Make an SQLite store beside its place and give it its name when it is whole.

    Two processes that make one at once, or one killed half-way, leave a store that never works again
    (mlflow#19299); so the caller holds the lock, and the name appears last. Before that nothing needs to
    survive a power cut: without a sync per statement the dozens of migrations take 0.4 s, not 4.
    """
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    draft = database.parent / f".draft-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    draft.mkdir(parents=True)
    try:
        with _unsynced():
            store = SqlAlchemyStore(f"sqlite:///{(draft / database.name).absolute().as_posix()}", artifacts)
        store.engine.dispose()
        with (draft / database.name).open("rb") as f:
            os.fsync(f.fileno())
        (draft / database.name).rename(database)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


@contextlib.contextmanager
def _unsynced() -> Iterator[None]:
    """SQLite connections opened within do not wait for the disk."""
    from sqlalchemy import event
    from sqlalchemy.engine import Engine

    def connected(connection: Any, _: object) -> None:
        connection.execute("PRAGMA synchronous=OFF")

    event.listen(Engine, "connect", connected)
    try:
        yield
    finally:
        event.remove(Engine, "connect", connected)
