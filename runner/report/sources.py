"""Where numbers come from: the pipeline of each set-up, and the digests and versions behind all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runner import keys
from runner.config import GROUPS
from runner.report import badge, numbers
from runner.report.caveats import model
from runner.report.setups import Setup

_VALUES = ("top_k", "neighbor_prev", "neighbor_next", "threshold", "filter", "split", "questions", "seed")
_COUNTED = {"stage", "component", "rows_in", "rows_out", "dropped"}
_DIGEST = 40
"""A string of at least so many hexadecimal digits is a digest, shown short."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One group or value of a config."""

    name: str
    value: str
    settings: list[tuple[str, str]]
    not_applied: str


@dataclass(frozen=True, slots=True)
class Stage:
    """A row of the stage table."""

    name: str
    component: str
    rows_in: int | None
    rows_out: int | None
    dropped: int | None
    seconds: float | None
    took: str
    facts: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Box:
    """A stage in the strip."""

    name: str
    component: str
    key: str
    """Of what it made, in full; empty: it is in the run's key."""
    counts: list[tuple[str, str]]
    took: str
    mark: str
    """`cached`, `part cached`, `made`, `off`; empty where nothing is kept."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """How one set-up came to its numbers."""

    setup: Setup
    badge: badge.Shown
    choices: list[Setting]
    boxes: list[Box]
    stages: list[Stage]
    model: str
    rest: list[tuple[str, str]]
    """Seconds of what has no rows: judging, checking, recording."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of the provenance: each distinct value, with the cells that have it."""

    name: str
    values: list[tuple[str, str, str]]
    """Shown, in full, whose."""


def pipeline(setup: Setup) -> Pipeline:
    """The pipeline of a set-up."""
    meta = setup.run.meta
    left: dict[str, float] = dict(meta["seconds"])
    stages = [_stage(s, left) for s in meta["stages"]]
    rest = [(name, numbers.duration(s)) for name, s in left.items() if s >= 0.00005]
    config = setup.run.config
    choices = [_choice(g, config[g], meta["not_applied"]) for g in (*GROUPS, *_VALUES) if g in config]
    shown = badge.badges([badge.setting(setup.run)])[0]
    return Pipeline(setup, shown, choices, _strip(setup, stages), stages, model(setup), rest)


_WORK = {
    "strategy": ("chunkings_built", "chunkings_reused"),
    "embedding": ("texts_embedded", "texts_reused"),
    "retrieval": ("searches_run", "searches_reused"),
    "reranker": ("pairs_scored", "pairs_reused"),
}
"""Counters of what a stage made, and of what it found in the store."""
_STRIP = ("strategy", "enrichment", "embedding", "retrieval", "fusion", "reranker", "cut", "expansion")


def _strip(setup: Setup, stages: Sequence[Stage]) -> list[Box]:
    """A box per stage in the order of the pipeline; one that is off stands there as well."""
    config, out = setup.run.config, []
    for name in _STRIP:
        mine = [s for s in stages if s.name.split(".")[0] == name]
        off = not mine or config.get(name, {}).get("name") == "none"
        if off:
            out.append(Box(name, "none", "", [], "", "off"))
            continue
        out += [_box(setup, name, s) for s in mine]
        if name == "retrieval":
            marks = (s for s in stages if s.name in {"filter", "threshold.similarity", "threshold.score"})
            out += [_box(setup, s.name, s) for s in marks]
    return out


def _box(setup: Setup, group: str, s: Stage) -> Box:
    keyed = {"strategy": "chunks", "enrichment": "enrichment", "embedding": "embedding"}
    found = setup.run.meta["keys"]
    key = (
        found["legs"].get(s.name.partition(".")[2], "")
        if group == "retrieval"
        else found.get(keyed.get(group, ""))
    )
    counts = [
        (n, f"{v:,}")
        for n, v in (("in", s.rows_in), ("out", s.rows_out), ("dropped", s.dropped))
        if v is not None
    ]
    made, reused = (setup.run.meta.get("work", {}).get(c, 0) for c in _WORK.get(group, ("", "")))
    mark = "part cached" if made and reused else "cached" if reused else "made" if made else ""
    return Box(s.name, s.component, key or "", counts, s.took, mark)


