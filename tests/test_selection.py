"""Selection: filter, thresholds and cut mark a candidate once, with stage, reason, value and limit."""

from __future__ import annotations

import polars as pl
import pytest

from runner import selection
from runner.config import Threshold

FATE = ["drop_stage", "drop_reason", "drop_value", "drop_limit"]


def _window(**columns: list[float | int | None]) -> pl.DataFrame:
    n = len(next(iter(columns.values())))
    frame = pl.DataFrame({"query": [0] * n, "chunk": list(range(n)), **columns}, strict=False)
    ranks = [pl.col(c).cast(pl.Int64) for c in columns if c.endswith("_rank")]
    scores = [pl.col(c).cast(pl.Float64) for c in columns if c.endswith("_score")]
    return selection.opened(frame.with_columns(*ranks, *scores))


def _dropped(frame: pl.DataFrame) -> dict[int, tuple[object, ...]]:
    some = frame.filter(pl.col("drop_stage").is_not_null())
    return {row[0]: row[1:] for row in some.select("chunk", *FATE).iter_rows()}


def test_a_fate_begins_open() -> None:
    frame = _window(v_score=[0.5, 0.4])
    assert frame.select(FATE).rows() == [(None, None, None, None)] * 2
    assert frame.schema["drop_stage"] == pl.String
    assert frame.schema["drop_value"] == frame.schema["drop_limit"] == pl.Float64


def test_filter_marks_by_chunk_and_removes_nothing() -> None:
    frame = _window(v_score=[0.9, 0.8, 0.7, 0.6])
    got = selection.by_filter(frame, pl.Series([True, False, True, False, True]))
    assert got.height == frame.height
    assert _dropped(got) == dict.fromkeys(
        (1, 3), ("filter", "metadata does not match the filter", None, None)
    )
    nothing = selection.by_filter(frame, pl.Series([False] * 5))
    assert nothing["drop_stage"].to_list() == ["filter"] * 4


def test_a37_similarity_at_the_threshold_passes() -> None:
    """Cosine distances 0.1, 0.5, 1.0, 2.0 are similarities 0.9, 0.5, 0.0, -1.0."""
    similarities = [1 - d for d in (0.1, 0.5, 1.0, 2.0)]
    frame = _window(v_score=similarities, v_rank=[1, 2, 3, 4])
    got = selection.by_similarity(frame, "v", Threshold(similarity=0.5))
    reason = "v similarity below the threshold"
    assert _dropped(got) == {
        2: ("threshold", reason, 0.0, 0.5),
        3: ("threshold", reason, -1.0, 0.5),
    }
    assert got["v_admitted"].to_list() == [True, True, False, False]


def test_a36_a_candidate_of_another_leg_stays_on_that_legs_account() -> None:
    v = {"v_score": [0.9, 0.1, 0.1, None], "v_rank": [1, 2, 3, None]}
    frame = _window(**v, b_score=[None, 7.0, None, 3.0], b_rank=[None, 1, None, 2])
    got = selection.by_similarity(frame, "v", Threshold(similarity=0.2))
    assert _dropped(got) == {2: ("threshold", "v similarity below the threshold", 0.1, 0.2)}
    assert got["v_admitted"].to_list() == [True, False, False, None]


def test_what_every_similarity_leg_withholds_is_marked() -> None:
    """Two vector legs, both below the limit: nobody admits the candidate, so it must be marked."""
    frame = _window(v_score=[0.1, 0.1, 0.9], v_rank=[2, 3, 1], w_score=[0.15, 0.8, 0.1], w_rank=[2, 1, 3])
    limit = Threshold(similarity=0.2)
    got = selection.by_similarity(selection.by_similarity(frame, "v", limit), "w", limit)
    assert _dropped(got) == {0: ("threshold", "w similarity below the threshold", 0.15, 0.2)}
    assert got.select("v_admitted", "w_admitted").rows() == [(False, False), (False, True), (True, False)]


