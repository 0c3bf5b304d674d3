"""`inspect query`: numbers by hand, terms that add up, and a stored question asked as if it were new."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import drawn
import helpers
import pytest
from helpers import ONCE, TWICE
from inspector.shown import asked, hybrid, said, text

from runner.errors import RequestError
from runner.inspector.query_records import CandidateView, QueryView, TermWeight
from runner.runs import Run
from runner.verbs.inspect import inspect

VARIANTS = ["lucene", "robertson", "atire", "bm25l", "bm25+"]


def candidates(view: QueryView) -> list[CandidateView]:
    return [*view.hits, *(view.misses or ())]


def test_a_candidate_by_hand(tmp_path: Path) -> None:
    """`copper` stands in metals#0000 and trees#0000, both alike: document order decides, one is returned."""
    run = hybrid(tmp_path, retrieval="bm25", top_k=1)
    view = asked(run, "q2")
    (hit,), (miss,) = view.hits, view.misses or ()
    twice = pytest.approx(TWICE, rel=1e-6)
    assert (hit.chunk_id, hit.final_rank, hit.final_score, hit.fate) == ("metals#0000", 1, twice, "hit")
    assert (hit.start, hit.end, hit.row, hit.row_type) == (0, 26, None, "body")
    assert hit.text == "copper zinc nickel cobalt "
    assert hit.signals["bm25"].terms == (TermWeight("copper", 1, True, twice),)
    assert (miss.chunk_id, miss.fate, miss.drop_stage) == ("trees#0000", "dropped", "cut")
    assert (miss.drop_reason, miss.drop_value, miss.drop_limit) == ("beyond top_k", 2.0, 1.0)
    assert view.window.heading == "bounded window, not exhaustive: 2 of 6 chunks"
    assert [(s.stage, s.rows_in, s.rows_out, s.dropped) for s in view.funnel] == [
        ("retrieval.bm25", 6, 2, 4), ("fusion", 2, 2, 0), ("cut", 2, 1, 1), ("expansion", 1, 1, 0),
    ]  # fmt: skip
    assert all(s.ms is not None and s.ms >= 0 for s in view.funnel)


def test_terms_by_hand(tmp_path: Path) -> None:
    """A term that is asked for twice counts twice; a stop word and an unknown word weigh nothing."""
    data = helpers.tiny(
        tmp_path / "data", queries=[{"query_id": "q", "text": "the raven osprey raven dodo"}], gold=[]
    )
    view = asked(helpers.done(data, tmp_path / "out", retrieval="bm25"), "q")
    terms = {c.chunk_id: c.signals["bm25"].terms for c in view.hits}
    once, both = pytest.approx(ONCE, rel=1e-6), pytest.approx(2 * ONCE, rel=1e-6)
    assert terms == {
        "birds#0001": (TermWeight("raven", 2, True, both),),
        "birds#0000": (TermWeight("osprey", 1, True, once),),
    }


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(4))
def test_terms_add_up_in_every_variant(tmp_path: Path, variant: str, seed: int) -> None:
    """Whatever the texts, the weights add up to the raw score; a share of an absent term is told apart."""
    draw = random.Random(seed)
    words = [f"word{i:02d}" for i in range(12)]

    def words_of(n: int) -> str:
        return " ".join(draw.choices(words, k=n))

    documents = [{"doc_id": f"d{i:02d}", "text": words_of(draw.randint(1, 29))} for i in range(15)]
    queries = [{"query_id": f"q{i}", "text": words_of(draw.randint(1, 5))} for i in range(5)]
    data = helpers.tiny(tmp_path / "data", documents=documents, queries=queries, gold=[])
    run = helpers.done(data, tmp_path / "out", retrieval="bm25", retrieval__legs__bm25__variant=variant)
    for query in queries:
        for c in candidates(asked(run, query["query_id"])):
            signal = c.signals["bm25"]
            terms = signal.terms or ()
            assert sum(t.weight for t in terms) == pytest.approx(signal.score, abs=1e-6)
            assert {t.term for t in terms if t.in_chunk} == set(query["text"].split()) & set(c.text.split())
            assert all(t.in_chunk for t in terms) or variant in ("bm25l", "bm25+")