def _choice(name: str, found: object, not_applied: Mapping[str, str]) -> Setting:
    why = "; ".join(v for k, v in not_applied.items() if k.split(".")[0] == name)
    if not isinstance(found, dict):
        return Setting(name, _said(found), [], why)
    settings = [(k, _said(v)) for k, v in _leaves(found) if k != "name"]
    said = _said(found["name"]) if "name" in found else "" if settings else "none"
    return Setting(name, said, settings, why)


def _leaves(found: Mapping[str, Any], path: str = "") -> list[tuple[str, object]]:
    out: list[tuple[str, object]] = []
    for key, value in found.items():
        name = f"{path}{key}"
        out += _leaves(value, f"{name}.") if isinstance(value, dict) else [(name, value)]
    return out


def _said(value: object) -> str:
    """A setting in words; a digest short."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(_said, value)) or "(none)"
    return _short(str(value)) or "(empty)"


def _short(value: str) -> str:
    is_digest = len(value) >= _DIGEST and all(c in "0123456789abcdef" for c in value)
    return value[: numbers.SHORT] if is_digest else value


def _stage(said: Mapping[str, Any], left: dict[str, float]) -> Stage:
    # Legs are timed together, and marks with the formula of fusion: the first of them has the seconds.
    clock = str(said["stage"]).split(".")[0]
    seconds = left.pop("fusion" if clock in {"filter", "threshold"} else clock, None)
    return Stage(
        said["stage"],
        said["component"],
        said.get("rows_in"),
        said.get("rows_out"),
        said.get("dropped"),
        seconds,
        "" if seconds is None else numbers.duration(seconds),
        [(k, _said(v)) for k, v in said.items() if k not in _COUNTED],
    )


def provenance(setups: Sequence[Setup]) -> list[Fact]:
    """Keys, fingerprints and versions; a value that all cells share is said once."""
    by: dict[str, dict[str, list[int]]] = {}
    for setup in setups:
        for name, value in _facts(setup):
            by.setdefault(name, {}).setdefault(value, []).extend(setup.nums)
    everyone = sorted(n for s in setups for n in s.nums)
    return [
        Fact(name, [(_short(v), v, _whose(sorted(nums), everyone)) for v, nums in values.items()])
        for name, values in by.items()
    ]


def _whose(nums: Sequence[int], everyone: Sequence[int]) -> str:
    return "all runs" if nums == everyone and len(nums) > 1 else numbers.cells(nums)


def _facts(setup: Setup) -> list[tuple[str, str]]:
    meta = setup.run.meta
    environment, found = meta["environment"], meta["keys"]
    code = environment["code"]
    commit = code["commit"] or "an installed package"
    out = [("run key", setup.run.key)]
    out += [(f"{name} fingerprint", digest) for name, digest in meta["fingerprints"].items()]
    for name, value in found.items():
        out += (
            [(f"{name} key ({k})", v) for k, v in value.items()]
            if isinstance(value, dict)
            else [(f"{name} key", value or "none")]
        )
    mine = meta["identities"].get("plugins", {})
    out += [(f"plugin {name}", origin["digest"]) for name, origin in mine.items()]
    for name, value in meta["identities"].items():
        if name != "plugins":
            out.append((f"{name} identity", value if isinstance(value, str) else keys.digest(value)))
    out += [
        ("recorded", meta["created"]),
        ("record format", meta["format"]),
        ("code", commit),
        ("uncommitted changes", {None: "not known", True: "yes", False: "no"}[code["dirty"]]),
        ("python", environment["python"]),
        ("packages", ", ".join(f"{k} {v}" for k, v in environment["packages"].items())),
        ("machine", f"{environment['platform']}, {environment['processor']}, {environment['cores']} cores"),
    ]
    return out
