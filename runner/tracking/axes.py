"""The axes of a sweep as short parameters: `neighbors`, `size`, `bm25.depth`; the same name in every cell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from runner import keys
from runner.config import RunConfig

NEIGHBORS = "neighbors"
"""Holds the badge, which says both knobs as they took effect."""
OVERRIDES = "overrides"
_KNOBS = ("neighbor_prev", "neighbor_next")


def varied(axes: Mapping[str, Sequence[str]], configs: Sequence[Mapping[str, Any]]) -> list[str]:
    """The axes; one of whole mappings (`strategy={size:200,overlap:0}`) as what differs below it.

    Args:
        axes: the values of each, as overrides name them.
        configs: the flat config of every run.
    """
    out: dict[str, None] = {}
    for axis, taken in axes.items():
        if not any(value.startswith("{") for value in taken):
            out[axis] = None
            continue
        path = _path(axis)
        below = dict.fromkeys(k for c in configs for k in c if f"{k}.".startswith(f"{path}."))
        named = set(re.findall(r"[\w-]+", " ".join(taken)))  # the rest differs for another axis's sake
        differ = (k for k in below if len({keys.canonical(c.get(k)) for c in configs}) > 1)
        out |= {k: None for k in differ if k.rpartition(".")[2] in named}
    return list(out)


def short(axes: Iterable[str]) -> dict[str, str]:
    """By axis its parameter: the shortest ending of its path that nothing else is called.

    The config's own parameters start with a field of the config, so no shortened name may.
    """
    paths = {axis: _path(axis) for axis in axes}
    taken = {*RunConfig.model_fields, NEIGHBORS, OVERRIDES}
    out = {}
    for axis, path in paths.items():
        if path in _KNOBS:
            continue
        steps = path.split(".")
        endings = [".".join(steps[i:]) for i in range(len(steps) - 1, 0, -1)]
        others = [p for p in paths.values() if p != path]
        free = (
            e for e in endings
            if e.partition(".")[0] not in taken and not any(f".{p}".endswith(f".{e}") for p in others)
        )  # fmt: skip
        out[axis] = next(free, path)
    return out


def values(axes: Iterable[str], overrides: Sequence[str], config: Mapping[str, Any]) -> dict[str, Any]:
    """By parameter what a cell has of each axis: as it took effect, or else as it was asked for.

    Args:
        axes: as overrides name them.
        overrides: of the cell.
        config: its flat config; empty for a cell without a run.
    """
    asked = {_path(key): value for key, mark, value in (o.partition("=") for o in overrides) if mark}
    found = {name: _path(axis) for axis, name in short(axes).items()}
    return {n: config.get(p, asked.get(p)) for n, p in found.items() if p in config or p in asked}


def _path(axis: str) -> str:
    """The place in the config: `fusion.name` is what the parameter `fusion` says."""
    return axis.lstrip("+~").removesuffix(".name")
