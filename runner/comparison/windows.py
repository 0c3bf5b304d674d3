"""The surface of neighbor windows: what each buys against the smallest, and what that costs in tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from runner.comparison.comparability import KNOBS
from runner.comparison.paired import Paired, paired
from runner.comparison.scores import Scores

Rest = tuple[tuple[str, str], ...]
"""The other axes and their values."""


def surfaces(
    found: Scores,
    cells: Sequence[Mapping[str, str]],
    measures: Sequence[str],
    rows: Sequence[Paired],
    margin: float,
) -> list[dict[str, Any]]:
    """One surface per measure and combination of the other axes, in the order of the cells.

    A surface lists its windows; each but the smallest (`base`) has its difference to that one with interval,
    and the `yield`: what of the measure 1,000 added tokens bought; None at a budget, which adds none. Where
    the smallest is the baseline of `rows` the difference is the one recorded there; elsewhere a surface is
    one family of Holm's correction.
    """
    groups: dict[Rest, list[int]] = {}
    for place, cell in enumerate(cells):
        rest = tuple((a, v) for a, v in cell.items() if a not in KNOBS)
        groups.setdefault(rest, []).append(place)
    several = {rest: mine for rest, mine in groups.items() if len({_window(found, i) for i in mine}) > 1}
    return [
        _surface(found, rest, mine, measure, rows, margin)
        for rest, mine in several.items()
        for measure in measures
    ]


def _surface(
    found: Scores, rest: Rest, mine: list[int], measure: str, rows: Sequence[Paired], margin: float
) -> dict[str, Any]:
    mine = sorted(mine, key=lambda i: (sum(_window(found, i)), _window(found, i)))
    base = found.runs[mine[0]].key
    told = {r.candidate: r for r in rows if (r.baseline, r.measure) == (base, measure)}
    if not all(found.runs[i].key in told for i in mine[1:]):
        column = found.measures.index(measure)
        alone = replace(found, measures=(measure,), values=found.values[:, :, [column]])
        told = {r.candidate: r for r in paired(alone, [(i, mine[0]) for i in mine[1:]], margin)}
    tokens = found.tokens.mean(axis=0)
    means = np.nanmean(found.of(measure), axis=0)
    windows = []
    for i in mine:
        prev, following = _window(found, i)
        added = float(tokens[i] - tokens[mine[0]])
        said: dict[str, Any] = {"prev": prev, "next": following, "run": found.runs[i].key,
                                "mean": float(means[i]), "tokens": float(tokens[i])}  # fmt: skip
        row = told.get(found.runs[i].key) if i != mine[0] else None
        if row is not None:
            said |= {
                f: getattr(row, f) for f in ("difference", "low", "high", "level", "verdict", "constructed")
            }
            said["yield"] = 1000 * row.difference / added if added > 0 and row.budget is None else None
        windows.append(said)
    label = " ".join(f"{a}={v}" for a, v in rest)
    return {"rest": label, "measure": measure, "base": list(_window(found, mine[0])), "windows": windows}


def _window(found: Scores, place: int) -> tuple[int, int]:
    badge = found.runs[place].badge
    return badge.prev, badge.following
