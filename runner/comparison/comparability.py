"""Comparability: what differs between runs, how much that matters, and what is equal by construction."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from runner.runs import Run

Level = Literal["blocks", "warns", "declared"]
_VERSIONS = "versions of the measures"
KNOBS = ("neighbor_prev", "neighbor_next")


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not the same in all runs."""

    what: str
    level: Level
    values: tuple[str, ...]
    """By run."""


def differences(runs: Sequence[Run], axes: Collection[str] = ()) -> list[Difference]:
    """What differs between `runs`, blocking differences first.

    `blocks`: data or gold, the unit of rank measures. `warns`: what a reader could mistake for one set-up. An
    axis that the sweep declared is `declared`, but neighbor expansion and embedding model always warn: an
    intended comparison must not be read as identical set-ups either.
    """
    found = [facts(run) for run in runs]
    out = []
    for same in zip(*found, strict=True):
        what, level, field, _ = same[0]
        values = tuple(f[3] for f in same)
        if _differ(what, values):
            declared = bool(field) and any(a == field or a.startswith(f"{field}.") for a in axes)
            out.append(Difference(what, "declared" if declared else level, values))
    order = ("blocks", "warns", "declared")
    return sorted(out, key=lambda d: order.index(d.level))


def _differ(what: str, values: Sequence[str]) -> bool:
    """Whether a fact differs; of the versions of measures only those that two runs share must agree."""
    if what != _VERSIONS:
        return len(set(values)) > 1
    shared: dict[str, set[str]] = {}
    for part in (p for v in values for p in v.split(", ") if "=" in p):
        family, _, version = part.partition("=")
        shared.setdefault(family, set()).add(version)
    return any(len(versions) > 1 for versions in shared.values())


def facts(run: Run) -> list[tuple[str, Level, str, str]]:
    """What of a run matters to a comparison: name, level, field of the config if it has one, value."""
    meta, config = run.meta, run.config
    prints = meta["fingerprints"]
    found: list[tuple[str, Level, str, Any]] = [
        ("data set", "blocks", "", prints["documents"][:12]),
        ("questions", "blocks", "", prints["queries"][:12]),
        ("gold", "blocks", "", prints["judgments"][:12]),
        (_VERSIONS, "blocks", "", _said(meta.get("families", {}))),
        ("unit of rank measures", "blocks", "", meta["judged"].get("unit")),
        ("Neighbor Expansion", "warns", "", run.badge.text),
        ("Embedding Model", "warns", "", model(run)),
        ("tokenizer", "warns", "tokenizer", config["tokenizer"]["name"]),
        ("strategy", "warns", "strategy", _said(config["strategy"])),
        ("enrichment", "warns", "enrichment", _said(config["enrichment"])),
        ("retrieval", "warns", "retrieval", _said(config["retrieval"]["legs"])),
        ("fusion", "warns", "fusion", _said(config["fusion"])),
        ("reranker", "warns", "reranker", _said(config["reranker"])),
        ("top_k", "warns", "top_k", config["top_k"]),
        ("threshold", "warns", "threshold", _said(config["threshold"])),
        ("filter", "warns", "filter", _said(config["filter"])),
        ("truncated chunks", "warns", "", run.stage("embedding").get("truncated", 0) > 0),
        ("reranker fallbacks", "warns", "", meta["fallbacks"]),
        ("hardware", "warns", "", meta["environment"]["processor"]),
    ]
    return [(what, level, field, str(value)) for what, level, field, value in found]


def by_construction(a: Run, b: Run, measure: str) -> str:
    """Why the difference of `a` to `b` in `measure` is decided by the configs alone; empty if it is not.

    Two runs that differ in the neighbor knobs only have the same hits: what is measured on hits is equal, and
    the expanded recall of the one with the wider windows cannot be lower.
    """
    if without_knobs(a) != without_knobs(b) or a.badge.text == b.badge.text:
        return ""
    if measure.endswith("t") and "@" in measure:
        return ""  # at a budget, neighbors displace hits
    if not measure.endswith("+"):
        return "same hits: expansion leaves ranks alone"
    mine, other = ((r.badge.prev, r.badge.following) for r in (a, b))
    if measure.startswith("SpanR") and all(x >= y for x, y in zip(mine, other, strict=True)):
        return "expansion only adds"
    if measure.startswith("SpanR") and all(x <= y for x, y in zip(mine, other, strict=True)):
        return "a narrower window only takes away"
    return ""


def without_knobs(run: Run) -> tuple[Any, ...]:
    """What two runs share that have the same hits: their data, and their configs but for the neighbors."""
    config = {k: v for k, v in run.config.items() if k not in (*KNOBS, "metrics")}
    return (config, run.meta["fingerprints"])


def model(run: Run) -> str:
    """The embedding model by name and identity; `none` where no leg reads vectors."""
    name = run.config["embedding"]["name"]
    key = run.meta["keys"].get("model")
    return f"{name} {key[:8]}" if key else "none"


def _said(value: Any) -> str:
    if not isinstance(value, dict):
        return str(value)
    return (
        ", ".join(f"{k}={_said(v) if isinstance(v, dict) else v}" for k, v in sorted(value.items())) or "none"
    )
