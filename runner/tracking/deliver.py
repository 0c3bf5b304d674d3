"""One delivery: a parent run per sweep, a child per cell, each written whole and found again by its tags."""

from __future__ import annotations

import logging
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runner.config import Tracking
from runner.errors import RunnerError, StoreError
from runner.runs import Experiment, Run
from runner.store import Store
from runner.text import one_line
from runner.tracking import contents, destination, marker, notes, verdicts
from runner.tracking.interest import Interest
from runner.tracking.marker import Files, Marker
from runner.tracking.verdicts import Verdicts

if TYPE_CHECKING:
    from runner.tracking.client import Client
    from runner.tracking.destination import Destination

log = logging.getLogger(__name__)

LATER = "the runs are complete here; later: python -m runner track --pending"
_REASON = 300
"""Characters of a library's error that are shown."""


def deliver(experiment: Experiment, tracking: Tracking, files: Files | None = None) -> str:
    """Deliver an experiment to MLflow; whatever happens there, say it in one line and raise nothing."""
    where = None
    try:
        known = marker.ask(experiment, tracking, files or Files())
        where = destination.resolve(experiment.outputs, tracking.uri)
        if where is None:
            return "mlflow: off"
        lock = Store(experiment.outputs / "store").lock(f"track-{experiment.key}")
        with lock, destination.quiet():
            if not pending(experiment, tracking):
                return "mlflow: delivered before, nothing to do"
            return f"mlflow: {_Delivery(experiment, where, tracking.traces, known).run()}"
    except Exception as e:  # a sink must not fail a finished sweep, whatever a server or a library raises
        log.debug("delivery failed", exc_info=True)
        return f"mlflow: not delivered ({_reason(e, where)}); {LATER}"


def pending(experiment: Experiment, tracking: Tracking) -> bool:
    """Whether anything of the experiment is not yet where `tracking` wants it."""
    where = destination.resolve(experiment.outputs, tracking.uri)
    if where is None:
        return False
    done = marker.read(experiment, where)
    return done is None or not marker.covers(done.traces, tracking.traces)


def _reason(error: Exception, where: Destination | None) -> str:
    text = str(error) if isinstance(error, RunnerError) else f"{type(error).__name__}: {error}"
    if where is None:
        return one_line(text, _REASON)
    if "Max retries exceeded" in text:  # what MLflow says of it is four lines long
        text = f"{where.shown} does not answer"
    again = (
        "; its credentials are not stored: repeat the sweep, or set MLFLOW_TRACKING_USERNAME and _PASSWORD"
    )
    return one_line(where.scrub(text), _REASON) + (again if where.hidden else "")


@dataclass(slots=True)
class _Count:
    """What one delivery did."""

    there: int = 0
    """Runs that were whole before."""
    traces: int = 0
    without: int = 0
    """Runs whose traces could not be read or sent."""
    again: bool = False
    """Whether those might be sent another time."""


