"""Standing: who is first, which questions flip, what each axis does, and what quality costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from runner.comparison.scores import Scores
from runner.runs import Run
from runner.statistics.effects import interactions, main_effects
from runner.statistics.winner import winner

SEARCH = ("retrieval", "fusion", "reranker", "cut", "expansion")
"""The stages that a question waits for."""


def first(found: Scores, measure: str) -> dict[str, Any]:
    """Which run is first in `measure`, in which share of the resamples; named only when it stands alone."""
    said = winner(found.of(measure), found.seed, found.clusters)
    return {
        "measure": measure,
        "n": said.n,
        "shares": {r.key: s for r, s in zip(found.runs, said.shares, strict=True)},
        "named": None if said.named is None else found.runs[said.named].key,
        "together": [found.runs[i].key for i in said.together],
    }


def effects(found: Scores, cells: Sequence[Mapping[str, str]], measure: str, margin: float) -> dict[str, Any]:
    """The average paired effect of each axis value against the first, and which pairs of axes interact."""
    if not cells or not cells[0] or len({tuple(c.items()) for c in cells}) < len(cells):
        return {"main": [], "interactions": []}
    varied = [a for a in cells[0] if len({c.get(a) for c in cells}) > 1]
    grid = [{a: c[a] for a in varied} for c in cells]
    if not varied:
        return {"main": [], "interactions": []}
    main = main_effects(grid, found.of(measure), grid[0], found.seed, margin=margin, clusters=found.clusters)
    pairs = (
        interactions(grid, found.of(measure), grid[0], found.seed, clusters=found.clusters)
        if len(varied) > 1
        else []
    )
    return {
        "main": [
            {
                "axis": e.axis,
                "value": e.value,
                "reference": e.reference,
                **({} if e.contrast is None else {
                    "difference": e.contrast.mean,
                    "interval": e.contrast.interval,
                    "level": e.contrast.level,
                    "p_corrected": e.contrast.p_corrected,
                    "verdict": e.contrast.verdict,
                }),
            }
            for e in main
        ],
        "interactions": [
            {"axes": list(i.axes), "size": i.size, "most": list(i.most), "amount": i.amount,
             "p_corrected": i.p_corrected}
            for i in pairs
        ],
    }  # fmt: skip


def front(found: Scores, measure: str) -> list[dict[str, Any]]:
    """Quality and costs of every run; on the front no other is as good in all of them and better in one.

    Costs are the tokens of a question's context; milliseconds of its search and money where every run knows.
    """
    queries = max(1, len(found.queries))
    quality = np.nanmean(found.of(measure), axis=0)
    costs: dict[str, list[float | None]] = {
        "tokens": found.tokens.mean(axis=0).tolist(),
        # None: hits or scores came from the store, so the seconds are not those of a search.
        "milliseconds": [_seconds(r) * 1000 / queries if searched(r) else None for r in found.runs],
        "money": [_money(r) for r in found.runs],
    }
    known = {name: np.array(c, np.float64) for name, c in costs.items() if None not in c}
    goods = np.stack([quality, *(-c for c in known.values())], axis=1)
    return [
        {
            "run": run.key,
            "measure": measure,
            "mean": float(quality[i]),
            **{name: c[i] for name, c in costs.items()},
            "over": [measure, *known],
            "front": not _beaten(goods, i),
        }
        for i, run in enumerate(found.runs)
    ]


def _beaten(goods: npt.NDArray[np.float64], i: int) -> bool:
    as_good = (goods >= goods[i]).all(axis=1)
    return bool((as_good & (goods > goods[i]).any(axis=1)).any())


def searched(run: Run) -> bool:
    """Whether a run did all of its search itself; else its seconds say little. Unknown of old runs: False."""
    work: dict[str, int] = run.meta.get("work", {})
    reused = work.get("searches_reused", 0) + work.get("pairs_reused", 0)
    return work.get("searches_run", 0) > 0 and not reused


def _seconds(run: Run) -> float:
    spent: dict[str, float] = run.meta["seconds"]
    return sum(spent.get(s, 0.0) for s in SEARCH)


def _money(run: Run) -> float | None:
    costs = [s["cost"] for s in run.meta["stages"] if "cost" in s]
    return float(sum(costs)) if costs else None