@pytest.mark.parametrize("fusion", ["bonus", "rrf"])
def test_shown_numbers_recompute_from_those_shown(tmp_path: Path, fusion: str) -> None:
    """Normalised from raw, fused from normalised or ranks, final from rerank: seed 2's formula, and RRF's."""
    run = hybrid(tmp_path, fusion=fusion, reranker="overlap", neighbor_next=1)
    for query_id in ("q1", "q2", "q5"):
        view = asked(run, query_id)
        shown = candidates(view)
        best = max(c.signals["bm25"].score for c in shown if "bm25" in c.signals)
        for c in shown:
            signals = c.signals
            if fusion == "bonus":
                lexical = signals["bm25"].score / best if "bm25" in signals else 0.0
                near = max(signals["vector"].score, 0.0) if "vector" in signals else 0.0
                norms = {"bm25": lexical, "vector": near}
                assert all(s.normalized == pytest.approx(norms[leg]) for leg, s in signals.items())
                assert c.fused_score == pytest.approx(max(lexical, near) + 0.3 * min(lexical, near))
            else:
                assert c.fused_score == pytest.approx(sum(1 / (60 + s.rank) for s in signals.values()))
            assert c.rerank_rank is not None
            assert c.fused_rank is not None
            assert c.rerank_movement == c.fused_rank - c.rerank_rank
            assert (c.final_score == c.rerank_score) == (c.fate == "hit")
        for part in ("fused", "rerank"):
            ranked = sorted(shown, key=lambda c: getattr(c, f"{part}_rank"))
            assert all(
                getattr(a, f"{part}_score") >= getattr(b, f"{part}_score") for a, b in pairwise(ranked)
            )
        assert view.context_tokens == sum(m.tokens for m in view.retrieved_chunks)


@pytest.mark.parametrize("seed", range(12))
def test_a_stored_question_asked_as_if_new_is_the_same(tmp_path: Path, seed: int) -> None:
    """The same code path over the same artifacts, whatever the config: every shown number but the times."""
    run = hybrid(tmp_path, **drawn.changes(seed))
    for query_id in ("q1", "q2", "q3", "q4", "q5"):
        recorded, executed = asked(run, query_id), asked(run, query_id, execute=True)
        assert executed.origin == "executed"
        assert _still(executed) == replace(_still(recorded), origin="executed")


def _still(view: QueryView) -> QueryView:
    """A view without what is of the moment, or of all questions of the run together."""
    funnel = tuple(replace(s, ms=None) for s in view.funnel)
    return replace(view, funnel=funnel, timed="", notes=())


def test_a_new_text_is_answered_by_the_same_pipeline(tmp_path: Path) -> None:
    """The text of q1 under another name: same candidates; the run itself is left as it was."""
    run = hybrid(tmp_path)
    before = {p: p.read_bytes() for p in run.path.iterdir()}
    known, new = (
        said(run, "query", "finch magpie", "--show-misses"),
        said(run, "query", "Finch, magpie!", "--show-misses"),
    )
    assert (known["origin"], new["origin"]) == ("recorded", "executed")
    assert [h["signals"]["bm25"] for h in new["hits"] if h["signals"].get("bm25")] == [
        h["signals"]["bm25"] for h in known["hits"] if h["signals"].get("bm25")
    ]
    assert new["query_id"] == "(new text)"
    assert new["measures"] == {}
    assert {p: p.read_bytes() for p in run.path.iterdir()} == before
    assert said(run, "query", "q1", "--execute")["origin"] == "executed"


