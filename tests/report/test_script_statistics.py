"""The page's statistics: the digits of `runner.statistics`, printed quantiles, intervals drawn alike."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest
from report.javascript import evaluate, in_chromium

from runner.report.assets.data import floats
from runner.report.charts import interval
from runner.statistics.contrasts import contrasts
from runner.statistics.draws import resamples, seed_of, words
from runner.statistics.winner import winner

SEED = seed_of("a data set")
NEAR = 1e-9
"""Far below the last digit that is shown; sums are added in another order."""


def told(columns: np.ndarray) -> str:
    return json.dumps([floats(column) for column in columns.T]) + ".map(floats)"


def compared(
    columns: np.ndarray, clusters: np.ndarray | None = None, margin: float = 0.0
) -> list[dict[str, Any]]:
    options = json.dumps({"clusters": None if clusters is None else clusters.tolist(), "margin": margin})
    found: list[dict[str, Any]] = evaluate(f"contrasts({told(columns)}, '{SEED:016x}', {options})")
    return found


def differences(n: int, seed: int) -> np.ndarray:
    """Like scores of questions: many ties, a few steps, one column of small numbers that all differ."""
    rng = np.random.default_rng(seed)
    steps = rng.choice([0, 0.25, 0.5, 1], (n, 3)) - rng.choice([0, 0.25, 0.5, 1], (n, 3)) * [1, 0.8, 0.5]
    return np.column_stack([steps, rng.normal(0.02, 0.3, n), np.zeros(n), np.full(n, 0.1)])


def test_the_words_of_the_draws_are_the_same() -> None:
    for stream in (0, 1):
        found = evaluate(f"[0, 1, 2, 1e6, 4294967295, 4294967297].map(words('{SEED:016x}', {stream}))")
        numbers = [0, 1, 2, 1_000_000, 2**32 - 1, 2**32 + 1]
        assert found == [int(words(SEED, stream, i, 1)[0]) for i in numbers]
    counts = evaluate(f"Array.from(resamples(7, '{SEED:016x}'))")
    assert counts == resamples(7, SEED).ravel().tolist()


@pytest.mark.parametrize(
    ("df", "p", "value"),
    [(1, 0.975, 12.7062), (2, 0.975, 4.3027), (5, 0.975, 2.5706), (10, 0.995, 3.1693), (30, 0.975, 2.0423),
     (120, 0.975, 1.9799)],
)  # fmt: skip
def test_quantiles_are_those_of_the_printed_tables(df: int, p: float, value: float) -> None:
    """Fisher and Yates, Statistical Tables, table III; the normal ones stand in every textbook."""
    assert round(evaluate(f"studentQuantile({df}, {p})"), 4) == value
    assert round(evaluate("quantile(0.975)"), 6) == 1.959964
    assert evaluate("[below(0), below(9), below(-9)]") == [0.5, 1, 0]


def test_quantiles_are_those_of_scipy() -> None:
    from scipy.special import ndtr, ndtri, stdtrit

    z = [-7.9, -3.1, -0.4, 0.0, 1e-8, 2.2, 5.0]
    assert evaluate(f"{z}.map(below)") == pytest.approx([float(ndtr(v)) for v in z], abs=1e-15)
    p = [1e-6, 1e-5, 0.025, 0.31, 0.5, 0.9, 0.99999]
    assert evaluate(f"{p}.map(quantile)") == pytest.approx([float(ndtri(v)) for v in p], abs=1e-9)
    cases = [(df, q) for df in (1, 1.7, 3, 9.5, 40, 299, 1e4, 1e7) for q in (0.55, 0.9, 0.975, 0.9999)]
    found = evaluate(f"{json.dumps(cases)}.map(([df, q]) => studentQuantile(df, q))")
    assert found == pytest.approx([float(stdtrit(df, q)) for df, q in cases], rel=1e-9)


@pytest.mark.parametrize(("n", "seed"), [(4, 1), (6, 2), (7, 3), (16, 4), (17, 5), (40, 6), (300, 7)])
def test_page_and_terminal_compare_alike(n: int, seed: int) -> None:
    columns = differences(n, seed)
    if n == 40:
        columns[3, 1] = columns[7, 3] = np.nan
    same(compared(columns, margin=0.01), contrasts(columns, SEED, margins=0.01))


def test_clusters_are_compared_alike() -> None:
    columns = differences(90, 8)
    columns[5, 0] = np.nan
    clusters = np.random.default_rng(8).integers(0, 25, 90)
    same(compared(columns, clusters), contrasts(columns, SEED, clusters=clusters))


def same(page: list[dict[str, Any]], terminal: list[Any]) -> None:
    for a, b in zip(page, terminal, strict=True):
        assert (a["n"], a["verdict"], a["needed"]) == (b.n, b.verdict, b.needed)
        assert (a["wins"], a["ties"], a["losses"]) == (b.wins, b.ties, b.losses)
        for found, expected in (
            (a["mean"], b.mean),
            (a["level"], b.level),
            (a["p"], b.p),
            (a["corrected"], b.p_corrected),
        ):
            assert found == pytest.approx(expected, abs=NEAR)
        assert (a["interval"] is None) == (b.interval is None)
        if b.interval is not None:
            assert a["interval"] == pytest.approx(list(b.interval), abs=NEAR)


def test_a_comparison_by_hand() -> None:
    """Six wins by 0.1: all 64 patterns of signs, of which two are as extreme; an interval of no width."""
    (found,) = compared(np.full((6, 1), 0.1))
    assert found["p"] == found["corrected"] == 2 / 64
    assert (found["wins"], found["ties"], found["losses"], found["verdict"]) == (6, 0, 0, "better")
    (none,) = compared(np.zeros((6, 1)))
    assert (none["p"], none["mean"], none["interval"]) == (1, 0, [0, 0])
    (few,) = compared(np.full((5, 1), 0.1))  # 2 / 32 = 0.0625 is the least p of five questions
    assert few["interval"] is None


def test_corrected_p_by_hand() -> None:
    """Three p, in rising order times 3, 2 and 1, never falling: 0.03, 0.04, 0.04."""
    found = evaluate("holm([0.04, 0.01, 0.02])")
    assert found["corrected"] == pytest.approx([0.04, 0.03, 0.04])
    assert found["level"] == pytest.approx([0.05, 0.05 / 3, 0.05 / 2])


@pytest.mark.parametrize("clustered", [False, True])
def test_first_places_are_counted_alike(clustered: bool) -> None:
    rng = np.random.default_rng(9)
    scores = rng.choice([0.0, 0.5, 1.0], (60, 4))
    scores[:, 3] = scores[:, 0]  # equal runs share the first place
    scores[4, 1] = np.nan
    clusters = rng.integers(0, 20, 60) if clustered else None
    listed = json.dumps(None if clusters is None else clusters.tolist())
    found = evaluate(f"firstShares({told(scores)}, '{SEED:016x}', {listed})")
    assert found == pytest.approx(list(winner(scores, SEED, clusters).shares), abs=1e-9)
    assert found[0] == pytest.approx(found[3])


def test_an_interval_is_drawn_alike() -> None:
    rng = random.Random(4)
    cases = [
        (0.01, -0.02, 0.04, 0.05, "open", 0.01),
        (0.0, 0.0, 0.0, 1.0, "same", 0.0),
        (0.1, 0.05, 0.15, 0.15, "better", 0.2),
    ]
    for _ in range(200):
        low, mean, high = sorted(rng.uniform(-0.2, 0.2) for _ in range(3))
        cases.append(
            (mean, low, high, interval.domain([(mean, low, high)]), "worse", rng.choice([0.0, 0.005]))
        )
    found = evaluate(f"{json.dumps(cases)}.map(c => intervalCell(...c))")
    assert found == [str(interval.cell(d, a, b, most=m, kind=k, margin=g)) for d, a, b, m, k, g in cases]


def test_the_browser_answers_as_node_does(browser: object) -> None:
    """Where Node is missing, the tests of this file run in Chromium."""
    assert in_chromium("JSON.stringify({a: '\\u202e<b>é'.length, b: [0.1 + 0.2]})") == (
        '{"a":5,"b":[0.30000000000000004]}'
    )
