"""Which run or experiment a person means: a key or its beginning, a name, an MLflow run id, `latest`."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from runner import keys
from runner.errors import RequestError, StoreError, did_you_mean
from runner.runs import Experiment, Run
from runner.store import MANIFEST

log = logging.getLogger(__name__)

_MLFLOW_ID = 32
"""Characters of an MLflow run id; a run's own key has 64."""


def run_keys(outputs: Path) -> list[str]:
    """Keys of all whole runs, newest first."""
    found = [p.parent for p in (outputs / "runs").glob(f"[!.]*/{MANIFEST}")]
    return [p.name for p in sorted(found, key=lambda p: (-(p / MANIFEST).stat().st_mtime_ns, p.name))]


def experiment_keys(outputs: Path) -> list[str]:
    """Keys of all experiments, newest first."""
    found = list((outputs / "experiments").glob("*/experiment.json"))
    return [p.parent.name for p in sorted(found, key=lambda p: (-p.stat().st_mtime_ns, p.parent.name))]


def resolve(ref: str, known: Sequence[str], what: str, where: Path | str) -> str:
    """The one key of `known` (newest first, those of `where`) that `ref` means: `latest`, or a prefix of it.

    Raises:
        RequestError: none or several.
    """
    if not known:
        raise RequestError(f"there is no {what} in {where} yet; start one: python -m runner")
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
    """The run that `ref` (key prefix, MLflow run id or `latest`) names.

    The latest is the one that was asked for last, whether it was computed or found.
    """
    known = run_keys(outputs)
    if ref == "latest" and known:
        return Run(outputs, _asked_last(outputs, known[0]))
    return Run(outputs, _delivered(outputs, ref) or resolve(ref, known, "run", outputs))


def _asked_last(outputs: Path, newest: str) -> str:
    """The last run of the newest sweep; the `newest` run, where it was made after that was recorded."""
    experiment = next(_experiments(outputs), None)
    asked = [str(c["run"]) for c in experiment.cells if c["run"]] if experiment else []
    if experiment is None or not asked:
        return newest
    made = (outputs / "runs" / newest / MANIFEST).stat().st_mtime_ns
    return asked[-1] if (experiment.path / "experiment.json").stat().st_mtime_ns >= made else newest


def _experiments(outputs: Path) -> Iterator[Experiment]:
    """All experiments, newest first; a damaged one is named and passed over."""
    for key in experiment_keys(outputs):
        try:
            yield Experiment(outputs, key)
        except StoreError as e:
            log.warning("%s", e)


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
    if ref in known:
        return Experiment(outputs, ref)
    named = next((e for e in _experiments(outputs) if e.name == ref), None)
    return named or Experiment(outputs, resolve(ref, known, "experiment", outputs))
