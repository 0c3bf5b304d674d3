"""The verbs that read or deliver what is recorded: ls, show, verify, report, track, ui."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from runner import keys, named, runs
from runner.config import GROUPS, Report
from runner.errors import EXIT_FAILED, EXIT_OK, RequestError, StoreError
from runner.store import Store, check
from runner.text import grid, seconds
from runner.verbs.arguments import Answer, at_most, outputs_of, parsed

T = TypeVar("T")


def ls(words: Sequence[str]) -> Answer:
    """Experiments and runs, newest first."""
    plain, given = parsed(words)
    at_most(0, plain, "ls")
    outputs = outputs_of(given)
    damaged: list[str] = []
    experiments = _whole(runs.Experiment, outputs, named.experiment_keys(outputs), damaged)
    found = _whole(runs.Run, outputs, named.run_keys(outputs), damaged)
    first = [
        {"experiment": e.key, "name": e.name, "created": e.body["created"], "cells": len(e.cells),
         "failed": sum(c["run"] is None for c in e.cells)}
        for e in experiments
    ]  # fmt: skip
    asked = {c["run"]: c["overrides"] for e in reversed(experiments) for c in e.cells if c["run"]}
    second = [
        {"run": r.key, "created": r.meta["created"], "dataset": r.data,
         "strategy": r.config["strategy"]["name"], "badge": r.badge.text,
         "retrieval": r.config["retrieval"]["name"], "overrides": asked.get(r.key, []),
         "measures": {m["measure"]: m["mean"] for m in r.measures}}
        for r in found
    ]  # fmt: skip
    if not found and not experiments and not damaged:
        return Answer(
            f"nothing is recorded in {outputs} yet; start a run: python -m runner",
            {"experiments": [], "runs": [], "damaged": []},
        )
    head = ["experiment", "name", "created", "cells", "failed"]
    rows = [
        [e["experiment"][: keys.SHORT], e["name"], e["created"], str(e["cells"]), str(e["failed"])]
        for e in first
    ]
    text = grid(head, rows, [3, 4])
    head = ["run", "created", "dataset", "strategy", "badge", "retrieval", "first measure", "overrides"]
    rows = [
        [
            r["run"][: keys.SHORT],
            *(r[c] for c in head[1:6]),
            next((f"{k} {v:.4f}" for k, v in r["measures"].items()), "–"),
            " ".join(r["overrides"]),
        ]
        for r in second
    ]
    text = "\n\n".join([text, grid(head, rows), *(f"damaged: {d}" for d in damaged)])
    return Answer(text, {"experiments": first, "runs": second, "damaged": damaged})


def _whole(
    read: Callable[[Path, str], T], outputs: Path, found: Sequence[str], damaged: list[str]
) -> list[T]:
    """What can be read of the folders with the keys `found`; the others are noted in `damaged`."""
    out = []
    for key in found:
        try:
            out.append(read(outputs, key))
        except StoreError as e:
            damaged.append(str(e))
    return out


def show(words: Sequence[str]) -> Answer:
    """One run: what it was, its stages, measures, warnings."""
    plain, given = parsed(words)
    at_most(1, plain, "show")
    outputs = outputs_of(given)
    run = named.open_run(outputs, plain[0] if plain else "latest")
    meta = run.meta
    groups = [g for g in GROUPS if g != "metrics"]
    off = {g: f"  (not applied: {why})" for g, why in meta["not_applied"].items()}
    about = [[g, run.config[g]["name"] + off.get(g, "")] for g in groups]
    about += [["neighbors", f"{run.badge.text}  ({run.badge.tooltip})"], ["top_k", str(run.config["top_k"])]]
    stages = [
        [s["stage"], s["component"], *(str(s.get(c, "")) for c in ("rows_in", "rows_out", "dropped"))]
        for s in meta["stages"]
    ]
    measured = [[m["measure"], f"{m['mean']:.4f}", f"{m['std']:.4f}", str(m["n"])] for m in run.measures]
    times = ", ".join(f"{k} {seconds(v)}" for k, v in meta["seconds"].items() if v >= 0.05)
    text = "\n\n".join(
        [
            f"run {run.key}\n{run.path}",
            grid(["group", "choice"], about),
            grid(["stage", "component", "in", "out", "dropped"], stages, [2, 3, 4]),
            grid(["measure", "mean", "std", "n"], measured, [1, 2, 3]),
            *_rolled_up(meta["enrichment"]),
            f"seconds: {times or 'none above 0.05'}",
            *(f"warning: {w}" for w in meta["warnings"]),
        ]
    )
    return Answer(text, meta)


def _rolled_up(enrichment: Mapping[str, Any]) -> list[str]:
    """What enrichment came to, as a table; none where it is off."""
    rows = [[k, "not counted" if v is None else str(v)] for k, v in enrichment.items()]
    return [grid(["headers", ""], rows, [1])] if rows else []


def verify(words: Sequence[str]) -> Answer:
    """Compare every stored file with its digest.

    With a run: compute it again in an empty store and compare bytes.
    """
    plain, given = parsed(words)
    at_most(1, plain, "verify")
    outputs = outputs_of(given)
    if plain:
        from runner.verbs.recompute import compare

        differences = compare(named.open_run(outputs, plain[0]))
        bad = [d for d in differences if not d["equal"]]
        rows = [[d["file"], "equal" if d["equal"] else "DIFFERS", d["detail"]] for d in differences]
        return Answer(
            grid(["file", "bytes are", "detail"], rows), differences, EXIT_FAILED if bad else EXIT_OK
        )
    if not outputs.is_dir():
        raise RequestError(f"--outputs: there is no folder '{outputs}'")
    folders = [path for _, _, path in Store(outputs / "store").artifacts()]
    folders += [outputs / "runs" / k for k in named.run_keys(outputs)]
    problems = []
    for folder in folders:
        try:
            check(folder)
        except StoreError as e:
            problems.append(str(e))
    experiments = named.experiment_keys(outputs)
    for experiment in _whole(runs.Experiment, outputs, experiments, problems):
        known = {c["run"] for c in experiment.cells if c["run"]}
        gone = sorted(k for k in known if not (outputs / "runs" / k).is_dir())
        problems += [f"{experiment.path}: its run {k[: keys.SHORT]} is gone" for k in gone]
    folders += [outputs / "experiments" / k for k in experiments]
    lines = [*problems, f"{len(folders)} folders checked, {len(problems)} damaged"]
    if problems:
        lines.append("a damaged artifact or run is set aside and rebuilt by the next sweep that needs it")
    value = {"checked": len(folders), "damaged": problems}
    return Answer("\n".join(lines), value, EXIT_FAILED if problems else EXIT_OK)


def report(words: Sequence[str]) -> Answer:
    """Write the pages of an experiment again; with --single-file one file to send on."""
    from runner.report import site

    plain, given = parsed(words, ["--single-file"], ["--reports"])
    at_most(1, plain, "report")
    outputs = outputs_of(given)
    experiment = named.open_experiment(outputs, plain[0] if plain else "latest")
    reports, shown = Path(str(given.get("--reports", outputs.parent / "reports"))), Report().questions
    if "--single-file" in given:
        pages = {"report": site.single(experiment, reports, questions=shown)}
    else:
        pages = site.render(experiment, reports, questions=shown)
    lines = [f"{what}: {where}" for what, where in pages.items()]
    return Answer("\n".join(lines), {what: str(where) for what, where in pages.items()})


def track(words: Sequence[str]) -> Answer:
    """Deliver an experiment, or with --pending all that are not delivered, where their sweeps wanted it."""
    from runner import tracking

    plain, given = parsed(words, ["--pending"])
    at_most(0 if "--pending" in given else 1, plain, "track")
    outputs = outputs_of(given)
    if "--pending" in given:
        known = [runs.Experiment(outputs, k) for k in reversed(named.experiment_keys(outputs))]
        chosen = [e for e in known if tracking.pending(e, tracking.asked(e))]
    else:
        chosen = [named.open_experiment(outputs, plain[0] if plain else "latest")]
    lines = [tracking.deliver(e, tracking.asked(e)) for e in chosen]
    failed = any(tracking.pending(e, tracking.asked(e)) for e in chosen)
    return Answer("\n".join(lines) or "nothing is pending", lines, EXIT_FAILED if failed else EXIT_OK)


def ui(words: Sequence[str]) -> Answer:
    """Start the MLflow UI on the store of `outputs`; returns when it is stopped."""
    from runner import tracking

    plain, given = parsed(words, ["--print"])
    at_most(0, plain, "ui")
    outputs = outputs_of(given)
    command = tracking.ui_command(outputs)
    if "--print" in given:
        return Answer(" ".join(command), command)
    return Answer("", None, tracking.open_ui(outputs))
