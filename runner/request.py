"""One command line while it is carried out, and the sessions of this process."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from runner.config import Outside, RunConfig
from runner.errors import RequestError, RunnerError, StoreError, UnknownNameError
from runner.session import Progress, Session, silent

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Request:
    """One command line, while it is carried out in this process."""

    on_plan: Callable[[Request], None]
    progress: Progress = silent
    folder: Path | None = None
    outside: Outside = field(default_factory=Outside)
    axes: dict[str, list[str]] = field(default_factory=dict)
    cells: list[tuple[list[str], RunConfig | RunnerError]] | None = None
    """Overrides and config, or why it cannot be run; None: the sweeper decides as it goes."""
    grid: int | None = None
    """Combinations that a sweeper which decides as it goes chooses from; None: they cannot be counted."""
    error: Exception | None = None
    """What ended the request before its first cell."""
    stopped: bool = False
    """Whether the launcher or the sweeper stopped among its cells."""
    probed: int = 0
    """Texts embedded to plan: work of this sweep, but of none of its cells."""

    def refuse(self) -> None:
        """End the request where a name does not exist, where there is no cell, or no valid one.

        Raises:
            RequestError: the first reason.
        """
        if self.cells is None:
            return
        errors = [e for _, e in self.cells if isinstance(e, RequestError)]
        if not self.cells:
            raise RequestError("the sweep has no cell: an axis has no value")
        unknown = [e for e in errors if isinstance(e, UnknownNameError)]
        if unknown or len(errors) == len(self.cells):
            raise (unknown or errors)[0]

    def open(self, folder: Path) -> None:
        """Make the folder of the sweep, which must be new: no two sweeps may share one.

        Raises:
            RequestError: it is there already. StoreError: it cannot be made.
        """
        try:
            folder.mkdir(parents=True, exist_ok=False)
        except FileExistsError:
            raise RequestError(f"{folder}: is there already; another sweep may be using it") from None
        except OSError as e:
            mend = "runtime.outputs=… names another place"
            raise StoreError(f"{folder}: cannot be made ({e.strerror}); {mend}") from e
        self.folder = folder

    def stop(self, folder: Path, e: Exception) -> None:
        """Note that the launcher or the sweeper stopped among the cells of the sweep in `folder`.

        Raises:
            RequestError: a sweeper that chooses its cells stopped before the first: nothing can be recorded.
        """
        what = type(e).__name__
        if self.cells is None and not any(folder.glob("cells/*")):
            raise RequestError(
                f"the launcher or sweeper stopped ({what}: {e}), no cell was run; mend its settings"
            ) from None
        self.stopped = True
        log.error("the launcher or sweeper stopped (%s: %s); the same command goes on from here", what, e)


def conf_folder() -> Path:
    """The packaged `conf/`: inside the installed package, or beside it in a checkout."""
    inside = Path(__file__).parent / "conf"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "conf"


_sessions: dict[str, Session] = {}


def session(outside: Outside, progress: Progress = silent) -> Session:
    """The session of this process for an outputs folder."""
    place = str(Path(outside.runtime.outputs).absolute())
    if place not in _sessions:
        runtime = outside.runtime.model_copy(update={"outputs": place})
        _sessions[place] = Session(runtime, progress)
    return _sessions[place]


def axes(cells: list[list[str]]) -> dict[str, list[str]]:
    """The values that each override takes over the cells, for those that take more than one."""
    values: dict[str, dict[str, None]] = {}
    for overrides in cells:
        for override in overrides:
            key, _, value = override.partition("=")
            values.setdefault(key, {})[value] = None
    return {k: list(v) for k, v in values.items() if len(v) > 1}


def cell_folder(sweep_folder: Path, num: int) -> Path:
    """Where a cell leaves its status."""
    return sweep_folder / "cells" / str(num)


_TAKES = {"--cfg", "--package", "--config-path", "--config-name", "--config-dir"} | {
    "-c", "-p", "-cp", "-cn", "-cd"
}  # fmt: skip
_SHOWS = {"all", "config", "defaults", "defaults-tree", "plugins", "searchpath"}


def arranged(arguments: Sequence[str], extra: Sequence[str]) -> list[str]:
    """A command line for Hydra: all overrides in one place, as argparse wants them, before all flags."""
    overrides, flags, rest = [], [], list(arguments)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            overrides.append(word)
            continue
        flags.append(word)
        takes = word in _TAKES or (word in {"--info", "-i"} and rest[:1] and rest[0] in _SHOWS)
        flags += [rest.pop(0)] if takes and rest else []
    return [*overrides, *extra, *flags]


def given_twice(arguments: Sequence[str]) -> list[str]:
    """What a command line sets more than once, in words: Hydra keeps the last and says nothing."""
    seen: dict[str, str] = {}
    out = []
    for word in arguments:
        key = word.lstrip("+").partition("=")[0]
        if "=" in word and not word.startswith(("-", "~")):
            if seen.get(key, word) != word:
                out.append(f"{key} is given twice; {seen[key]} is not used")
            seen[key] = word
    return out