class _Delivery:
    """An experiment on its way to one destination."""

    def __init__(self, experiment: Experiment, where: Destination, traces: int, files: Files) -> None:
        self.experiment = experiment
        self.where = where
        self.traces = traces
        self.files = files
        self.count = _Count()
        self.varied = contents.swept(experiment)
        self.compared = Verdicts(experiment)
        self.interest = Interest(experiment)

    def run(self) -> str:
        """Send what is not there yet; returns what was done."""
        from runner.tracking.client import Client

        experiment = self.experiment
        client = Client(self.where, experiment.name)
        there = client.runs(experiment.key)
        parent = there.get(contents.PARENT) or self._start(client, contents.PARENT, self._name(), 0, {})
        made = {}
        for cell in experiment.cells:
            done = self._cell(client, parent.info.run_id, cell, there.get(str(cell["num"])))
            made[str(cell["num"])] = done.info.run_id
        if parent.info.status == "RUNNING":
            self._close(client, parent)
        traces = 0 if self.count.again else self.traces
        marker.write(
            experiment,
            self.where,
            Marker(self.where.shown, client.experiment, parent.info.run_id, made, traces),
        )
        return self._said(len(made))

    def _name(self) -> str:
        return f"{self.experiment.name} {self.experiment.key[:8]}"

    def _start(self, client: Client, cell: str, name: str, place: int, tags: dict[str, str]) -> Any:
        """A new run, one millisecond before the cell in front of it: lists show the newest first."""
        swept = round(datetime.fromisoformat(self.experiment.body["created"]).timestamp() * 1000)
        known = {**contents.identity(self.experiment, cell), "mlflow.source.name": "runner"}
        return client.start(name, known | tags, swept - place)

    def _cell(self, client: Client, parent: str, cell: contents.Cell, there: Any) -> Any:
        """One child: everything, then its traces, then the status that says it is whole."""
        run = self.experiment.runs.get(cell["num"])
        copy = cell["same_as"] is not None  # points to the first: no file and no trace is stored twice
        mine = there
        if mine is None:
            name = contents.title(self.experiment, cell, run)
            mine = self._start(client, str(cell["num"]), name, cell["num"], {"mlflow.parentRunId": parent})
        whole = mine.info.status != "RUNNING"
        if not whole:
            self._fill(client, mine, cell, run, copy=copy)
        if run is not None and not copy:
            self._send_traces(client, mine, run, resumed=there is not None)
        if not whole:
            client.end(mine, _status(cell), sum(run.meta["seconds"].values()) if run else 0.0)
        self.count.there += whole
        return mine

    def _fill(self, client: Client, mine: Any, cell: contents.Cell, run: Run | None, *, copy: bool) -> None:
        tags = contents.tags(self.experiment, cell, run) | notes.tag(notes.of_cell(cell, run, self.compared))
        params = contents.params(cell, run, self.varied)
        if run is None:
            client.log(mine, params, {}, tags)
        else:
            tags |= contents.as_tags({"runner.verdict": self.compared.said(run.key)})
            client.log(mine, params, contents.metrics(run), tags, contents.curves(run))
        if run is not None:
            client.dataset(mine, contents.dataset(run))
        if run is not None and not copy:
            client.files(mine, {"run": run.path})
        if run is None and self.files.cells is not None:
            client.files(mine, {"": self.files.cells / str(cell["num"]) / "traceback.txt"})

    def _send_traces(self, client: Client, mine: Any, run: Run, *, resumed: bool) -> None:
        """A sample of query traces. They are an extra: a run without them is delivered; a tag says why."""
        from runner.tracking import traces

        before = mine.data.tags.get(contents.TRACES, "")  # a number, or why there are none
        if before.lstrip("-").isdigit() and marker.covers(int(before), self.traces):
            return
        try:
            chosen = self.interest.sample(run, self.traces)
            self.count.traces += traces.send(client, mine, run, chosen, resumed=resumed)
            said = str(self.traces)
        except Exception as e:  # an old server, a store without the texts, a text that MLflow refuses
            said = f"not sent: {_reason(e, self.where)}"
            log.warning("run %s: its query traces were %s", run.short, said)
            self.count.without += 1
            self.count.again |= not isinstance(e, StoreError)
        client.log(mine, {}, {}, contents.as_tags({contents.TRACES: said}))

    def _close(self, client: Client, parent: Any) -> None:
        experiment = self.experiment
        body = experiment.body
        command = " ".join(destination.without_credentials(body["command"]))
        tags = contents.as_tags({"runner.command": command}) | notes.tag(
            notes.of_sweep(experiment, self.compared)
        )
        axes = {f"axis.{k}": ", ".join(v) for k, v in body["axes"].items()}
        client.log(parent, contents.as_params(axes), contents.totals(experiment), tags)
        report = self.files.report if self.files.report and self.files.report.is_file() else None
        client.files(
            parent,
            {
                "": experiment.path / "experiment.json",
                "comparison": experiment.path / "comparison.json",
                "contrasts": experiment.path / "contrasts.parquet",
                "report": report,
            },
        )
        with tempfile.TemporaryDirectory() as made:
            self._write(Path(made))
            client.files(parent, {"": Path(made)})
        distinct = {r.key: r for r in experiment.runs.values()}.values()
        status = "FAILED" if any(c["run"] is None for c in experiment.cells) else "FINISHED"
        client.end(parent, status, sum(sum(r.meta["seconds"].values()) for r in distinct))

    def _write(self, folder: Path) -> None:
        """The table of the sweep, and its charts; a chart that cannot be drawn costs itself only."""
        from runner.tracking import charts

        verdicts.summary(self.experiment, self.compared).write_csv(folder / "summary.csv")
        try:
            drawn = charts.charts(self.experiment, self.compared)
        except (KeyError, ValueError) as e:
            log.warning("the charts of %s were not drawn: %s", self.experiment.name, _reason(e, self.where))
            return
        for name, svg in drawn.items():
            path = folder / "charts" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(svg, "utf-8")

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
