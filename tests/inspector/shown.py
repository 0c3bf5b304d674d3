"""What tests of the inspector start from: runs over the tiny data set, and the views of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import helpers

from runner.inspector import query
from runner.inspector.query_records import QueryView
from runner.inspector.stored import Stored
from runner.runs import Run
from runner.verbs import live
from runner.verbs.inspect import inspect


def stored(run: Run) -> Stored:
    """A run with the facts of its legs, as the command line opens it."""
    return Stored(run, live.facts(live.legs(run)))


def asked(run: Run, query_id: str, *, execute: bool = False) -> QueryView:
    """Everything that `inspect query --explain --show-misses` shows of a question of the run."""
    opened = stored(run)
    done = live.executed(run, query_id=query_id) if execute else query.recorded(run, query_id)
    weights = live.weights(opened, live.legs(run) or {}, done)
    return query.view(opened, done, weights, misses=True)


def said(run: Run, *words: str) -> Any:
    """The JSON of a view, as another program reads it."""
    _, value, code = inspect([*words, "--json", "--outputs", str(run.outputs)])
    assert code == 0
    return json.loads(json.dumps(value))


def text(run: Run, *words: str) -> str:
    """The text of a view."""
    return str(inspect([*words, "--outputs", str(run.outputs)])[0])


def hybrid(tmp: Path, **changes: Any) -> Run:
    """A run of both legs over the tiny data set."""
    return helpers.done(helpers.tiny(tmp / "data"), tmp / "out", **changes)
