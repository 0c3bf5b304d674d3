"""Choosing: which run is best in a measure within a budget of tokens, and who goes on in a halving."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runner.comparison.scores import Scores
from runner.errors import RequestError, did_you_mean
from runner.measure_names import is_cost

FEWEST = 16
"""Questions of the first round of a halving, at least."""


@dataclass(frozen=True, slots=True)
class Place:
    """A run in the order of preference."""

    run: str
    mean: float
    tokens: float
    """Of its context, a question on average."""
    within: bool
    """Whether that is within the budget."""


def places(found: Scores, measure: str, budget: int | None) -> list[Place]:
    """The runs, best first: those within the budget, by mean, then by fewer tokens, then as they were given.

    Raises:
        RequestError: the runs do not have the measure, or it is a cost.
    """
    may_choose(found.measures, measure)
    means, tokens = np.nanmean(found.of(measure), axis=0), found.tokens.mean(axis=0)
    out = [
        Place(run.key, float(means[i]), float(tokens[i]), budget is None or bool(tokens[i] <= budget))
        for i, run in enumerate(found.runs)
    ]
    return sorted(out, key=lambda p: (not p.within, -p.mean, p.tokens))


def may_choose(measures: Sequence[str], measure: str) -> None:
    """Raise RequestError where `measure` is none of `measures`, or a cost: the dearest is no choice."""
    if is_cost(measure):
        raise RequestError(f"--measure: {measure} is a cost; choose by quality, and limit it with --budget")
    must_have(measures, measure)


def must_have(measures: Sequence[str], measure: str) -> None:
    """Raise RequestError where `measure` is none of `measures`."""
    if measure not in measures:
        raise RequestError(f"--measure: the runs have no '{measure}'; {did_you_mean(measure, measures)}")


def rounds(cells: int, questions: int) -> list[int]:
    """How many questions each round of a halving asks; the last asks all.

    From round to round the cells are halved and the questions doubled, so every round costs about the same
    (Jamieson and Talwalkar, "Non-stochastic best arm identification", AISTATS 2016).
    """
    out = [questions]
    while cells > 2 and out[0] // 2 >= FEWEST:
        cells, out = -(-cells // 2), [out[0] // 2, *out]
    return out


def kept(order: Sequence[Place], baseline: str) -> list[str]:
    """The better half of the runs, and the baseline, which everything is compared with."""
    better = [p.run for p in order[: -(-len(order) // 2)]]
    return better if baseline in better else [*better, baseline]
