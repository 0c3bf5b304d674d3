"""The fusion stage: one leg is the identity; what is withheld or dropped reads as absent; every row stays."""

from __future__ import annotations

import polars as pl
import pytest
from fusion.cases import hits

from runner import selection
from runner.config import Threshold
from runner.fusion.bonus import Bonus
from runner.fusion.contract import Fusion
from runner.fusion.rrf import RRF
from runner.fusion.stage import fuse
from runner.fusion.weighted import Weighted
from runner.retrieval.stage import window


class Unasked:
    """A fusion that may not be asked."""

    name = "unasked"

    def __getattr__(self, what: str) -> None:
        raise AssertionError(f"a fusion of one leg was asked for {what}")


def _by_chunk(frame: pl.DataFrame, *columns: str) -> dict[int, tuple[object, ...]]:
    return {row[0]: row[1:] for row in frame.select("chunk", *columns).iter_rows()}


def test_one_leg_is_the_identity() -> None:
    opened = selection.opened(window({"v": hits({4: 0.5, 1: -0.2, 2: 0.5})}))
    got = fuse(opened, Unasked(), {"v": True}, set())  # type: ignore[arg-type]
    assert _by_chunk(got, "v_norm", "fused_score", "fused_rank") == {
        2: (0.5, 0.5, 1), 4: (0.5, 0.5, 2), 1: (-0.2, -0.2, 3),
    }  # fmt: skip


def test_one_leg_with_dropped_hits_ranks_the_others() -> None:
    opened = selection.opened(window({"b": hits({0: 3.0, 1: 2.0, 2: 1.0})}))
    filtered = selection.by_filter(opened, pl.Series([True, False, True]))
    got = fuse(filtered, Unasked(), {"b": False}, set())  # type: ignore[arg-type]
    assert _by_chunk(got, "b_score", "b_rank", "b_norm", "fused_score", "fused_rank") == {
        0: (3.0, 1, 3.0, 3.0, 1), 1: (2.0, 2, None, None, None), 2: (1.0, 3, 1.0, 1.0, 2),
    }  # fmt: skip


@pytest.mark.parametrize("fusion", [RRF(), Bonus(), Weighted()])
def test_columns_of_the_legs_stay_as_they_were(fusion: Fusion) -> None:
    before = selection.opened(
        window({"b": hits({0: 3.0, 1: 2.0}, {}), "v": hits({1: 0.5, 2: 0.1}, {5: 0.5})})
    )
    after = fuse(before, fusion, {"b": False, "v": True}, set())
    assert after.select(before.columns).sort("query", "chunk").equals(before.sort("query", "chunk"))
    assert after.columns == [*before.columns, "b_norm", "v_norm", "fused_score", "fused_rank"]
    assert after["fused_rank"].null_count() == 0


def test_a_withheld_hit_reads_as_absent() -> None:
    """Chunk 1 is below the cosine threshold but BM25 found it: it lives on BM25's account alone."""
    opened = selection.opened(window({"b": hits({1: 8.0, 2: 4.0}), "v": hits({0: 0.9, 1: 0.1, 3: 0.05})}))
    held = selection.by_similarity(opened, "v", Threshold(similarity=0.2))
    got = fuse(held, RRF(), {"b": False, "v": True}, {"v"})
    assert _by_chunk(got, "b_norm", "v_norm", "fused_score", "drop_stage") == {
        0: (None, 1 / 61, 1 / 61, None),
        1: (1 / 61, None, 1 / 61, None),
        2: (1 / 62, None, 1 / 62, None),
        3: (None, None, None, "threshold"),
    }
    assert got.sort("fused_rank", nulls_last=True)["chunk"].to_list() == [0, 1, 2, 3]
    bonus = fuse(held, Bonus(), {"b": False, "v": True}, {"v"})
    assert _by_chunk(bonus, "fused_score") == {0: (0.9,), 1: (1.0,), 2: (0.5,), 3: (None,)}


def test_what_a_filter_dropped_does_not_set_the_scale() -> None:
    """Chunk 0 has BM25's highest score and is filtered out: the best that remains is 1, not a half."""
    opened = selection.opened(window({"b": hits({0: 8.0, 1: 4.0}), "v": hits({2: 0.3})}))
    filtered = selection.by_filter(opened, pl.Series([False, True, True]))
    got = fuse(filtered, Bonus(), {"b": False, "v": True}, set())
    assert _by_chunk(got, "b_norm", "fused_score") == {0: (None, None), 1: (1.0, 1.0), 2: (None, 0.3)}


def test_scales_are_of_one_query() -> None:
    legs = {"b": hits({0: 8.0, 1: 4.0}, {1: 2.0}, {}), "v": hits({}, {1: 0.5}, {3: 0.25})}
    got = fuse(selection.opened(window(legs)), Bonus(), {"b": False, "v": True}, set())
    assert got.sort("query", "chunk").select("query", "chunk", "fused_score").rows() == [
        (0, 0, 1.0), (0, 1, 0.5), (1, 1, 1.0 + 0.3 * 0.5), (2, 3, 0.25),
    ]  # fmt: skip


@pytest.mark.parametrize("fusion", [RRF(), Bonus(), Weighted()])
def test_nothing_found_by_anyone(fusion: Fusion) -> None:
    for legs in ({"b": hits(), "v": hits()}, {"b": hits({}, {}), "v": hits({}, {})}):
        got = fuse(selection.opened(window(legs)), fusion, {"b": False, "v": True}, set())
        assert got.height == 0
        assert {"b_norm", "v_norm", "fused_score", "fused_rank"} <= set(got.columns)
