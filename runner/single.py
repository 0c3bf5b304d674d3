"""One query through the pipeline of a run: the same code over the same store, and no run is recorded.

What a text, a chunk or a model alone decides (vectors, chunkings, indexes, scored pairs) is looked up in the
store and, where it is missing, kept there by its own key, as a run would keep it. What depends on which
queries were asked (hits of the legs, the count of what the model read) lies in a folder that ends with it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from runner import artifacts, keys, record, registry, tables
from runner.config import RunConfig, Runtime
from runner.errors import RequestError, did_you_mean
from runner.keyring import Keyring, keyring
from runner.parts import Parts, parts
from runner.pipeline import execute
from runner.records import Query
from runner.session import Clock, Session
from runner.store import Artifact, Store, Write
from runner.trace import Trace

NEW = "(new text)"
"""The query_id of a text that is no question of the data set."""
_OWN = ("corpus.queries", "corpus.judgments", "legs")
"""Kinds of a session's memo that depend on which queries are asked."""
_ASIDE = ("legs", "embedding")
"""Stages of the store that do."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Single:
    """One query's execution: what a run of this query alone would have been recorded from."""

    parts: Parts
    keyring: Keyring
    session: Session
    trace: Trace
    clock: Clock
    query_id: str
    text: str

    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables of a run folder, by name, with the rows of this query."""
        return record.frames(self.parts, self.keyring, self.session, self.trace)

    def meta(self) -> dict[str, Any]:
        """What `run.json` would say."""
        return record.meta(self.parts, self.keyring, self.session, self.trace, self.clock)


def execute_single(
    config: RunConfig, session: Session, *, query_id: str | None = None, text: str | None = None
) -> Single:
    """The run `config` of one query alone: a question of the data set by its id, or a new text, without gold.

    Raises:
        RequestError: the data set has no such question. And whatever a run raises.
    """
    p = parts(config)
    k = keyring(p, session)
    queries, judgments = (artifacts.table(k, session, part) for part in ("queries", "judgments"))
    if query_id is None:
        row = {"query_id": NEW, "text": text or "", "tags": Query("", "").tags}
        asked, gold = pl.DataFrame([row], schema=tables.schema(Query)), judgments.clear()
        asked = asked.select(c for c in queries.columns if c in asked.columns)
    else:
        asked = queries.filter(pl.col("query_id") == query_id)
        gold = judgments.filter(pl.col("query_id") == query_id)
        if asked.is_empty():
            known = queries["query_id"].to_list()
            raise RequestError(f"there is no query '{query_id}' in this run; {did_you_mean(query_id, known)}")
    mine = asked.row(0, named=True)
    mark = keys.digest([mine["query_id"], mine["text"]])
    k = replace(
        k,
        legs={name: keys.digest(["single", key, mark]) for name, key in k.legs.items()},
        run=keys.digest(["single", k.run, mark]),
    )
    with tempfile.TemporaryDirectory(prefix="runner-single-") as scratch:
        own = _OneQuery(session, Path(scratch))
        own.memo("corpus.queries", k.corpus, lambda: asked)
        own.memo("corpus.judgments", k.corpus, lambda: gold)
        clock = Clock()
        trace = execute(p, k, own, clock)
    return Single(p, k, own, trace, clock, mine["query_id"], mine["text"])


def reopened(meta: Mapping[str, Any], outputs: Path) -> tuple[RunConfig, Session]:
    """Config of a recorded run (`meta`: its `run.json`), and a session over the store that it left.

    Raises:
        RequestError: data, models or code have moved since, so that its artifacts are no longer those of its
        config.
    """
    config, _ = registry.parse_run(meta["config"])
    session = Session(Runtime(outputs=str(outputs), progress=False))
    now = keyring(parts(config), session)
    if now.run != meta["run"]:
        moved = [f for f, key in meta["keys"].items() if getattr(now, f) != key] or ["run"]
        raise RequestError(
            f"run {meta['run'][: keys.SHORT]}: its config now gives another {', '.join(moved)} (data, models "
            "or code have changed since), so it can be asked no more; run its config again"
        )
    return config, session


class _OneQuery(Session):
    """A session beside `whole`: shares what it keeps and counts, but for what depends on the queries."""

    def __init__(self, whole: Session, scratch: Path) -> None:
        self.runtime, self.outputs, self.progress = whole.runtime, whole.outputs, whole.progress
        self.counters = whole.counters
        self.store = _Beside(whole.store, scratch)
        self._whole = whole
        self._memo = {}

    def memo(self, kind: str, key: str, make: Callable[[], T]) -> T:
        """See `Session`."""
        return super().memo(kind, key, make) if kind in _OWN else self._whole.memo(kind, key, make)


class _Beside(Store):
    """A store that reads `whole`, and writes what one query alone decides into `scratch`."""

    def __init__(self, whole: Store, scratch: Path) -> None:
        super().__init__(whole.root)
        self._whole, self._scratch = whole, Store(scratch)

    def find(self, stage: str, key: str) -> Artifact | None:
        """See `Store`."""
        return self._whole.find(stage, key)

    def obtain(self, stage: str, key: str, write: Write) -> Artifact:
        """See `Store`."""
        if stage in _ASIDE and not self.find(stage, key):
            return self._scratch.obtain(stage, key, write)
        return self._whole.obtain(stage, key, write)
