"""Speed of comparing 50 runs x 1,000 queries x 10 measures: all against a baseline, then all pairs.

Usage: python tests/bench/compare_speed.py [--runs 50] [--queries 1000] [--measures 10]

The scores are seeded and rounded, with a tenth of the values missing in one measure. The target is under 10 s
for all runs against the baseline, with tests, corrected p, intervals, verdicts, queries needed and winners.
"""

from __future__ import annotations

import argparse
import time
from itertools import combinations

import numpy as np
import numpy.typing as npt

from runner.statistics.contrasts import contrasts
from runner.statistics.draws import seed_of
from runner.statistics.winner import winner

Floats = npt.NDArray[np.float64]


def made(runs: int, queries: int, measures: int) -> Floats:
    """Scores in [0, 1], shape (queries, runs, measures)."""
    draw = np.random.default_rng(7)
    hard = draw.beta(2, 1, (queries, 1, measures))
    moved = hard + draw.normal(0, 0.15, (queries, runs, measures)) + draw.normal(0, 0.01, (1, runs, measures))
    scores = np.round(np.clip(moved, 0, 1), 3)
    scores[draw.random(queries) < 0.1, :, 0] = np.nan
    return scores


def timed(scores: Floats, pairs: list[tuple[int, int]]) -> tuple[float, int]:
    """Seconds, and how many comparisons are decided."""
    seed, measures = seed_of("compare_speed"), scores.shape[2]
    start = time.perf_counter()
    columns = [scores[:, a] - scores[:, b] for a, b in pairs]
    families = np.tile(np.arange(measures), len(pairs))
    done = contrasts(np.concatenate(columns, axis=1), seed, families=families, margins=0.01)
    for measure in range(measures):
        winner(scores[:, :, measure], seed)
    return time.perf_counter() - start, sum(c.verdict != "undecided" for c in done)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--measures", type=int, default=10)
    args = parser.parse_args()
    scores = made(args.runs, args.queries, args.measures)
    against = [(i, 0) for i in range(1, args.runs)]
    for what, pairs in (
        ("against a baseline", against),
        ("all pairs", list(combinations(range(args.runs), 2))),
    ):
        seconds, decided = timed(scores, pairs)
        count = len(pairs) * args.measures
        print(f"{what:<20} {count:>6} comparisons, {decided:>6} decided, {seconds:6.2f} s", flush=True)


if __name__ == "__main__":
    main()
