"""Calibration: how often tests, intervals, winners and needed queries are right, on real scores.

Usage: python tests/bench/calibration.py [RUN_FOLDERS …] [--trials 2000] [--seed 1]

RUN_FOLDERS hold run folders (`outputs/runs`); without any, twelve SciFact runs that lie beside the tests are
used. The targets are those of the statistics' promise; a share of 2,000 trials has a standard error of 0.5
points at 5 %.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).parent.parent))
import simulation as sim


def pool_of(folders: list[Path]) -> sim.Pool:
    """The scores of all finished runs below the folders, by data set and measure; measures in [0, 1] only."""
    found: dict[str, list[sim.Floats]] = {}
    for path in sorted(p for folder in folders for p in folder.glob("*/measures.parquet")):
        run = json.loads((path.parent / "run.json").read_text("utf-8"))
        table = pl.read_parquet(path).sort("query_id")
        for (measure,), part in table.group_by("measure", maintain_order=True):
            scores = part["value"].to_numpy()
            if np.isfinite(scores).all() and scores.min() >= 0 and scores.max() <= 1:
                found.setdefault(f"{run['config']['dataset']['name']} {measure}", []).append(scores)
    return {name: np.stack(runs, 1) for name, runs in found.items() if len(runs) > 1}


def line(what: str, value: float, target: str, more: str = "") -> None:
    print(f"{what:<66} {value:>7.3f}   {target:<12} {more}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    pool = pool_of(args.folders) if args.folders else sim.fixture()
    draw, trials, start = np.random.default_rng(args.seed), args.trials, time.perf_counter()
    runs = sum(v.shape[1] for v in pool.values())
    print(f"{len(pool)} data sets and measures, {runs} columns of scores, {trials} trials each\n")
    for family in (1, 10):
        for how in (sim.aa_swapped, sim.aa_tilted):
            for n in (50, 100, 300):
                share = sim.false_alarms(how, pool, n, family, trials, draw)
                line(f"false alarms, family of {family}, {how.__name__}, {n} queries", share, "<= 0.05")
    share = sim.clustered_false_alarms(pool, 300, trials, draw, clustered=True)
    line("false alarms, clusters of 1 to 5, 300 queries", share, "<= 0.05")
    share = sim.clustered_false_alarms(pool, 300, trials, draw, clustered=False)
    line("  the same, clusters not told", share, "(shown)")
    for n in (50, 100, 300):
        line(f"95 % intervals cover, {n} queries", sim.covered(pool, n, trials, draw), "0.93-0.97")
    sparse = {k: v for k, v in pool.items() if _sparse(v, 100)}
    if sparse:
        share = sim.covered(sparse, 100, trials, draw, sparse=True)
        line("  the same, 100 queries, fewer than 10 of them differ", share, "(shown)")
    pairs = max(1, trials // 50)
    power = np.array(sim.powers(pool, pairs, trials, draw))
    spread = f"n {power[:, 0].min():.0f} to {power[:, 0].max():.0f}; {len(power)} contrasts x {trials}"
    line("power at the queries said to be needed, mean", power[:, 1].mean(), "0.76-0.84", spread)
    inside = np.mean((power[:, 1] >= 0.76) & (power[:, 1] <= 0.84))
    low, high = np.quantile(power[:, 1], [0.05, 0.95])
    line("  of them between 0.76 and 0.84", inside, "(shown)", f"5 % to 95 %: {low:.3f} to {high:.3f}")
    tries = [sim.naming(pool, int(draw.choice([50, 100, 300])), draw) for _ in range(trials)]
    named = [t for t in tries if t.named]
    line("a named winner is the best", np.mean([t.right for t in named]), ">= 0.95", f"{len(named)} named")
    near = [t.right for t in named if t.gap < 0.5]
    line("  of those less than half a standard error ahead", np.mean(near or [0]), "(shown)", f"{len(near)}")
    line("the set that cannot be told apart holds the best", np.mean([t.held for t in tries]), ">= 0.95")
    print(f"\n{time.perf_counter() - start:.0f} s")


def _sparse(scores: sim.Floats, n: int) -> bool:
    """Whether some pair of runs differs, but on fewer than ten of n queries."""
    apart = [(scores[:, [i]] != scores[:, :i]).mean(0) for i in range(1, scores.shape[1])]
    shares = np.concatenate(apart)
    return bool(((shares > 0) & (shares * n < 10)).any())


if __name__ == "__main__":
    main()
