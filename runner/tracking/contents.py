"""What the MLflow run of a cell holds: parameters, metrics and tags, all taken from the run folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from runner import keys
from runner.config import GROUPS
from runner.errors import StoreError
from runner.measure_names import budget_of
from runner.runs import Experiment, Run
from runner.tracking import axes, names
from runner.tracking.destination import without_credentials

SWEEP = "runner.sweep"
CELL = "runner.cell"
TRACES = "runner.traces"
PARENT = "parent"
"""Value of `runner.cell` on the parent run."""

Cell = Mapping[str, Any]
_DIGEST = 16
"""Characters of a data set's digest, which lists show in full; MLflow takes 36."""


def overrides(cell: Cell) -> list[str]:
    """The overrides of a cell that say something about its run: those of the tracker say where it is sent."""
    return [o for o in without_credentials(cell["overrides"]) if not o.lstrip("+~").startswith("tracking")]


def title(experiment: Experiment, cell: Cell, run: Run | None) -> str:
    """What a cell is called in a list: its badge and what the sweep varied, or all that was overridden."""
    declared = experiment.body["axes"]
    varied = [o for o in overrides(cell) if o.partition("=")[0] in declared]
    varied = varied or ([] if declared else overrides(cell))
    if run and run.badge.applied:  # the badge says it already, and lists show some twenty characters
        varied = [o for o in varied if not o.startswith("neighbor_")]
    said = names.short(", ".join(names.short(_word(o), 60) for o in varied), 160)
    return f"{badge(run)} {said}".strip() if run else said or "defaults"


def _word(override: str) -> str:
    """An override in few words: the name of a component needs no group before it."""
    group, _, name = override.partition("=")
    if group not in GROUPS:
        return override
    return f"no {group}" if name == "none" else name


def badge(run: Run) -> str:
    """The badge; in brackets where the strategy has no neighbors, as everywhere else."""
    return run.badge.text if run.badge.applied else f"({run.badge.text})"


def swept(experiment: Experiment) -> list[str]:
    """What the sweep varied, as paths of the config."""
    return axes.varied(experiment.body["axes"], [_flat(r) for r in experiment.runs.values()])


def params(cell: Cell, run: Run | None, varied: Sequence[str]) -> dict[str, str]:
    """The config as `strategy`, `strategy.size`, …, the axes by short names; without a run the overrides."""
    asked = overrides(cell)
    if run is None:
        pairs = [o.lstrip("+~").partition("=") for o in asked]
        values: dict[str, Any] = {k: v for k, _, v in pairs}
        values |= axes.values(varied, asked, {})
    else:
        config = _flat(run)
        # Neighbors as they took effect: the config of a strategy without windows may say anything.
        effective = {
            "neighbor_prev": run.badge.prev,
            "neighbor_next": run.badge.following,
            axes.NEIGHBORS: badge(run),
        }
        values = {**axes.values(varied, asked, config), **config, "filter": run.config["filter"], **effective}
    return as_params({**values, axes.OVERRIDES: " ".join(asked)})


def _flat(run: Run) -> dict[str, Any]:
    """The flat config but for the filter, whose keys are the data's own."""
    return names.flat({k: v for k, v in run.config.items() if k != "filter"})


def as_params(values: Mapping[str, Any]) -> dict[str, str]:
    """Values as parameters, each short and legal; the whole of it is in the files."""
    return {names.key(k): names.short(names.text(v)) for k, v in values.items()}


def metrics(run: Run) -> dict[str, float]:
    """Every measure's mean, `std/` and `n/` beside it; counts of judging, enrichment; seconds of stages."""
    called = names.metrics(m["measure"] for m in run.measures)
    values: dict[str, Any] = {}
    for prefix, field in (
        ("", "mean"),
        ("std/", "std"),
        ("n/", "n"),
    ):  # a run's page lists them in this order
        values |= {prefix + called[m["measure"]]: m[field] for m in run.measures}
    seconds = run.meta["seconds"]
    values |= {f"judged/{k}": v for k, v in run.meta["judged"].items()}
    values |= {f"seconds/{k}": v for k, v in {**seconds, "total": sum(seconds.values())}.items()}
    values |= {f"enrichment/{k}": v for k, v in run.meta["enrichment"].items()}
    lost = run.meta.get("attribution", {"n": 0})
    values |= {f"attribution/{k}": v / lost["n"] for k, v in lost["stages"].items()} if lost["n"] else {}
    values["reranker/fallbacks"] = run.meta["fallbacks"]
    return {names.key(k): v for k, v in names.finite(values).items()}


