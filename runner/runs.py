"""The only reader of run and experiment folders: what was recorded, for every view and sink."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from runner import keys, parents, tables
from runner.errors import RequestError, StoreError, did_you_mean
from runner.store import MANIFEST

_MLFLOW_ID = 32
"""Characters of an MLflow run id; a run's own key has 64."""


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
        try:
            self.meta: dict[str, Any] = json.loads((self.path / "run.json").read_text("utf-8"))
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
        """The data set, and which of its questions were asked."""
        said = self.meta["data"]
        split = said.get("split")
        if split is None:
            return str(said.get("dataset", ""))
        few = "" if split["questions"] is None else f", {said['queries']} of {split['of']} questions"
        half = "" if split["part"] == "all" else f" {split['part']}"
        return f"{said['dataset']}{half}{few}"

    @cached_property
    def legs(self) -> list[str]:
        """The legs of the run."""
        return list(self.config["retrieval"]["legs"])

    def table(self, name: str) -> pl.DataFrame:
        """A recorded table: queries, candidates, expansion, context or measures."""
        return tables.read(self.path / f"{name}.parquet")

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


class Experiment:
    """A recorded sweep: its axes, its cells, and their runs."""

    def __init__(self, outputs: Path, key: str) -> None:
        self.outputs = outputs
        self.key = key
        self.path = outputs / "experiments" / key
        try:
            self.body: dict[str, Any] = json.loads((self.path / "experiment.json").read_text("utf-8"))
        except (OSError, ValueError) as e:
            raise StoreError(f"{self.path}: is no whole experiment ({e})") from e

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


def run_keys(outputs: Path) -> list[str]:
    """Keys of all whole runs, newest first."""
    found = [p.parent for p in (outputs / "runs").glob(f"[!.]*/{MANIFEST}")]
    return [p.name for p in sorted(found, key=lambda p: (-(p / MANIFEST).stat().st_mtime_ns, p.name))]


def experiment_keys(outputs: Path) -> list[str]:
    """Keys of all experiments, newest first."""
    found = list((outputs / "experiments").glob("*/experiment.json"))
    return [p.parent.name for p in sorted(found, key=lambda p: (-p.stat().st_mtime_ns, p.parent.name))]


def resolve(ref: str, known: Sequence[str], what: str) -> str:
    """The one key of `known` (newest first) that `ref` means: `latest`, or a prefix of it.

    Raises:
        RequestError: none or several.
    """
    if not known:
        raise RequestError(f"there is no {what} in the outputs folder yet; start one: python -m runner")
    if ref == "latest":
        return known[0]
    found = [k for k in known if ref and k.startswith(ref)]
    if len(found) == 1:
        return found[0]
    if found:
        raise RequestError(f"{what} '{ref}' is ambiguous: {', '.join(k[: keys.SHORT] for k in found)}")
    raise RequestError(
        f"there is no {what} '{ref}'; {did_you_mean(ref, [k[: keys.SHORT] for k in known[:20]])}"
    )


def open_run(outputs: Path, ref: str) -> Run:
    """The run that `ref` (key prefix, MLflow run id or `latest`) names."""
    return Run(outputs, _delivered(outputs, ref) or resolve(ref, run_keys(outputs), "run"))


def _delivered(outputs: Path, ref: str) -> str | None:
    """The key of the run that MLflow has as `ref`, from the markers of deliveries; None: it has none so."""
    markers = outputs.glob("experiments/*/tracked-*.json") if len(ref) == _MLFLOW_ID else ()
    for path in sorted(markers):
        try:
            made = dict(json.loads(path.read_text("utf-8"))["runs"])
        except (OSError, ValueError, KeyError, TypeError):
            continue
        for cell in Experiment(outputs, path.parent.name).cells:
            if made.get(str(cell["num"])) == ref:
                return cell["run"]  # type: ignore[no-any-return]
    return None


def open_experiment(outputs: Path, ref: str) -> Experiment:
    """The experiment that `ref` (key prefix, name of the newest so called, or `latest`) names."""
    known = experiment_keys(outputs)
    named = next((k for k in known if Experiment(outputs, k).name == ref), None)
    return Experiment(outputs, named or resolve(ref, known, "experiment"))
