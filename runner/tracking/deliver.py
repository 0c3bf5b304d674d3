"""One delivery: a parent run per sweep, a child per cell, each written whole, marked, and found again by its tags."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runner.config import Tracking
from runner.errors import RunnerError
from runner.runs import Experiment, Run
from runner.store import Store
from runner.text import one_line
from runner.tracking import contents, destination, marker, notes, spans
from runner.tracking.marker import Files, Marker

if TYPE_CHECKING:
    from runner.tracking.client import Client
    from runner.tracking.destination import Destination

log = logging.getLogger(__name__)

LATER = "the runs are complete here; later: python -m runner track --pending"


def deliver(experiment: Experiment, tracking: Tracking, files: Files | None = None) -> str:
    """Deliver an experiment to MLflow; whatever happens there, say it in one line and raise nothing."""
    where = None
    try:
        known = marker.ask(experiment, tracking, files or Files())
        where = destination.resolve(experiment.outputs, tracking.uri)
        if where is None:
            return "mlflow: off"
        with Store(experiment.outputs / "store").lock(f"track-{experiment.key}"):
            if not pending(experiment, tracking):
                return "mlflow: delivered before, nothing to do"
            return f"mlflow: {_Delivery(experiment, where, tracking.traces, known).run()}"
    except Exception as e:  # a sink must not fail a finished sweep, whatever a server or a library raises
        log.debug("delivery failed", exc_info=True)
        reason = str(e) if isinstance(e, RunnerError) else f"{type(e).__name__}: {e}"
        return f"mlflow: not delivered ({_reason(reason, where)}); {LATER}"


def pending(experiment: Experiment, tracking: Tracking) -> bool:
    """Whether anything of the experiment is not yet where `tracking` wants it."""
    where = destination.resolve(experiment.outputs, tracking.uri)
    if where is None:
        return False
    done = marker.read(experiment, where)
    return done is None or not marker.covers(done.traces, tracking.traces)


def _reason(text: str, where: Destination | None) -> str:
    clean = where.scrub(text) if where else text
    hint = " [the address had credentials, which are not stored: set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD]"
    return one_line(clean, 300) + (hint if where and where.hidden else "")


@dataclass(slots=True)
class _Count:
    """What one delivery did."""

    sent: int = 0
    there: int = 0
    traces: int = 0
    without: int = 0
    """Runs whose traces could not be read or sent."""


class _Delivery:
    """An experiment on its way to one destination."""

    def __init__(self, experiment: Experiment, where: Destination, traces: int, files: Files) -> None:
        self.experiment = experiment
        self.where = where
        self.traces = traces
        self.files = files
        self.count = _Count()
        self._queries: dict[str, list[str]] = {}

    def run(self) -> str:
        """Send what is not there yet; returns what was done."""
        from runner.tracking.client import Client

        client = Client(self.where)
        experiment = self.experiment
        with self.where.turn():
            experiment_id = client.experiment(experiment.name)
        there = client.runs(experiment_id, experiment.key)
        parent = there.get(contents.PARENT) or self._parent(client, experiment_id)
        made = {}
        for cell in experiment.cells:
            done = self._cell(client, experiment_id, parent, cell, there.get(str(cell["num"])))
            made[str(cell["num"])] = done.info.run_id
        self._close(client, parent)
        marker.write(
            experiment, self.where, Marker(self.where.shown, experiment_id, parent.info.run_id, made, self.traces)
        )
        return self._said(len(made))

    def _parent(self, client: Client, experiment_id: str) -> Any:  # noqa: ANN401
        experiment = self.experiment
        name = f"{experiment.name} {experiment.key[:8]}"
        with self.where.turn():
            return client.start(experiment_id, name, contents.identity(experiment, contents.PARENT), _ms(experiment, 0))

    def _cell(self, client: Client, experiment_id: str, parent: Any, cell: contents.Cell, there: Any) -> Any:  # noqa: ANN401
        """One child: everything, then its traces, then the status that says it is whole."""
        run = self.experiment.runs.get(cell["num"])
        same = cell["same_as"] is not None
        mine = there
        if mine is None:
            tags = {
                **contents.identity(self.experiment, str(cell["num"])),
                "mlflow.parentRunId": parent.info.run_id,
                "mlflow.source.name": "runner",
            }
            with self.where.turn():
                mine = client.start(
                    experiment_id, contents.title(self.experiment, cell, run), tags, _ms(self.experiment, cell["num"])
                )
        whole = mine.info.status != "RUNNING"
        if not whole:
            self._fill(client, mine, cell, run, same=same)
        if run is not None and not same:
            self._send_traces(client, experiment_id, mine, run)
        if not whole:
            seconds = sum(run.meta["seconds"].values()) if run else 0.0
            with self.where.turn():
                client.end(mine, _status(cell), seconds)
        self.count.there += whole
        self.count.sent += not whole
        return mine

    def _fill(self, client: Client, mine: Any, cell: contents.Cell, run: Run | None, *, same: bool) -> None:  # noqa: ANN401
        experiment = self.experiment
        tags = contents.tags(experiment, cell, run) | {"mlflow.note.content": notes.of_cell(experiment, cell, run)}
        with self.where.turn():
            client.log(mine, contents.params(cell, run), contents.metrics(run) if run else {}, tags)
            if run is not None:
                client.dataset(mine, contents.dataset(run))
        if run is not None and not same:  # a coinciding cell points to the first: no file is stored twice
            client.files(mine, {"run": run.path})
        if run is None and self.files.cells is not None:
            client.files(mine, {"": self.files.cells / str(cell["num"]) / "traceback.txt"})

    def _send_traces(self, client: Client, experiment_id: str, mine: Any, run: Run) -> None:  # noqa: ANN401
        """A sample of query traces. They are an extra: a run without them is delivered, and its tag says why."""
        from runner.tracking import traces

        before = mine.data.tags.get(contents.TRACES, "")
        if marker.covers(int(before) if before.removeprefix("-").isdigit() else 0, self.traces):
            return
        target = traces.Target(experiment_id, mine.info.run_id, mine.info.start_time)
        try:
            n = traces.send(client, target, run, self._sample(run))
        except Exception as e:
            reason = f"not sent: {_reason(str(e), self.where)}"
            log.warning("run %s: its query traces were %s", run.short, reason)
            self.count.without += 1
            said = reason
        else:
            self.count.traces += n
            said = str(self.traces)
        with self.where.turn():
            client.log(mine, {}, {}, contents.as_tags({contents.TRACES: said}))

    def _sample(self, run: Run) -> list[str]:
        """The same queries for every run over the same data."""
        data = run.meta["keys"]["corpus"]
        if data not in self._queries:
            self._queries[data] = spans.sample(run, self.traces)
        return self._queries[data]

    def _close(self, client: Client, parent: Any) -> None:  # noqa: ANN401
        if parent.info.status != "RUNNING":
            return
        experiment = self.experiment
        body = experiment.body
        tags = {
            "runner.command": " ".join(destination.without_credentials(body["command"])),
            "mlflow.source.name": "runner",
            "mlflow.note.content": notes.of_sweep(experiment),
        }
        params = {f"axis.{k}": ", ".join(v) for k, v in body["axes"].items()}
        seconds = sum(sum(r.meta["seconds"].values()) for r in {r.key: r for r in experiment.runs.values()}.values())
        with self.where.turn():
            client.log(parent, contents.as_params(params), contents.totals(experiment), contents.as_tags(tags))
        client.files(parent, {"": experiment.path / "experiment.json", "report": self.files.report})
        with self.where.turn():
            client.end(parent, "FAILED" if any(c["run"] is None for c in experiment.cells) else "FINISHED", seconds)

    def _said(self, runs: int) -> str:
        count = self.count
        parts = [f"1 parent and {runs} run{'s' if runs != 1 else ''}"]
        parts += [f"{count.there} of them there before"] if count.there else []
        parts += [f"{count.traces} query traces"] if count.traces else []
        parts += [f"{count.without} runs without traces"] if count.without else []
        return f"{', '.join(parts)} in {self.where.shown}"


def _status(cell: contents.Cell) -> str:
    """MLflow's word for what became of a cell; one that never started is not one that failed."""
    if cell["run"] is not None:
        return "FINISHED"
    return "KILLED" if cell["status"] == "not started" else "FAILED"


def _ms(experiment: Experiment, place: int) -> int:
    """Start time on the tracker: that of the sweep, a millisecond apart, so that lists (newest first) keep the order."""
    return round(datetime.fromisoformat(experiment.body["created"]).timestamp() * 1000) - place