def curves(run: Run) -> dict[str, dict[int, float]]:
    """Means over the questions by token budget, which is the step; nothing where gold has no spans."""
    try:
        rows = run.table("curve")
    except StoreError:
        return {}  # recorded before runs had one
    out: dict[str, dict[int, float]] = {}
    by_measure = rows.group_by("measure", maintain_order=True).agg(pl.col("value").mean())
    for measure, mean in names.finite(dict(by_measure.iter_rows())).items():
        budget = budget_of(measure)
        if budget is not None:
            out.setdefault(names.curve(measure), {})[budget] = mean
    return out


def tags(experiment: Experiment, cell: Cell, run: Run | None) -> dict[str, str]:
    """Which cell of which sweep this is, what became of it, and where its result comes from."""
    found: dict[str, Any] = {
        **identity(experiment, str(cell["num"])),
        "runner.status": cell["status"],
        "runner.stage": cell["stage"],
        "runner.reason": cell["reason"],
        "runner.same_as": cell["same_as"],
        "runner.not_applied": cell["not_applied"] or None,
        **(dict(_provenance(run)) if run else {}),
    }
    return as_tags(found)


def identity(experiment: Experiment, cell: str) -> dict[str, str]:
    """The two tags by which a delivered run is found again."""
    return {SWEEP: experiment.key, CELL: cell}


def as_tags(values: Mapping[str, Any]) -> dict[str, str]:
    """Values as tags; what is None has none."""
    said = {k: v for k, v in values.items() if v is not None}
    return {names.key(k): names.short(names.text(v), names.TAG) for k, v in said.items()}


def _provenance(run: Run) -> Iterator[tuple[str, Any]]:
    meta = run.meta
    environment = meta["environment"]
    yield "runner.run", run.key
    yield "runner.created", meta["created"]
    yield "runner.warnings", "\n".join(meta["warnings"]) or None
    yield from ((f"runner.fingerprint.{k}", v) for k, v in meta["fingerprints"].items())
    yield from ((f"runner.key.{k}", v) for k, v in names.flat(meta["keys"]).items())
    yield from ((f"runner.identity.{k}", v) for k, v in meta["identities"].items())
    yield "mlflow.source.git.commit", environment["code"]["commit"]
    yield "runner.code.dirty", environment["code"]["dirty"]
    yield "runner.packages", ", ".join(f"{k} {v}" for k, v in environment["packages"].items())
    yield from ((f"runner.{k}", environment[k]) for k in ("python", "platform", "processor", "cores"))


def dataset(run: Run) -> dict[str, Any]:
    """The data set of a run as MLflow describes one: name, digest of its fingerprints, source, profile."""
    counts = {k: v for k, v in run.meta["data"].items() if isinstance(v, int)}
    return {
        "name": run.config["dataset"]["name"],
        "digest": keys.digest(run.meta["fingerprints"])[:_DIGEST],
        "source_type": "runner",
        "source": keys.canonical(run.config["dataset"]),
        "profile": keys.canonical(
            {"num_rows": counts["documents"], **counts, "fingerprints": run.meta["fingerprints"]}
        ),
    }


def totals(experiment: Experiment) -> dict[str, float]:
    """The counters of the sweep, apart from the measures of its cells."""
    out = {
        "sweep/cells": len(experiment.cells),
        "sweep/cells_failed": sum(c["run"] is None for c in experiment.cells),
    }
    for cell in experiment.cells:
        for name, n in cell["counters"].items():
            out[f"sweep/{name}"] = out.get(f"sweep/{name}", 0) + n
    return names.finite(out)
