"""A session: what a process keeps from cell to cell (store, models, tables), and what it counted."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

from runner.config import Runtime
from runner.disk import drop_drafts
from runner.store import Store

T = TypeVar("T")
_KEPT = 4
"""Values kept of each kind: enough for a sweep over a few chunkings, small enough for a laptop."""


class Bar(Protocol):
    """A way to show long work: called with how many more of its `total` are done."""

    def __call__(self, done: int) -> None:
        """Advance."""
        ...


Progress = Callable[[str, int], Bar]
"""Opens a bar: what is done, out of how many."""


def silent(what: str, total: int) -> Bar:
    """No bar."""
    return lambda done: None


@dataclass(slots=True)
class Counters:
    """The distinct work of a process, so that a sweep can say what it did and what it reused."""

    texts_embedded: int = 0
    texts_reused: int = 0
    tokens_billed: int = 0
    """What a service said that it charged for."""
    chunkings_built: int = 0
    chunkings_reused: int = 0
    indexes_built: int = 0
    indexes_reused: int = 0
    searches_run: int = 0
    searches_reused: int = 0
    pairs_scored: int = 0
    pairs_reused: int = 0

    def since(self, before: Counters) -> dict[str, int]:
        """What was added since `before`."""
        old = asdict(before)
        return {k: v - old[k] for k, v in asdict(self).items()}

    def copy(self) -> Counters:
        """A snapshot."""
        return Counters(**asdict(self))


@dataclass(slots=True)
class Clock:
    """Seconds per stage of one run."""

    seconds: dict[str, float] = field(default_factory=dict)
    within: dict[str, float] = field(default_factory=dict)
    """Seconds of parts of a stage, which has them too."""

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Time a part of a stage."""
        start = time.perf_counter()
        yield
        self.within[name] = time.perf_counter() - start

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a block; a stage entered twice adds up."""
        start = time.perf_counter()
        try:
            yield
        except Exception as e:
            e.add_note(_NOTE + name)
            raise
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


_NOTE = "at stage: "


def stage_of(error: BaseException) -> str | None:
    """The innermost stage that a `Clock` was timing when `error` was raised."""
    notes = [n.removeprefix(_NOTE) for n in getattr(error, "__notes__", []) if n.startswith(_NOTE)]
    return notes[0] if notes else None


class Session:
    """Shared by all cells that one process runs over one outputs folder."""

    def __init__(self, runtime: Runtime, progress: Progress = silent) -> None:
        self.runtime = runtime
        self.outputs = Path(runtime.outputs)
        self.store = Store(self.outputs / "store")
        self.progress = progress if runtime.progress else silent
        self.counters = Counters()
        self._memo: dict[str, OrderedDict[str, Any]] = {}
        drop_drafts(self.outputs)

    def memo(self, kind: str, key: str, make: Callable[[], T]) -> T:
        """The value of `key`, made if it is not among the few of its `kind` kept last."""
        kept = self._memo.setdefault(kind, OrderedDict())
        if key not in kept:
            kept[key] = make()
        kept.move_to_end(key)
        while len(kept) > _KEPT:
            kept.popitem(last=False)
        return cast("T", kept[key])

    def run_folder(self, run_key: str) -> Path:
        """Where the run of that key is or would be."""
        return self.outputs / "runs" / run_key
