"""Counterfactuals: what a change is said to bring is what a run of the changed config has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attribution.questions import many
from drawn import changes as drawn
from helpers import config, done, session, tiny

from runner import counterfactual, single
from runner.changes import UNDOES, changes
from runner.errors import ComponentError
from runner.fates import FOUND, STAGES
from runner.loss_records import Change, Confirmation
from runner.pipeline import run as run_of
from runner.runs import Run


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One outputs folder for all configs."""
    at = tmp_path_factory.mktemp("counterfactual")
    many(at / "data")
    return at


@pytest.mark.parametrize("seed", [1, 5, 9, 13, 22, 26])
def test_a_run_of_the_changed_config_agrees(seed: int, place: Path) -> None:
    """For three questions: every change, in the order tried, against the recorded run of its config."""
    run = done(place / "data", place / "out", **drawn(seed))
    asked, own = single.reopened(run.meta, run.outputs)
    n = run.meta["chunking"]["chunks"]
    lost = run.table("attribution").filter(~run.table("attribution")["stage"].is_in(FOUND))
    for query_id in lost["query_id"].unique(maintain_order=True)[:3]:
        mine = lost.filter(query_id=query_id, drop_reason="beyond top_k")
        expected = list(changes(asked, [int(v) for v in mine["drop_value"]], n))
        said = counterfactual.confirm(asked, own, query_id)
        tried = {c.says: c for c in said.changes}
        assert len(said.changes) + len(said.not_tried) == len(expected)
        for changed in (c for c in expected if c.says in tried):
            right = Run(place / "other", run_of(changed.config, session(place / "other")).run_key)
            now = right.table("attribution").filter(query_id=query_id)["stage"].to_list()
            tokens = right.table("context").filter(query_id=query_id)["tokens"].sum()
            assert (list(tried[changed.says].stages), tried[changed.says].tokens) == (now, tokens)


def _confirmed(tmp_path: Path, query_id: str, **more: Any) -> Confirmation:
    tmp_path.mkdir(exist_ok=True)
    out = tmp_path / "out"
    run = done(tiny(tmp_path / "data"), out, **more)
    before = sorted(p for p in (out / "runs").rglob("*"))
    found = counterfactual.confirm(*single.reopened(run.meta, out), query_id)
    assert sorted(p for p in (out / "runs").rglob("*")) == before
    return found


def _one(found: Confirmation, kind: str) -> Change:
    (change,) = [c for c in found.changes if c.kind == kind]
    return change


def test_top_k_by_hand(tmp_path: Path) -> None:
    """`copper`: two chunks of four words alike, the second is cut off; top_k 2 has it for four tokens."""
    found = _confirmed(tmp_path, "q2", retrieval="bm25", top_k=1)
    change = _one(found, "top_k")
    assert change == Change("top_k", "top_k 1 → 2", ("found", "found"), 1, 0, 8, 4)
    (verdict,) = found.verdicts
    assert (verdict.item, verdict.stage, verdict.confirmed) == (1, "top_k", True)
    assert (verdict.by, verdict.cheapest, verdict.then) == (("top_k 1 → 2",), "top_k 1 → 2", ())


def test_a_deeper_window_alone_may_not_be_enough(tmp_path: Path) -> None:
    """One hit deep, the second is outside the window; deeper it is there, and top_k then cuts it off."""
    one = {"name": "bm25", "legs": {"bm25": {"depth": 1}}}
    found = _confirmed(tmp_path, "q2", retrieval=one, top_k=1)
    assert _one(found, "window").stages == ("found", "top_k")
    (verdict,) = found.verdicts
    assert (verdict.stage, verdict.confirmed, verdict.then) == ("outside_window", False, ("top_k",))
    enough = _confirmed(tmp_path / "other", "q2", retrieval=one, top_k=3)
    assert _one(enough, "window").stages == ("found", "found")
    assert enough.verdicts[0].by == ("depth of every leg (bm25 1) → all 6 chunks",)


def test_filter_threshold_and_neighbors_by_hand(tmp_path: Path) -> None:
    """q2 with `lang: en` loses trees, which is German; q5's gold lies across two chunks."""
    found = _confirmed(tmp_path, "q2", retrieval="bm25", filter={"lang": "en"})
    assert _one(found, "filter").stages == ("found", "found")
    assert found.verdicts[0].by == ("filter lang=en → off",)
    found = _confirmed(tmp_path / "score", "q2", retrieval="bm25", threshold={"score": 0.9})
    assert [c.brings_back for c in found.changes if c.kind == "score"] == [2]
    assert [v.stage for v in found.verdicts] == ["below_score", "below_score"]
    found = _confirmed(tmp_path / "split", "q5", retrieval="bm25", top_k=2)
    neighbors = {c.says: c.stages for c in found.changes if c.kind == "neighbors"}
    assert neighbors["neighbors ±0/0 → ±0/1"] == ("expansion_recovered",)
    # The chunk whose window then holds it, birds#0002, shares no word with the question.
    assert neighbors["neighbors ±0/0 → ±1/0"] == ("outside_window",)
    assert found.verdicts[0].confirmed
    assert found.verdicts[0].cheapest == "neighbors ±0/0 → ±0/1"
    assert {c.stages for c in found.changes if c.kind == "chunking"} == {("found",)}


def test_what_is_dear_is_not_tried_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two other chunkings, a text per document; that of trees is one of the chunks already."""
    monkeypatch.setattr(counterfactual, "AFFORDED", 1)
    out = tmp_path / "out"
    run = done(tiny(tmp_path / "data"), out, retrieval="vector", top_k=1)
    asked, own = single.reopened(run.meta, out)
    found = counterfactual.confirm(asked, own, "q5")
    assert [said.rpartition(": ")[2] for said in found.not_tried] == [
        "would embed 2 texts; --all tries it"
    ] * 2
    assert own.counters.texts_embedded == 0
    allowed = counterfactual.confirm(asked, own, "q5", all_of_them=True)
    assert (allowed.not_tried, own.counters.texts_embedded) == ((), 2)


def test_what_cannot_run_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change that fails is listed with its reason, and the others are tried."""
    whole = single.execute_single

    def failing(config: Any, *args: Any, **named: Any) -> Any:
        if config.strategy.name == "heading":
            raise ComponentError("no such luck")
        return whole(config, *args, **named)

    monkeypatch.setattr(counterfactual, "execute_single", failing)
    found = _confirmed(tmp_path, "q2", retrieval="bm25", top_k=1)
    assert found.not_tried == ("strategy fixed_size → heading (whole sections): no such luck",)
    assert _one(found, "top_k").brings_back == 1


def test_every_loss_but_one_can_be_undone(tmp_path: Path) -> None:
    """A config with everything on is offered every kind of change."""
    assert set(UNDOES) == set(STAGES) - {*FOUND, "not_in_corpus"}
    whole = config(
        tmp_path, reranker={"name": "overlap", "pool": 5, "on_error": "raise"}, filter={"lang": "en"},
        threshold={"similarity": 0.1, "score": 0.2},
    )  # fmt: skip
    offered = list(changes(whole, [7, 9], 1000))
    assert {c.kind for c in offered} == {kind for kinds in UNDOES.values() for kind in kinds}
    assert [c.says for c in offered if c.kind == "top_k"] == ["top_k 3 → 7", "top_k 3 → 9"]
    assert [c.says for c in offered if c.kind == "leg"] == ["the leg bm25 alone", "the leg vector alone"]
    assert all(c.config != whole for c in offered)