def test_thresholds_and_filter_say_what_they_dropped(tmp_path: Path) -> None:
    run = hybrid(tmp_path, threshold={"similarity": 0.4}, filter={"lang": "en"})
    view = asked(run, "q2")
    by_stage = {s.stage: s for s in view.funnel}
    dropped = [c for c in view.misses or () if c.drop_stage == "filter"]
    assert [c.doc_id for c in dropped] == ["trees"]
    assert by_stage["filter"].dropped == 1
    below = [c for c in view.misses or () if c.drop_stage == "threshold"]
    assert by_stage["threshold.similarity.vector"].dropped == len(below) > 0
    assert all(c.drop_limit == 0.4 and c.drop_value == c.signals["vector"].score < 0.4 for c in below)
    assert sum(s.dropped for s in view.funnel[2:]) == len(view.misses or ())


def test_reasons_and_a_fallback_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from runner.reranker import overlap

    def fail(*_: object) -> None:
        raise ValueError("no memory")

    monkeypatch.setattr(overlap._OverlapScorer, "score", fail)
    run = hybrid(tmp_path, reranker={"name": "overlap", "pool": 20, "on_error": "fallback"})
    view = asked(run, "q1")
    assert view.reranker is not None
    assert view.reranker.fallback == "ValueError: no memory"
    assert "fused order kept: ValueError: no memory" in text(run, "query", "q1")
    assert "bm25: no query terms" in asked(run, "q4").reasons


def test_gold_says_which_stage_lost_it(tmp_path: Path) -> None:
    """q1's quote is in its first hit; `xylophone` is in no chunk, so BM25 never reaches `birch`."""
    run = hybrid(tmp_path, retrieval="bm25")
    stages = {q: [(g.doc_id, g.stage, g.covered) for g in asked(run, q).gold] for q in ("q1", "q3", "q4")}
    assert stages == {"q1": [("birds", "found", 1.0)], "q3": [("trees", "outside_window", 0.0)], "q4": []}
    assert "outside_window" in text(run, "query", "q3")


def test_text_has_every_part(tmp_path: Path) -> None:
    run = hybrid(tmp_path, reranker="overlap", neighbor_next=1)
    shown = text(run, "query", "finch magpie", "--explain", "--show-misses", "--plain")
    for part in (
        "funnel", "hits: 3", "misses: bounded window, not exhaustive: ", "bm25 terms  finch ", " = ",
        "expansion tree", "context: ", "SpanR@3", "↑", "cut: beyond top_k", "max+0.3*min/v1",
    ):  # fmt: skip
        assert part in shown, part


def test_a_run_whose_legs_cannot_be_asked_is_still_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plugin that is gone: the trace is there, units and terms are not."""
    run = hybrid(tmp_path)

    def gone(*_: Any) -> None:
        raise RequestError("retrieval: there is no 'bm25'")

    monkeypatch.setattr("runner.registry.parse", gone)
    view = said(run, "query", "q1", "--explain")
    assert view["hits"][0]["signals"]["bm25"]["terms"] is None
    assert any("cannot be asked" in n for n in view["notes"])


def test_requests_that_are_wrong(tmp_path: Path) -> None:
    run: Run = hybrid(tmp_path)
    with pytest.raises(RequestError, match="say: python -m runner inspect chunks DOC"):
        inspect([])
    for words, why in [
        (["chunk"], "there is no view 'chunk'; did you mean 'chunks'"),
        (["query"], "say: python -m runner inspect query TEXT"),
        (["query", "a", "--top", "3"], "there is no option '--top'"),
        (["chunks", "bird"], "has no document 'bird'; did you mean 'birds'"),
        (["neighbors", "birds#0009"], "has no chunk 'birds#0009'; did you mean 'birds#000"),
        (["neighbors", "birds#0000", "--top", "none"], "--top: 'none' is no whole number above 0"),
        (["diff", "latest", "latest", "q9"], "share no question 'q9'"),
        (["chunks", "birds", "--run", "zz"], "there is no run 'zz'"),
    ]:  # fmt: skip
        with pytest.raises(RequestError, match=why.replace("(", r"\(")):
            text(run, *words)
