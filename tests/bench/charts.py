"""What a chart costs: milliseconds and bytes of each form at the sizes a report has.

Usage: python tests/bench/charts.py [--repeat 200]

The budget is one millisecond each, because a question page has one and a report has thousands of questions.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable

from runner.report.charts.bump import Candidate, bump
from runner.report.charts.curve import Series, curve
from runner.report.charts.interval import cell
from runner.report.charts.scatter import Point, scatter
from runner.report.charts.strip import strip
from runner.report.charts.waterfall import bar

STAGES = ["bm25", "vector", "fused", "reranked", "final"]


def points(n: int) -> list[Point]:
    rng = random.Random(7)
    made = []
    for i in range(n):
        value = rng.uniform(0.4, 0.9)
        made.append(
            Point(
                f"size={i} ±1/1",
                f"strategy {i % 4}",
                rng.uniform(300, 4000),
                value,
                value - 0.03,
                value + 0.03,
                i == 0,
            )
        )
    return made


def series(n: int) -> list[Series]:
    budgets = [250, 500, 1000, 1500, 2000, 3000, 4000, 8000]
    return [
        Series(f"run {i}", [(b, 0.6 + i / 50, 0.5 + i / 50, 0.7 + i / 50) for b in budgets]) for i in range(n)
    ]


def candidates(n: int) -> list[Candidate]:
    orders = [random.Random(s).sample(range(1, n + 1), n) for s in range(len(STAGES))]
    return [Candidate(f"doc{i}#0001", [o[i] for o in orders], gold=i < 2) for i in range(n)]


def differences(n: int) -> list[float]:
    rng = random.Random(7)
    return [rng.choice([0.0, 0.0, 1.0, -1.0, rng.uniform(-1, 1)]) for _ in range(n)]


def forms() -> dict[str, Callable[[], str]]:
    said = {"name": "a chart", "table": "below"}
    p12, p50, s6, c25 = points(12), points(50), series(6), candidates(25)
    d300, d1000 = differences(300), differences(1000)
    return {
        "scatter, 12 cells": lambda: scatter(p12, x_label="tokens", **said),
        "scatter, 50 cells": lambda: scatter(p50, x_label="tokens", **said),
        "curve, 6 runs x 8 budgets": lambda: curve(s6, x_label="tokens", **said),
        "bump, 25 candidates x 5 stages": lambda: bump(c25, STAGES, top_k=5, **said),
        "strip, 300 questions": lambda: strip(d300, **said),
        "strip, 1,000 questions": lambda: strip(d1000, **said),
        "interval cell": lambda: cell(0.01, -0.02, 0.04, most=0.05, kind="open", margin=0.01),
        "waterfall cell": lambda: bar(0.8, 0.6),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--repeat", type=int, default=200)
    repeat = parser.parse_args().repeat
    print(f"{'form':32}{'median ms':>11}{'worst ms':>10}{'bytes':>8}")
    for name, draw in forms().items():
        took = []
        for _ in range(repeat):
            start = time.perf_counter()
            drawn = draw()
            took.append((time.perf_counter() - start) * 1000)
        print(f"{name:32}{statistics.median(took):11.3f}{max(took):10.3f}{len(drawn.encode()):8,}")


if __name__ == "__main__":
    main()
