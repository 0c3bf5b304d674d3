"""`inspect diff`: the first stage that differs, its typed reason, and the size of the change by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import helpers
import pytest
from inspector.shown import said, text

from runner.inspector.diff import distance
from runner.runs import Run

BASE: dict[str, Any] = {"fusion": "rrf", "top_k": 3}
CASES = [
    ({}, None, "none"),
    ({"top_k": 1}, "cut", "other_top_k"),
    ({"neighbor_next": 1}, "expansion", "other_neighbors"),
    ({"fusion__constant": 7}, "fusion", "other_fusion"),
    ({"fusion": "combsum"}, "fusion", "other_fusion"),
    ({"reranker": "overlap"}, "reranker", "other_reranker"),
    ({"filter": {"lang": "de"}}, "filter", "other_filter"),
    ({"threshold": {"similarity": 0.9}}, "threshold.similarity", "other_threshold"),
    ({"threshold": {"score": 0.02}}, "threshold.score", "other_threshold"),
    ({"retrieval__legs__bm25__k1": 0.5}, "retrieval.bm25", "other_leg_settings"),
    ({"retrieval__legs__vector__depth": 1}, "retrieval.vector", "other_depth"),
    ({"embedding__dimensions": 32}, "retrieval.vector", "other_model"),
    ({"enrichment": "title"}, "retrieval.vector", "other_embedding_input"),
    ({"strategy__size": 3}, "retrieval.bm25", "other_chunks"),
    ({"retrieval": "vector"}, "retrieval.bm25", "leg_in_one_only"),
]
DOCUMENTS = [{**d, "title": f"all about {d['doc_id']}"} for d in helpers.DOCUMENTS]


def pair(tmp: Path, **changes: Any) -> tuple[Run, Run]:
    data = helpers.tiny(tmp / "data", documents=DOCUMENTS)
    mine, other = BASE, {**BASE, **changes}
    return helpers.done(data, tmp / "out", **mine), helpers.done(data, tmp / "out", **other)


@pytest.mark.parametrize(("changes", "stage", "reason"), CASES, ids=[f"{c[1]}-{c[2]}" for c in CASES])
def test_one_thing_changed_is_the_first_stage_and_the_reason(
    tmp_path: Path, changes: dict[str, Any], stage: str | None, reason: str
) -> None:
    """q5 asks for three chunks in two documents; whichever stage is changed, it is the one that is named."""
    a, b = pair(tmp_path, **changes)
    view = said(a, "diff", a.key, b.key, "q5")
    (change,) = view["queries"]
    assert (change["stage"], change["reason"]) == (stage, reason)
    before = view["stages"][: [s["stage"] for s in view["stages"]].index(stage)] if stage else view["stages"]
    assert all(s["change"] == "same" for s in before)
    assert bool(view["differences"]) == bool(changes)


def test_entered_left_and_moved_by_hand(tmp_path: Path) -> None:
    """Three chunks score alike for q5; RR of size one keeps the first in document order, three keep all."""
    data = helpers.tiny(tmp_path / "data")
    a, b = (helpers.done(data, tmp_path / "out", retrieval="bm25", top_k=k) for k in (1, 3))
    view = said(a, "diff", a.key, b.key, "osprey raven titanium")
    cut = next(s for s in view["stages"] if s["stage"] == "cut")
    assert (cut["entered"], cut["left"], cut["moved"]) == (["birds#0001", "metals#0001"], [], [])
    back = said(a, "diff", b.key, a.key, "q5")
    cut = next(s for s in back["stages"] if s["stage"] == "cut")
    assert (cut["entered"], cut["left"]) == ([], ["birds#0001", "metals#0001"])


def test_change_is_the_share_of_text_that_is_not_common() -> None:
    """[0, 10) and [5, 15): 5 of 15 code points are common. Overlaps in one list count once."""
    assert distance([("d", 0, 10)], [("d", 5, 15)]) == pytest.approx(1 - 5 / 15)
    assert distance([("d", 0, 10), ("d", 5, 20)], [("d", 0, 20)]) == 0.0
    assert distance([("d", 0, 10)], [("e", 0, 10)]) == 1.0
    assert distance([], []) == 0.0
    assert distance([("d", 0, 1)], []) == 1.0


def test_the_whole_run_is_sorted_by_change(tmp_path: Path) -> None:
    a, b = pair(tmp_path, fusion__constant=0, top_k=2, retrieval__legs__vector__depth=2)
    view = said(a, "diff", a.key, b.key)
    changes = [q["change"] for q in view["queries"]]
    assert changes == sorted(changes, reverse=True)
    assert {q["query_id"] for q in view["queries"]} == {f"q{i}" for i in range(1, 6)}
    assert sum(view["first"].values()) == 5
    assert view["stages"] is None
    assert "questions by change" in text(a, "diff", a.key, b.key, "--plain")


def test_across_chunkings_chunks_are_spans(tmp_path: Path) -> None:
    """Windows that overlap have other numbers; document and span say which of them are the same."""
    a, b = pair(tmp_path, strategy={"name": "fixed_size", "size": 4, "overlap": 1})
    view = said(a, "diff", a.key, b.key, "q1")
    assert view["notes"] == ["the runs chunk differently: chunks are compared by document and span"]
    leg = next(s for s in view["stages"] if s["stage"] == "retrieval.bm25")
    assert all("[" in c for c in (*leg["entered"], *leg["left"]))


def test_runs_over_other_questions_share_none(tmp_path: Path) -> None:
    from runner.errors import RequestError

    a = helpers.done(helpers.tiny(tmp_path / "data"), tmp_path / "out")
    queries = [{"query_id": "q1", "text": "another text"}]
    b = helpers.done(helpers.tiny(tmp_path / "more", queries=queries, gold=[]), tmp_path / "out")
    with pytest.raises(RequestError, match="share no question: nothing to compare"):
        text(a, "diff", a.key, b.key)
