"""Order: score descending, then document order; ranks from 1; exported scores strictly fall."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from runner import order
from runner.errors import ComponentError


def _frame(rows: list[tuple[int, int, float | None]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"query": pl.Int64, "chunk": pl.Int64, "s": pl.Float64}, orient="row")


def test_top_is_score_descending_then_place() -> None:
    scores = np.array([0.2, 0.9, 0.9, 0.1, 0.9])
    assert order.top(scores, 3).tolist() == [1, 2, 4]
    assert order.top(scores, 2).tolist() == [1, 2]
    assert order.top(scores, 10).tolist() == [1, 2, 4, 0, 3]
    assert order.top(np.zeros(0), 5).tolist() == []


def test_a26_ties_are_cut_by_place_whatever_the_order_they_come_in() -> None:
    assert order.top(np.ones(5), 3).tolist() == [0, 1, 2]
    places = np.array([40, 10, 30, 0, 20])
    assert places[order.top(np.ones(5), 3, places)].tolist() == [0, 10, 20]


def test_zero_and_negative_zero_tie() -> None:
    assert order.top(np.array([-0.0, 0.0, -0.0]), 2).tolist() == [0, 1]
    got = order.ranked(_frame([(0, 0, -0.0), (0, 1, 0.0)]), "s", "r")
    assert got["r"].to_list() == [1, 2]


def test_top_equals_a_plain_sort() -> None:
    rng = np.random.default_rng(11)
    for n in range(40):
        scores = rng.integers(-3, 4, n) / 4  # many ties
        places = rng.permutation(n)
        right = sorted(range(n), key=lambda i: (-scores[i], places[i]))
        for depth in (1, 2, 7, n + 1):
            assert order.top(scores, depth, places).tolist() == right[:depth]


def test_ranked_counts_from_one_in_each_query_and_leaves_nulls_unranked() -> None:
    frame = _frame([(1, 7, 0.5), (0, 3, 0.5), (0, 1, None), (0, 2, 0.9), (1, 0, 0.5), (0, 0, 0.5)])
    got = order.ranked(frame, "s", "r")
    assert got.select("query", "chunk", "s").equals(frame)
    assert got["r"].to_list() == [2, 3, None, 1, 1, 2]
    assert got["r"].dtype.is_integer()


def test_ranked_of_nothing() -> None:
    assert order.ranked(_frame([]), "s", "r").rows() == []
    assert order.ranked(_frame([(0, 0, None)]), "s", "r")["r"].to_list() == [None]


def test_ranked_equals_a_plain_sort() -> None:
    draw = random.Random(5)
    for _ in range(50):
        rows = [
            (q, c, draw.choice([None, 0.0, 0.25, 0.5])) for q in range(draw.randint(1, 4)) for c in range(9)
        ]
        draw.shuffle(rows)
        got = order.ranked(_frame(rows), "s", "r")
        for query in {q for q, _, _ in rows}:
            live = [(-s, c) for q, c, s in rows if q == query and s is not None]
            right = {c: place for place, (_, c) in enumerate(sorted(live), 1)}
            mine = got.filter((pl.col("query") == query) & pl.col("r").is_not_null())
            assert dict(mine.select("chunk", "r").iter_rows()) == right


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_a34_a_score_that_is_no_number_is_refused_and_its_chunk_named(bad: float) -> None:
    with pytest.raises(ComponentError, match="chunk row 8"):
        order.ranked(_frame([(0, 7, 1.0), (0, 8, bad), (0, 9, 3.0)]), "s", "r")


def test_a_ranking_holds_the_ranked_rows_in_order() -> None:
    frame = _frame([(1, 4, 1.0), (0, 5, 1.0), (0, 6, 2.0), (0, 7, None)])
    got = order.ranking(order.ranked(frame, "s", "final_rank"))
    assert got.frame.select("query", "chunk", "rank").rows() == [(0, 6, 1), (0, 5, 2), (1, 4, 1)]


def test_places_count_within_runs_of_equal_values() -> None:
    assert order.places(np.array([4, 4, 4, 0, 9, 9])).tolist() == [1, 2, 3, 1, 1, 2]
    assert order.places(np.zeros(0, np.int64)).tolist() == []


def _falling(scores: list[float], queries: list[int] | None = None) -> list[float]:
    return order.falling(np.array(queries or [0] * len(scores)), np.array(scores)).tolist()


def test_a46_exported_scores_fall_strictly_as_float32() -> None:
    same = _falling([1.0, 1.0, 1.0])
    assert same[0] == 1.0
    assert same == [1.0, 1 - 2**-24, 1 - 2 * 2**-24]  # float32 below 1 are 2^-24 apart
    near = np.float32(_falling([0.1 + 1e-9, 0.1]))
    assert near[1] < near[0]


def test_exported_scores_that_fall_already_are_kept() -> None:
    assert _falling([2.0, 1.5, 0.25]) == [2.0, 1.5, 0.25]
    assert _falling([0.25, 2.0, 1.5], [0, 1, 1]) == [0.25, 2.0, 1.5]
    assert _falling([]) == []


def test_exported_scores_follow_ranks_where_scores_of_two_scales_meet() -> None:
    """A reranked pool (low scores) and its tail (higher fused scores) are exported in the order given."""
    out = _falling([0.3, 0.1, 0.9, 0.8, 0.05], [7] * 5)
    assert all(a > b for a, b in pairwise(out))
    assert out[:2] == [float(np.float32(0.3)), float(np.float32(0.1))]
    assert out[4] == float(np.float32(0.05))


def test_exported_scores_property() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        queries = np.sort(rng.integers(0, 4, 30))
        out = order.falling(queries, rng.choice([0.0, 1e-46, -1.5, 0.3, 0.3 + 1e-9, 7e5], 30))
        assert (out == out.astype(np.float32)).all()
        same = queries[1:] == queries[:-1]
        assert (out[1:] < out[:-1])[same].all()
