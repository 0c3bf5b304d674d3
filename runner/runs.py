"""The only reader of run and experiment folders: what was recorded, for every view and sink."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any

import polars as pl

from runner import keys, parents, tables
from runner.errors import StoreError
from runner.store import check_file, published

_RUN = ("config", "keys", "stages", "measures", "expansion", "seconds", "created")
_EXPERIMENT = ("name", "cells")
"""What the records of every format have."""


@dataclass(frozen=True, slots=True)
class Badge:
    """The `±P/N` badge of a run: its text, whether the knobs took effect, and the tooltip."""

    prev: int
    following: int
    applied: bool

    @property
    def text(self) -> str:
        """`±P/N`."""
        return f"±{self.prev}/{self.following}"

    @property
    def tooltip(self) -> str:
        """The two knobs in words."""
        knobs = f"neighbor_prev {self.prev} · neighbor_next {self.following}"
        return knobs if self.applied else f"{knobs} · not applied: fixed_size was not in this run"


class Run:
    """A finished run, read from its folder."""

    def __init__(self, outputs: Path, key: str) -> None:
        self.outputs = outputs
        self.key = key
        self.path = outputs / "runs" / key
        self._files: dict[str, Any] = {}
        self._whole: set[str] = set()
        try:
            self.meta = _object(self.path / "run.json", _RUN)
        except (OSError, ValueError) as e:
            raise StoreError(f"{self.path}: is no whole run ({e}); run its config again") from e

    @property
    def short(self) -> str:
        """The key as a person sees it."""
        return self.key[: keys.SHORT]

    @property
    def config(self) -> dict[str, Any]:
        """The resolved config."""
        config: dict[str, Any] = self.meta["config"]
        return config

    @property
    def badge(self) -> Badge:
        """The neighbor badge."""
        said = self.meta["expansion"]
        return Badge(said["prev"], said["next"], said["applied"])

    def stage(self, name: str) -> dict[str, Any]:
        """What the run recorded of a stage; nothing when it had no such stage."""
        found: list[dict[str, Any]] = [s for s in self.meta["stages"] if s["stage"] == name]
        return found[0] if found else {}

    @property
    def measures(self) -> list[dict[str, Any]]:
        """Per measure: `measure, mean, std, n`."""
        found: list[dict[str, Any]] = self.meta["measures"]
        return found

    @property
    def data(self) -> str:
        """The data set (of a form that many have, its folder), and which of its questions were asked."""
        said = self.meta["data"]
        path, name = PurePath(str(self.config["dataset"].get("path", ""))), str(said.get("dataset", ""))
        name = path.name if path.name and name not in path.parts else name
        split = said.get("split")
        if split is None:
            return name
        few = "" if split["questions"] is None else f", {said['queries']} of {split['of']} questions"
        half = "" if split["part"] == "all" else f" {split['part']}"
        return f"{name}{half}{few}"

    @cached_property
    def legs(self) -> list[str]:
        """The legs of the run."""
        return list(self.config["retrieval"]["legs"])

    def table(self, name: str) -> pl.DataFrame:
        """A recorded table: queries, candidates, expansion, context, measures, curve or attribution.

        Raises:
            StoreError: it is missing or damaged; its digest is compared the first time it is read.
        """
        path = self.path / f"{name}.parquet"
        if name not in self._whole:
            try:
                self._files = self._files or published(self.path)
                check_file(path, self._files)
            except StoreError as e:
                raise StoreError(f"{e}; run its config again") from e
            self._whole.add(name)
        return tables.read(path)

    @cached_property
    def chunks(self) -> pl.DataFrame:
        """The chunk table with a `text` column, from the store; span, tokens and text are what a hit returns.

        Raises:
            StoreError: the store no longer has the chunking or the data set of this run.
        """
        folder = self.outputs / "store" / "chunks" / self.meta["keys"]["chunks"]
        chunks = parents.returned(tables.read(folder / "chunks.parquet"))
        whole = dict(self.corpus("documents").select("doc_id", "text").iter_rows())
        spans = chunks.select("doc_id", "start", "end").iter_rows()
        return chunks.with_columns(pl.Series("text", [whole[d][s:e] for d, s, e in spans], dtype=pl.String))

    @cached_property
    def judgments(self) -> pl.DataFrame:
        """The gold of the run's data set: `query_id, doc_id, start, end, grade`."""
        return self.corpus("judgments")

    def corpus(self, name: str) -> pl.DataFrame:
        """A table of the run's data set, from the store: documents, queries or judgments."""
        folder = self.outputs / "store" / "corpus" / self.meta["keys"]["corpus"]
        return tables.read(folder / f"{name}.parquet")


def _object(path: Path, fields: Sequence[str]) -> dict[str, Any]:
    """A JSON object with these fields. Raises OSError or ValueError where it is none."""
    body = json.loads(path.read_text("utf-8"))
    lacks = [f for f in fields if not isinstance(body, dict) or f not in body]
    if lacks:
        raise ValueError(f"{path.name} has no '{lacks[0]}'")
    return dict(body)


class Experiment:
    """A recorded sweep: its axes, its cells, and their runs."""

    def __init__(self, outputs: Path, key: str) -> None:
        self.outputs = outputs
        self.key = key
        self.path = outputs / "experiments" / key
        try:
            self.body = _object(self.path / "experiment.json", _EXPERIMENT)
        except (OSError, ValueError) as e:
            raise StoreError(f"{self.path}: is no whole experiment ({e}); run the sweep again") from e

    @property
    def name(self) -> str:
        """The experiment's name."""
        return str(self.body["name"])

    @property
    def cells(self) -> list[dict[str, Any]]:
        """Per cell `num, overrides, status, run, stage, reason, counters, not_applied, same_as`."""
        found: list[dict[str, Any]] = self.body["cells"]
        return found

    @cached_property
    def runs(self) -> dict[int, Run]:
        """The run of each cell that has one, by cell number; cells that are the same run share it."""
        made: dict[str, Run] = {}
        return {
            c["num"]: made.setdefault(c["run"], Run(self.outputs, c["run"]))
            for c in self.cells
            if c["run"] is not None
        }
