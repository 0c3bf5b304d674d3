"""One command line while it is carried out, and the sessions of this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from runner.config import Outside, RunConfig
from runner.errors import RequestError
from runner.session import Progress, Session, silent


@dataclass(slots=True)
class Request:
    """One command line, while it is carried out in this process."""

    on_plan: Callable[[Request], None]
    progress: Progress = silent
    folder: Path | None = None
    outside: Outside = field(default_factory=Outside)
    axes: dict[str, list[str]] = field(default_factory=dict)
    cells: list[tuple[list[str], RunConfig | RequestError]] | None = None
    """Overrides and config, or why there is none; None: the sweeper decides as it goes."""
    error: RequestError | None = None


_sessions: dict[str, Session] = {}


def session(outside: Outside, progress: Progress = silent) -> Session:
    """The session of this process for an outputs folder."""
    place = str(Path(outside.runtime.outputs).absolute())
    if place not in _sessions:
        runtime = outside.runtime.model_copy(update={"outputs": place})
        _sessions[place] = Session(runtime, progress)
    return _sessions[place]


def cell_folder(sweep_folder: Path, num: int) -> Path:
    """Where a cell leaves its status."""
    return sweep_folder / "cells" / str(num)
