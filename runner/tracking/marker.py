"""What was asked of the tracker and what it delivered: two small files of its own in the experiment's folder.

`tracking.json` remembers the request, so that `track` can repeat it. `tracked-<destination>.json` says that
all of the experiment is there, with the MLflow ids, so that a second identical sweep need not import MLflow.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from runner.config import Tracking
from runner.runs import Experiment
from runner.store import publish_file
from runner.tracking.destination import OFF, Destination, public

_ASKED = "tracking.json"


@dataclass(frozen=True, slots=True)
class Marker:
    """A finished delivery."""

    uri: str
    """Without credentials."""
    experiment_id: str
    parent: str
    runs: dict[str, str] = field(default_factory=dict)
    """MLflow run id by cell number."""
    traces: int = 0


@dataclass(frozen=True, slots=True)
class Files:
    """What lies outside the run folders and is delivered with them, where it is known."""

    report: Path | None = None
    cells: Path | None = None
    """The folder of the sweep that holds a folder per cell, with the traceback of those that failed."""


def ask(experiment: Experiment, tracking: Tracking, files: Files) -> Files:
    """Remember what was asked; returns the files that are known now, from this or from an earlier request."""
    known = remembered(experiment)
    files = Files(files.report or known.report, files.cells or known.cells)
    shown = (
        tracking.uri
        if tracking.uri in (None, OFF) or tracking.uri.startswith("sqlite:")
        else public(tracking.uri)
    )

    def relative(path: Path | None) -> str | None:
        return None if path is None else os.path.relpath(path, experiment.outputs)

    body = {
        "uri": shown,
        "traces": tracking.traces,
        "report": relative(files.report),
        "cells": relative(files.cells),
    }
    if body != _read(experiment.path / _ASKED):
        _write(experiment.path / _ASKED, body)
    return files


def asked(experiment: Experiment) -> Tracking:
    """What the last sweep or `track` asked for; the default where nothing or `off` was asked."""
    found = wanted(experiment)
    return Tracking() if found.uri == OFF else found


def wanted(experiment: Experiment) -> Tracking:
    """What the last sweep or `track` asked for, `off` as well; the default where nothing was.

    A URI comes back without credentials: MLflow also takes them from MLFLOW_TRACKING_USERNAME and _PASSWORD.
    """
    body = _read(experiment.path / _ASKED) or {}
    uri, traces = body.get("uri"), body.get("traces")
    if not isinstance(traces, int) or not isinstance(uri, str | None):
        return Tracking()
    return Tracking(uri=uri, traces=traces)


def remembered(experiment: Experiment) -> Files:
    """The files that an earlier request named and that are still there."""
    body = _read(experiment.path / _ASKED) or {}
    found = {k: experiment.outputs / body[k] for k in ("report", "cells") if body.get(k)}
    return Files(**{k: p for k, p in found.items() if p.exists()})


def read(experiment: Experiment, where: Destination) -> Marker | None:
    """The marker of a delivery to `where`; None: there was none, or its store has been deleted since."""
    body = _read(_path(experiment, where))
    try:
        marker = Marker(**(body or {}))
    except TypeError:
        return None
    gone = where.database is not None and not _holds(where.database, marker.parent)
    return None if gone else marker


def write(experiment: Experiment, where: Destination, marker: Marker) -> None:
    """Say that all of the experiment is there."""
    _write(_path(experiment, where), asdict(marker))


def covers(sent: int, wanted: int) -> bool:
    """Whether a delivery with `sent` traces a run has all that `wanted` asks for; -1 is all."""
    return sent == -1 or -1 < wanted <= sent


def _path(experiment: Experiment, where: Destination) -> Path:
    return experiment.path / f"tracked-{where.digest}.json"


def _holds(database: Path, run_id: str) -> bool:
    """Whether an SQLite store has the run, asked without MLflow: importing it takes two seconds."""
    if not database.is_file():
        return False
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as db,
    ):
        return db.execute("SELECT 1 FROM runs WHERE run_uuid = ?", (run_id,)).fetchone() is not None
    return False


def _read(path: Path) -> dict[str, Any] | None:
    try:
        body = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return body if isinstance(body, dict) else None


def _write(path: Path, body: dict[str, Any]) -> None:
    """Write JSON so that a reader sees all of it or what was there before."""
    text = json.dumps(body, indent=1, ensure_ascii=False)
    publish_file(path, lambda draft: draft.write_text(text, "utf-8"))
