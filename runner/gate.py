"""The gate: does a recorded sweep come out as it should? Here: against expected packs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field

from runner import named, registry
from runner.config import Config
from runner.errors import RequestError, did_you_mean
from runner.runs import Experiment, Run

Verdict = Literal["OK", "close", "FAIL"]
Scalar = str | int | float | bool | None
LATEST = "latest"


class Line(Config):
    """One expected figure: the cell by config values, the measure, the value and who published it."""

    cell: dict[str, Scalar] = Field(default_factory=dict)
    """Config path -> value, for every path that tells the cell from its neighbors."""
    measure: str
    """A measure of the run, or `chunks`, the number of chunks."""
    expected: float
    tolerance: float = Field(ge=0)
    published: str = ""
    """The figure as printed; empty where none was, and `expected` is what public libraries gave."""
    source: str


class Pack(Config):
    """Expected figures of one experiment."""

    experiment: str
    about: str
    """What the figures are, and what of them cannot come out here; Markdown, for the page of all packs."""
    lines: list[Line] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Checked:
    """A line and what the candidate has for it."""

    line: Line
    run: str | None
    found: float | None
    verdict: Verdict
    seconds: float | None

    @property
    def difference(self) -> float | None:
        """What was found minus what was expected."""
        return None if self.found is None else self.found - self.line.expected


def packs(folder: Path) -> list[str]:
    """Names of the expected packs in `folder`."""
    return sorted(p.stem for p in folder.glob("*.yaml"))


def load_pack(name: str, folder: Path) -> Pack:
    """The pack `name`.

    Raises:
        RequestError: there is none of that name, or a line of it is wrong.
    """
    path = folder / f"{name}.yaml"
    if not path.is_file():
        raise RequestError(f"there is no expected pack '{name}'; {did_you_mean(name, packs(folder))}")
    return registry.validate(Pack, yaml.safe_load(path.read_text("utf-8")), f"{path.name}")


def check_pack(pack: Pack, runs: Iterable[Run]) -> list[Checked]:
    """Every line of `pack` against the runs; a line whose cell is in none of them fails."""
    known = list(runs)
    return [_checked(line, [r for r in known if _is_cell(r.config, line.cell)]) for line in pack.lines]


def _checked(line: Line, found: list[Run]) -> Checked:
    if len(found) > 1:
        names = ", ".join(r.short for r in found)
        raise RequestError(f"{line.cell} means several runs ({names}); the pack must tell them apart")
    value = _value(found[0], line.measure) if found else None
    seconds = sum(found[0].meta["seconds"].values()) if found else None
    return Checked(line, found[0].key if found else None, value, _verdict(line, value), seconds)


def _verdict(line: Line, value: float | None) -> Verdict:
    """OK within the tolerance, close within twice of it, else FAIL; rounding of the ends is forgiven."""
    if value is None:
        return "FAIL"
    off = abs(value - line.expected) - 1e-9
    return "OK" if off <= line.tolerance else "close" if off <= 2 * line.tolerance else "FAIL"


def _value(run: Run, measure: str) -> float | None:
    if measure == "chunks":
        return float(run.meta["chunking"]["chunks"])
    name, _, part = measure.partition(" ")
    row = next((m for m in run.measures if m["measure"] == name), None)
    return None if row is None else float(row[part or "mean"])


HEAD = ["verdict", "cell", "measure", "published", "expected", "ours", "difference", "seconds", "source"]
RIGHT = [3, 4, 5, 6, 7]
"""Columns of `HEAD` that hold numbers."""


def row(checked: Checked) -> list[str]:
    """A line for a person, in the columns of `HEAD`."""
    line, found, off = checked.line, checked.found, checked.difference
    whole = line.measure == "chunks"
    number, sign = ("{:,.0f}", "{:+z.0f}") if whole else ("{:.5f}", "{:+z.5f}")
    ours = ["not run", "–"] if found is None or off is None else [number.format(found), sign.format(off)]
    spent = "–" if checked.seconds is None else f"{checked.seconds:.1f}"
    told = [checked.verdict, cell(line), line.measure, line.published or "–", number.format(line.expected)]
    return [*told, *ours, spent, line.source]


def cell(line: Line) -> str:
    """The cell of a line in words, for instance `strategy=recursive size=800` or `bm25.k1=1.2 no vector`."""
    return " ".join(_knob(path, value) for path, value in line.cell.items()) or "the only one"


def _knob(path: str, value: Scalar) -> str:
    *above, last = path.split(".")
    if value is None:
        return f"no {last}"
    if last == "name":
        return f"{above[-1]}={value}"
    return f"{'.'.join([*above[1:], last][-2:])}={value}"


def body(checked: Checked) -> dict[str, Any]:
    """A line as a JSON value."""
    facts = {"run": checked.run, "found": checked.found, "difference": checked.difference}
    return {**checked.line.model_dump(), **facts, "verdict": checked.verdict, "seconds": checked.seconds}


def _is_cell(config: Mapping[str, Any], cell: Mapping[str, Scalar]) -> bool:
    return all(_at(config, path) == value for path, value in cell.items())


def _at(config: Mapping[str, Any], path: str) -> Any:
    node: Any = config
    for step in path.split("."):
        if not isinstance(node, Mapping) or step not in node:
            return None
        node = node[step]
    return node


@dataclass(frozen=True, slots=True)
class Outcome:
    """A pack and its lines, checked; no line where no sweep of its experiment is recorded."""

    name: str
    pack: Pack
    checked: list[Checked]

    def count(self, verdict: Verdict) -> int:
        """Lines with this verdict."""
        return sum(c.verdict == verdict for c in self.checked)


def outcome(name: str, folder: Path, outputs: Path, ref: str = LATEST) -> Outcome:
    """The pack `name` of `folder` against what `ref` means in `outputs`; see `candidates`."""
    pack = load_pack(name, folder)
    return Outcome(name, pack, check_pack(pack, candidates(outputs, ref, pack.experiment)))


def outcomes(folder: Path, outputs: Path) -> list[Outcome]:
    """Every pack of `folder` against the newest sweep of its experiment.

    Raises:
        RequestError: none of them is recorded.
    """
    out = []
    for name in packs(folder):
        pack = load_pack(name, folder)
        found = _newest(outputs, pack.experiment)
        out.append(Outcome(name, pack, [] if found is None else check_pack(pack, _runs(found))))
    if not any(o.checked for o in out):
        raise RequestError(
            f"no sweep of an expected pack is recorded in {outputs}; one is made by: "
            f"python -m runner experiment={out[0].pack.experiment}"
        )
    return out


def candidates(outputs: Path, ref: str, experiment: str) -> list[Run]:
    """The runs that `ref` means: `latest`, the newest sweep of `experiment`; an experiment; or a run.

    Raises:
        RequestError: nothing of that name is recorded.
    """
    if ref == LATEST:
        found = _newest(outputs, experiment)
        if found is None:
            raise RequestError(
                f"no sweep of {experiment} is recorded: python -m runner experiment={experiment}"
            )
        return _runs(found)
    try:
        return _runs(named.open_experiment(outputs, ref))
    except RequestError:
        return [named.open_run(outputs, ref)]


def _newest(outputs: Path, experiment: str) -> Experiment | None:
    made = (Experiment(outputs, k) for k in named.experiment_keys(outputs))
    return next((e for e in made if e.name == experiment), None)


def _runs(experiment: Experiment) -> list[Run]:
    """Its runs, each once."""
    return list({r.key: r for r in experiment.runs.values()}.values())
