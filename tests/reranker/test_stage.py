"""The reranking stage: the pool by raw scores, then the tail; older columns stay; failures stay alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from fusion.cases import hits
from helpers import done, tiny
from reranker.spy import Score, Spy

from runner import selection
from runner.errors import ComponentError
from runner.fusion.rrf import RRF
from runner.fusion.stage import fuse
from runner.reranker import stage
from runner.reranker.contract import Reranker
from runner.retrieval.stage import window


def _by(monkeypatch: pytest.MonkeyPatch, score: Score) -> None:
    monkeypatch.setattr(Spy, "says", staticmethod(score))


def _fused(*sizes: int) -> pl.DataFrame:
    """A fused window: query i found the chunks 0 … sizes[i] - 1 in this order."""
    found = hits(*({c: 1.0 - c / 100 for c in range(size)} for size in sizes))
    return fuse(selection.opened(window({"v": found})), RRF(), {"v": True}, set())


def _rerank(
    frame: pl.DataFrame, spy: Reranker, n: int = 1
) -> tuple[dict[int, list[int]], pl.DataFrame, dict[int, str]]:
    """Chunks by `order_rank` of each query, the frame, and the fallbacks; queries and texts are numbers."""
    scorer, fallbacks = spy.load(1, "cpu"), {}
    pool = stage.pool(frame, spy)
    parts = [pool.head(0).with_columns(rerank_score=pl.lit(None, pl.Float64))]
    for (query,), group in pool.group_by("query", maintain_order=True):
        made = stage.score(spy, scorer, str(query), [str(c) for c in group["chunk"]])
        if isinstance(made, str):
            fallbacks[int(str(query))] = made
        else:
            parts.append(group.with_columns(rerank_score=pl.Series(made.scores)))
    got = stage.rerank(frame, pl.concat(parts))
    ordered = got.filter(pl.col("order_rank").is_not_null()).sort("query", "order_rank")
    places: dict[int, list[int]] = {}
    for query, chunk, place in ordered.select("query", "chunk", "order_rank").iter_rows():
        places.setdefault(query, []).append(chunk)
        assert place == len(places[query])
    return places, got, fallbacks


def _liking(*liked: int) -> Score:
    """Scores that put these chunks in this order."""
    return lambda query, texts: [-liked.index(int(t)) if int(t) in liked else -99 for t in texts]


def test_a39_the_pool_is_reranked_and_the_tail_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    """r1 … r8 are chunks 0 … 7; the pool is 5; it likes r5 > r2 > r1 > r4 > r3."""
    _by(monkeypatch, _liking(4, 1, 0, 3, 2))
    frame = _fused(8)
    places, got, fallbacks = _rerank(frame, Spy(pool=5))
    assert [len(texts) for _, texts in Spy.calls] == [5]
    assert places == {0: [4, 1, 0, 3, 2, 5, 6, 7]}
    assert fallbacks == {}
    tail = got.filter(pl.col("chunk") >= 5)
    assert tail["rerank_score"].null_count() == tail["rerank_rank"].null_count() == 3
    assert got.select(frame.columns).sort("chunk").equals(frame.sort("chunk"))
    cut = selection.cut(got, "order_score", "order_rank", 3).filter(pl.col("final_rank").is_not_null())
    assert cut.sort("final_rank")["chunk"].to_list() == [4, 1, 0]


def test_a39_a_pool_larger_than_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    _by(monkeypatch, lambda query, texts: [float(t) for t in texts])
    places, _, _ = _rerank(_fused(3, 0, 2), Spy(pool=20), 3)
    assert places == {0: [2, 1, 0], 2: [1, 0]}
    assert [query for query, _ in Spy.calls] == ["0", "2"]


def test_a38_order_is_decided_on_raw_logits(monkeypatch: pytest.MonkeyPatch) -> None:
    """sigmoid(40) and sigmoid(41) are both 1.0 in float64, yet 41 is first."""
    assert 1 / (1 + math.exp(-40)) == 1 / (1 + math.exp(-41)) == 1.0
    logits = {"0": 40.0, "1": 41.0, "2": -11.2, "3": 9.4}
    _by(monkeypatch, lambda query, texts: [logits[t] for t in texts])
    places, got, _ = _rerank(_fused(4), Spy())
    assert places == {0: [1, 0, 3, 2]}
    assert dict(got.select("chunk", "rerank_score").iter_rows()) == {0: 40.0, 1: 41.0, 2: -11.2, 3: 9.4}


def test_equal_scores_follow_document_order(monkeypatch: pytest.MonkeyPatch) -> None:
    _by(monkeypatch, lambda query, texts: [0.0] * len(texts))
    places, _, _ = _rerank(_fused(6), Spy(pool=4))
    assert places == {0: [0, 1, 2, 3, 4, 5]}


def test_what_was_dropped_is_not_reranked(monkeypatch: pytest.MonkeyPatch) -> None:
    _by(monkeypatch, lambda query, texts: [float(t) for t in texts])
    window_of_four = selection.opened(window({"v": hits({0: 0.9, 1: 0.8, 2: 0.7, 3: 0.6})}))
    filtered = selection.by_filter(window_of_four, pl.Series([False, True, True, True]))
    places, got, _ = _rerank(fuse(filtered, RRF(), {"v": True}, set()), Spy(pool=2))
    assert Spy.calls == [("0", ["1", "2"])]
    assert places == {0: [2, 1, 3]}
    assert got.filter(pl.col("chunk") == 0).select("rerank_rank", "order_rank").row(0) == (None, None)


def _raising_on(query: str) -> Score:
    def score(asked: str, texts: Sequence[str]) -> list[float]:
        if asked == query:
            raise TimeoutError("no answer")
        return [float(t) for t in texts]

    return score


def test_a40_a_failure_is_one_querys_own_under_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    _by(monkeypatch, _raising_on("1"))
    places, got, fallbacks = _rerank(_fused(3, 3, 3), Spy(pool=2, on_error="fallback"), 3)
    assert places == {0: [1, 0, 2], 1: [0, 1, 2], 2: [1, 0, 2]}
    assert fallbacks == {1: "TimeoutError: no answer"}
    failed = got.filter(pl.col("query") == 1)
    assert failed["rerank_score"].null_count() == failed["rerank_rank"].null_count() == 3
    assert failed["order_score"].equals(failed["fused_score"].alias("order_score"))


def test_a40_a_failure_ends_the_cell_under_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    _by(monkeypatch, _raising_on("1"))
    with pytest.raises(ComponentError, match="reranker spy: query '1': no answer"):
        _rerank(_fused(3, 3, 3), Spy(), 3)


def test_a40_a_second_batch_that_fails_leaves_no_partial_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    def score(query: str, texts: Sequence[str]) -> list[float]:
        out: list[float] = []
        for first in range(0, len(texts), 2):
            if first:
                raise RuntimeError("out of memory")
            out += [9.0, 8.0]
        return out

    _by(monkeypatch, score)
    places, got, fallbacks = _rerank(_fused(4), Spy(on_error="fallback"))
    assert places == {0: [0, 1, 2, 3]}
    assert got["rerank_score"].null_count() == 4
    assert fallbacks == {0: "RuntimeError: out of memory"}


@pytest.mark.parametrize(
    "wrong", [[1.0, 2.0], [1.0, math.nan, 2.0], [math.inf, 1.0, 2.0], [[1.0], [2.0], [3.0]], [], 7.0]
)
def test_scores_that_are_missing_or_no_number_are_a_failure(
    wrong: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _by(monkeypatch, lambda query, texts: wrong)
    with pytest.raises(ComponentError, match="a score is missing or is no finite number"):
        _rerank(_fused(3), Spy())
    places, _, fallbacks = _rerank(_fused(3), Spy(on_error="fallback"))
    assert places == {0: [0, 1, 2]}
    assert list(fallbacks) == [0]


def test_a_reason_is_one_short_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def score(query: str, texts: Sequence[str]) -> list[float]:
        raise RuntimeError("out of memory;\n  tried 3 GiB\x1b[0m" + "x" * 900)

    _by(monkeypatch, score)
    _, _, fallbacks = _rerank(_fused(2), Spy(on_error="fallback"))
    assert fallbacks[0].startswith("RuntimeError: out of memory, tried 3 GiB[U+001B][0mxxx")
    assert len(fallbacks[0]) <= 200


def test_nothing_to_rerank() -> None:
    _, got, fallbacks = _rerank(_fused(0), Spy())
    assert got.height == 0
    assert {"rerank_score", "rerank_rank", "order_score", "order_rank"} <= set(got.columns)
    assert fallbacks == {}


def test_a40_a_run_records_reason_and_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = Spy(on_error="fallback", pool=4)
    _by(monkeypatch, lambda query, texts: _raising_on("copper")(query, [str(len(t)) for t in texts]))
    run = done(tiny(tmp_path / "data"), tmp_path / "out", reranker=chosen, fusion="rrf")
    assert run.meta["fallbacks"] == 1
    assert "reranker spy failed for 1 queries: fused order kept" in run.meta["warnings"]
    reasons = dict(run.table("queries").select("query_id", "reasons").iter_rows())
    assert reasons["q2"] == "reranker fallback: TimeoutError: no answer"
    assert "fallback" not in reasons["q1"]
    (said,) = (s for s in run.meta["stages"] if s["stage"] == "reranker")
    assert (said["fallbacks"], said["pool"], said["on_error"]) == (1, 4, "fallback")
    q2 = run.table("candidates").filter(query_id="q2")
    assert q2["rerank_score"].null_count() == q2.height
    kept = q2.filter(pl.col("final_rank").is_not_null())
    assert kept["final_rank"].to_list() == kept["fused_rank"].to_list()


def test_a40_a_run_that_may_not_fall_back_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _by(monkeypatch, lambda query, texts: _raising_on("copper")(query, [str(len(t)) for t in texts]))
    with pytest.raises(ComponentError, match="query 'copper': no answer"):
        done(tiny(tmp_path / "data"), tmp_path / "out", reranker=Spy())
    assert not list((tmp_path / "out" / "runs").glob("*"))