def test_no_threshold_changes_nothing() -> None:
    frame = _window(v_score=[0.1], v_rank=[1], fused_score=[0.1])
    assert selection.by_similarity(frame, "v", Threshold()).equals(frame)
    assert selection.by_score(frame, Threshold()).equals(frame)


def test_score_threshold_is_at_least() -> None:
    frame = _window(fused_score=[2 / 61, 1 / 61, 1 / 62, None])
    got = selection.by_score(frame, Threshold(score=1 / 61))
    assert _dropped(got) == {2: ("threshold", "fused score below the threshold", 1 / 62, 1 / 61)}


def test_the_first_mark_stays() -> None:
    frame = _window(v_score=[0.1, 0.9], v_rank=[2, 1], fused_score=[0.1, 0.1])
    got = selection.by_filter(frame, pl.Series([False, True]))
    got = selection.by_similarity(got, "v", Threshold(similarity=0.5))
    got = selection.by_score(got, Threshold(score=0.5))
    assert [f[0] for f in _dropped(got).values()] == ["filter", "threshold"]
    assert _dropped(got)[1][1] == "fused score below the threshold"


@pytest.mark.parametrize("top_k", [1, 2, 3, 10])
def test_cut_gives_everyone_one_fate(top_k: int) -> None:
    frame = _window(fused_score=[0.9, 0.5, 0.4, None, 0.3], fused_rank=[1, 2, 3, None, 4])
    frame = selection.by_filter(frame, pl.Series([True, True, True, False, True]))
    got = selection.cut(frame, "fused_score", "fused_rank", top_k)
    kept = min(top_k, 4)
    ranks = [1, 2, 3, None, 4]
    assert got["final_rank"].to_list() == [r if r and r <= kept else None for r in ranks]
    assert got["final_score"].to_list() == [
        s if r and r <= kept else None for s, r in zip([0.9, 0.5, 0.4, None, 0.3], ranks, strict=True)
    ]
    assert got["fate"].to_list() == ["hit" if r and r <= kept else "dropped" for r in ranks]
    cut = {c: f for c, f in _dropped(got).items() if f[0] == "cut"}
    assert cut == {
        c: ("cut", "beyond top_k", float(r), float(top_k)) for c, r in enumerate(ranks) if r and r > kept
    }
    assert (got["final_rank"].is_not_null() ^ got["drop_stage"].is_not_null()).all()


def test_an_empty_window_passes_through_every_stage() -> None:
    frame = _window(v_score=[0.1], v_rank=[1], fused_score=[0.1], fused_rank=[1]).head(0)
    got = selection.by_filter(frame, pl.Series([True]))
    got = selection.by_similarity(got, "v", Threshold(similarity=0.5))
    got = selection.by_score(got, Threshold(score=0.5))
    assert selection.cut(got, "fused_score", "fused_rank", 3).height == 0


def test_a_parent_is_returned_once_and_the_ranks_close_up() -> None:
    """Chunks 0, 1, 3 return one span, 2 and 4 another, 5 itself; chunk 0 is filtered out already."""
    frame = _window(fused_score=[0.9, 0.8, 0.7, 0.6, 0.5, 0.4], fused_rank=[None, 1, 2, 3, 4, 5])
    frame = selection.by_filter(frame, pl.Series([False] + [True] * 5))
    got = selection.by_parent(frame, "fused_rank", pl.Series([0, 0, 2, 0, 2, 5]))
    assert got["order_parent_rank"].to_list() == [None, 1, 2, None, None, 3]
    reason = "its parent is returned at a better rank"
    assert {c: f for c, f in _dropped(got).items() if f[0] == "parent"} == {
        3: ("parent", reason, 1.0, None),
        4: ("parent", reason, 2.0, None),
    }
    assert got.columns == [*frame.columns, "order_parent_rank"]
    cut = selection.cut(got, "fused_score", "order_parent_rank", 2)
    assert cut["final_rank"].to_list() == [None, 1, 2, None, None, None]
    assert _dropped(cut)[5] == ("cut", "beyond top_k", 3.0, 2.0)
