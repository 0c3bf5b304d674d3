"""Rescoring: no pair is ever scored twice, whatever asks; a failure leaves nothing and spoils nothing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from command import Line
from helpers import DOCUMENTS, GOLD, QUERIES, config, done, recorded, session, tiny
from reranker.spy import Spy

from runner import pipeline, rescoring
from runner.errors import ComponentError
from runner.reranker.overlap import Overlap
from runner.runs import Run
from runner.session import Session
from runner.store import Store

SWEEP: list[dict[str, Any]] = [{"top_k": k, "neighbor_next": n} for k in (3, 5, 10) for n in (0, 1)]


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Spy, "calls", [])
    monkeypatch.setattr(Spy, "loaded", [])


def _says(monkeypatch: pytest.MonkeyPatch, answer: Any) -> None:
    monkeypatch.setattr(Spy, "says", staticmethod(answer))


def _run(data: Path, own: Session, **changes: Any) -> Run:
    outcome = pipeline.run(config(data, **{"reranker": Spy(pool=20), **changes}), own)
    return Run(own.outputs, outcome.run_key)


def _stored(outputs: Path) -> int:
    """Pairs in the store of an outputs folder."""
    return sum(
        Store(outputs / "store")
        .find(p.parent.relative_to(outputs / "store").as_posix(), p.name)
        .meta["pairs"]  # type: ignore[union-attr]
        for p in (outputs / "store" / "pairs").glob("*/*")
    )


def test_a_sweep_scores_each_pair_exactly_once(tmp_path: Path) -> None:
    data, own = tiny(tmp_path / "data"), session(tmp_path / "out")
    runs = [_run(data, own, **cell) for cell in SWEEP]
    assert len({r.key for r in runs}) == len(SWEEP)
    pairs = Counter(Spy.pairs())
    assert set(pairs.values()) == {1}
    assert own.counters.pairs_scored == len(pairs) == _stored(tmp_path / "out") > 10
    assert own.counters.pairs_reused == len(pairs) * (len(SWEEP) - 1)
    assert Spy.loaded == ["m1"]
    for run in runs:
        (stage,) = (s for s in run.meta["stages"] if s["stage"] == "reranker")
        assert stage["pairs"] == stage["rows_out"] == len(pairs)


def test_another_process_and_another_chunk_number_find_what_was_scored(tmp_path: Path) -> None:
    data = tiny(tmp_path / "data")
    _run(data, session(tmp_path / "out"))
    Spy.calls.clear()
    Spy.loaded.clear()
    own = session(tmp_path / "out")
    _run(data, own, fusion="rrf", neighbor_prev=1)
    assert (Spy.calls, Spy.loaded, own.counters.pairs_scored) == ([], [], 0)
    # A document before the others gives every chunk another row number; what it says is the same.
    more = {"doc_id": "aaa", "text": "finch copper osprey maple"}
    _run(tiny(tmp_path / "more", documents=[*DOCUMENTS, more]), own)
    assert {text for _, text in Spy.pairs()} == {more["text"]}


def test_two_processes_at_once_score_each_pair_once(tmp_path: Path) -> None:
    """As threads with a session each: the locks are of files, so they hold between processes alike."""
    data, outputs = tiny(tmp_path / "data"), tmp_path / "out"
    _run(data, session(outputs), reranker="none")
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda k: _run(data, session(outputs), top_k=k), (2, 3, 4)))
    assert set(Counter(Spy.pairs()).values()) == {1}


def test_where_a_model_lies_is_in_no_key(tmp_path: Path) -> None:
    class Placed(Spy):
        place: str = "here"

    data, own = tiny(tmp_path / "data"), session(tmp_path / "out")
    first = _run(data, own, reranker=Placed())
    assert _run(data, own, reranker=Placed(place="there")).key == first.key
    for other in ({"model": "m2"}, {"pool": 6}, {"on_error": "fallback"}):
        assert _run(data, own, reranker=Placed(**other)).key != first.key


def test_a_larger_pool_scores_what_is_new_alone(tmp_path: Path) -> None:
    data, own = tiny(tmp_path / "data"), session(tmp_path / "out")
    _run(data, own, reranker=Spy(pool=2))
    first = len(Spy.pairs())
    _run(data, own)
    assert max(Counter(Spy.pairs()).values()) == 1
    assert own.counters.pairs_reused == first
    cold = done(data, tmp_path / "cold", reranker=Spy(pool=20))
    assert recorded(cold) == recorded(Run(own.outputs, cold.key))


def test_texts_that_are_equal_are_one_pair(tmp_path: Path) -> None:
    twins = [{"doc_id": d, "text": "finch magpie raven swift"} for d in ("one", "two")]
    asked = [{"query_id": q, "text": "finch magpie"} for q in ("q1", "q2")]
    gold = [{"query_id": "q1", "doc_id": "one", "quote": "finch"}]
    own = session(tmp_path / "out")
    run = _run(tiny(tmp_path / "data", documents=twins, queries=asked, gold=gold), own)
    assert Spy.pairs() == [("finch magpie", "finch magpie raven swift")]
    assert run.table("candidates")["rerank_score"].to_list() == [24.0] * 4
    assert (own.counters.pairs_scored, own.counters.pairs_reused) == (1, 0)


def test_a_reranker_that_is_cheap_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Spy, "cached", False)
    data, own = tiny(tmp_path / "data"), session(tmp_path / "out")
    first = _run(data, own)
    pairs = len(Spy.pairs())
    _run(data, own, neighbor_next=1)
    assert not (tmp_path / "out" / "store" / "pairs").exists()
    assert own.counters.pairs_scored == len(Spy.pairs()) == 2 * pairs
    monkeypatch.setattr(Spy, "cached", True)
    assert recorded(_run(data, session(tmp_path / "cached"))) == recorded(first)


def test_each_identity_is_scored_by_itself(tmp_path: Path) -> None:
    data, own = tiny(tmp_path / "data"), session(tmp_path / "out")
    _run(data, own)
    _run(data, own, reranker=Spy(pool=20, model="m2"))
    assert set(Counter(Spy.pairs()).values()) == {2}
    assert Spy.loaded == ["m1", "m2"]


def _raising_on(query: str, answers: int = 0) -> Any:
    left = [answers]

    def says(asked: str, texts: Sequence[str]) -> list[float]:
        if asked == query:
            left[0] -= 1
            if left[0] < 0:
                raise TimeoutError("no answer")
        return [float(len(t)) for t in texts]

    return says


def test_a40_nothing_is_kept_of_a_query_that_fails_and_all_of_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _says(monkeypatch, _raising_on("copper"))
    data, own = tiny(tmp_path / "data"), session(tmp_path / "out")
    run = _run(data, own, reranker=Spy(pool=20, on_error="fallback"))
    failed = [t for q, t in Spy.pairs() if q == "copper"]
    assert run.meta["fallbacks"] == 1
    assert _stored(tmp_path / "out") == own.counters.pairs_scored == len(Spy.pairs()) - len(failed)
    _says(monkeypatch, lambda query, texts: [1.0 for _ in texts])
    Spy.calls.clear()
    _run(data, own, top_k=4)
    assert Spy.pairs() == [("copper", t) for t in failed]


def test_a40_a_failure_after_some_of_a_query_are_stored_leaves_no_partial_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _says(monkeypatch, _raising_on("copper", answers=1))
    data, own = tiny(tmp_path / "data"), session(tmp_path / "out")
    _run(data, own, reranker=Spy(pool=2, on_error="fallback"))
    run = _run(data, own, reranker=Spy(pool=20, on_error="fallback"))
    copper = run.table("candidates").filter(query_id="q2")
    assert copper["rerank_score"].null_count() == copper.height > 2
    assert run.meta["fallbacks"] == 1
    kept = copper.filter(pl.col("final_rank").is_not_null())
    assert kept["final_rank"].to_list() == kept["fused_rank"].to_list()


def test_a_run_that_fails_keeps_the_queries_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    last = QUERIES[-1]["text"]
    _says(monkeypatch, lambda q, texts: [math.nan if q == last else 1.0 for _ in texts])
    data, own = tiny(tmp_path / "data"), session(tmp_path / "out")
    with pytest.raises(ComponentError, match="query 'osprey raven titanium': a score is missing"):
        _run(data, own)
    before = {p for p in Spy.pairs() if p[0] != last}
    assert _stored(tmp_path / "out") == len(before) > 0
    _says(monkeypatch, lambda query, texts: [1.0 for _ in texts])
    Spy.calls.clear()
    _run(data, session(tmp_path / "out"))
    assert {q for q, _ in Spy.pairs()} == {last}


def test_a_killed_run_keeps_every_finished_slice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rescoring, "_SLICE", 1)
    published = []
    add = rescoring.Pairs.add

    def dies(self: Any, names: Any, rows: Any) -> None:
        if len(published) == 2:
            raise KeyboardInterrupt  # what follows cannot publish either, as if the process were gone
        published.append(len(names))
        add(self, names, rows)

    monkeypatch.setattr(rescoring.Pairs, "add", dies)
    with pytest.raises(KeyboardInterrupt):
        _run(tiny(tmp_path / "data"), session(tmp_path / "out"))
    assert _stored(tmp_path / "out") == sum(published)


def test_progress_adds_up_and_truncation_is_counted_and_warned_of(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []

    def progress(what: str, total: int) -> Any:
        return lambda n: told.append((what, total, n))

    own = session(tmp_path / "out")
    own.progress = progress
    run = _run(tiny(tmp_path / "data"), own, reranker=Spy(pool=20, limit=5))
    mine = [(total, n) for what, total, n in told if what == "reranking with spy"]
    assert {t for t, _ in mine} == {sum(n for _, n in mine)} == {own.counters.pairs_scored}
    pairs = Spy.pairs()
    words = [len(q.split()) + len(t.split()) for q, t in pairs]
    (stage,) = (s for s in run.meta["stages"] if s["stage"] == "reranker")
    cut = sum(w > 5 for w in words)
    assert (stage["tokens_total"], stage["tokens_read"]) == (sum(words), sum(min(w, 5) for w in words))
    assert stage["truncated"] == cut > 0
    (said,) = (w for w in run.meta["warnings"] if w.startswith("reranker"))
    assert said.startswith(f"reranker spy did not read the end of {cut} of {len(pairs)} pairs (")


def test_the_last_line_of_a_sweep_says_it(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Overlap, "cached", True)
    said = line.fast("-m", "reranker=overlap", "top_k=3,5,10", "neighbor_next=0,1")
    scored = sum(c["counters"]["pairs_scored"] for c in line.cells())
    assert said.code == 0, said
    assert len(GOLD) < scored == _stored(line.outputs)
    assert f"; {scored} pairs scored, {5 * scored} reused\n" in said.out
    assert "pairs scored" not in line.fast("top_k=2").out
