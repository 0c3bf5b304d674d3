"""One run end to end on the tiny data set, every value written out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from helpers import CHUNKS, ONCE, TWICE, config, done, session, tiny

from runner import pipeline, registry
from runner.embedding.hashing import Hashing
from runner.errors import RequestError
from runner.runs import Run


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tiny(tmp_path / "data")


def _rows(run: Run, table: str, query: str, *columns: str) -> list[tuple[Any, ...]]:
    return run.table(table).filter(query_id=query).select(columns).rows()


def test_bm25_by_hand(data: Path, tmp_path: Path) -> None:
    run = done(data, tmp_path / "out", retrieval="bm25", top_k=2, neighbor_prev=1, neighbor_next=1)
    columns = ("chunk_id", "bm25_score", "bm25_rank", "fused_score", "final_rank", "fate", "drop_stage")
    once, twice = pytest.approx(ONCE, rel=1e-6), pytest.approx(TWICE, rel=1e-6)
    two = pytest.approx(2 * ONCE, rel=1e-6)
    assert _rows(run, "candidates", "q1", *columns) == [("birds#0001", two, 1, two, 1, "hit", None)]
    assert _rows(run, "candidates", "q2", *columns) == [
        ("metals#0000", twice, 1, twice, 1, "hit", None),
        ("trees#0000", twice, 2, twice, 2, "hit", None),
    ]
    # osprey, raven and titanium weigh alike: document order decides, and the third is cut
    assert _rows(run, "candidates", "q5", *columns) == [
        ("birds#0000", once, 1, once, 1, "hit", None),
        ("birds#0001", once, 2, once, 2, "hit", None),
        ("metals#0001", once, 3, once, None, "dropped", "cut"),
    ]
    cut = _rows(run, "candidates", "q5", "drop_reason", "drop_value", "drop_limit")[2]
    assert cut == ("beyond top_k", 3.0, 2.0)
    assert _rows(run, "expansion", "q5", "hit_rank", "offset", "chunk_id", "role") == [
        (1, 0, "birds#0000", "hit"), (1, 1, "birds#0001", "hit"),
        (2, -1, "birds#0000", "hit"), (2, 0, "birds#0001", "hit"), (2, 1, "birds#0002", "neighbor"),
    ]  # fmt: skip
    assert _rows(run, "context", "q2", "position", "chunk_id", "role", "tokens") == [
        (1, "metals#0000", "hit", 4), (2, "metals#0001", "neighbor", 4), (3, "trees#0000", "hit", 4),
    ]  # fmt: skip


def test_measures_by_hand(data: Path, tmp_path: Path) -> None:
    """q5's gold is `raven swift linnet`: raven (5 characters) is in birds#0001, the rest in its neighbor."""
    run = done(data, tmp_path / "out", retrieval="bm25", neighbor_next=1)
    gold = len("raven swift linnet")
    values = {(q, m): v for q, m, v in run.table("measures").iter_rows()}
    assert values["q5", "SpanR@3"] == pytest.approx(len("raven ") / gold)
    assert values["q5", "SpanR@3+"] == 1.0
    assert values["q1", "SpanR@3"] == values["q2", "SpanR@3"] == 1.0
    assert values["q5", "RR@3"] == 1 / 2
    assert values["q2", "Tokens@3+"] == 4 + 4 + 4
    assert values["q3", "SpanR@3"] == values["q3", "RR@3"] == 0.0
    assert {q for q, _ in values} == {"q1", "q2", "q3", "q5"}
    means = {m["measure"]: (m["mean"], m["n"]) for m in run.measures}
    assert means["RR@3"] == ((1 + 1 + 0 + 1 / 2) / 4, 4)
    assert (run.meta["judged"]["unanswered"], run.meta["judged"]["excluded"]) == (1, 1)


def test_a24_queries_without_terms_say_why_and_count(data: Path, tmp_path: Path) -> None:
    run = done(data, tmp_path / "out", retrieval="bm25")
    table = run.table("queries")
    assert dict(table.select("query_id", "reasons").iter_rows()) == {
        "q1": "", "q2": "", "q3": "bm25: no match", "q4": "bm25: no query terms", "q5": "",
    }  # fmt: skip
    assert dict(table.select("query_id", "n_gold").iter_rows()) == {
        "q1": 1,
        "q2": 2,
        "q3": 1,
        "q4": 0,
        "q5": 1,
    }
    assert run.table("candidates").filter(pl.col("query_id").is_in(["q3", "q4"])).height == 0


@pytest.mark.parametrize("fusion", ["rrf", "bonus", "weighted"])
def test_a24_in_hybrid_they_get_the_vector_list_alone(fusion: str, data: Path, tmp_path: Path) -> None:
    hybrid = done(data, tmp_path / "out", fusion=fusion, top_k=6)
    alone = done(data, tmp_path / "out", retrieval="vector", top_k=6)
    for query in ("q3", "q4"):
        mine = _rows(hybrid, "candidates", query, "chunk_id", "vector_score", "vector_rank", "bm25_rank")
        assert sorted(r[:3] for r in mine) == sorted(
            _rows(alone, "candidates", query, "chunk_id", "vector_score", "vector_rank")
        )
        assert {r[3] for r in mine} == {None}
        if fusion == "rrf":  # the others clamp or scale what is below 0
            assert [r[0] for r in mine] == [r[0] for r in _rows(alone, "candidates", query, "chunk_id")]


def test_vectors_by_brute_force(data: Path, tmp_path: Path) -> None:
    run = done(data, tmp_path / "out", retrieval="vector", top_k=6)
    encoder = Hashing(dimensions=64).load(1, "cpu")
    chunks, queries = (
        encoder.encode(t, lambda n: None).vectors.astype(float)
        for t in (run.chunks["text"].to_list(), run.table("queries")["text"].to_list())
    )
    right = chunks @ queries.T
    for i, query in enumerate(run.table("queries")["query_id"]):
        found = _rows(run, "candidates", query, "chunk_id", "vector_score")
        best = sorted(range(6), key=lambda c, i=i: (-right[c, i], c))
        assert found == [(CHUNKS[c], pytest.approx(right[c, i], abs=1e-12)) for c in best]


def test_a_filter_marks_and_does_not_remove(data: Path, tmp_path: Path) -> None:
    run = done(data, tmp_path / "out", retrieval="bm25", filter={"lang": "de"})
    assert _rows(run, "candidates", "q2", "chunk_id", "final_rank", "drop_stage", "drop_reason") == [
        ("trees#0000", 1, None, None),
        ("metals#0000", None, "filter", "metadata does not match the filter"),
    ]
    (stage,) = (s for s in run.meta["stages"] if s["stage"] == "filter")
    assert (stage["rows_in"], stage["rows_out"], stage["dropped"]) == (6, 1, 5)
    listed = done(data, tmp_path / "out", retrieval="bm25", filter={"year": ["2021"], "lang": "en"})
    assert listed.table("candidates").filter(fate="hit")["chunk_id"].to_list() == [
        "metals#0000",
        "metals#0001",
    ]
    with pytest.raises(RequestError, match=r"filter\.langg: no document has this .* did you mean 'lang'"):
        done(data, tmp_path / "out", filter={"langg": "en"})


def test_a36_thresholds(data: Path, tmp_path: Path) -> None:
    for limit in (2 / 61, 0.02):
        run = done(data, tmp_path / "out", fusion="rrf", threshold={"similarity": 0.2, "score": limit})
        assert run.table("candidates").filter(pl.col("vector_admitted"))["vector_score"].min() >= 0.2
        kept = run.table("candidates").filter(fate="hit")
        assert kept.height == 0 or kept["fused_score"].min() >= limit
        dropped = run.table("candidates").filter(drop_stage="threshold")
        assert (dropped["drop_value"] < dropped["drop_limit"]).all()
    for score, fusion in ((2 / 61 + 1e-6, "rrf"), (1.31, "bonus"), (1.01, "weighted")):
        with pytest.raises(RequestError, match=r"threshold\.score: .* is above .* the most that"):
            done(data, tmp_path / "out", fusion=fusion, threshold={"score": score})


def test_the_overlap_reranker_by_hand(data: Path, tmp_path: Path) -> None:
    """q5 has three words, chunks four: one shared word is 1 / √(3 · 4); all tie, document order decides."""
    run = done(
        data, tmp_path / "out", retrieval="bm25", reranker={"name": "overlap", "pool": 2, "on_error": "raise"}
    )
    share = pytest.approx(1 / (3 * 4) ** 0.5)
    assert _rows(run, "candidates", "q5", "chunk_id", "rerank_score", "rerank_rank", "final_rank") == [
        ("birds#0000", share, 1, 1), ("birds#0001", share, 2, 2), ("metals#0001", None, None, 3),
    ]  # fmt: skip
    last = _rows(run, "candidates", "q5", "final_score", "fused_score")[2]
    assert last[0] == last[1] == pytest.approx(ONCE, rel=1e-6)


def test_what_is_recorded_can_be_asked_again(data: Path, tmp_path: Path) -> None:
    run = done(data, tmp_path / "out", neighbor_next=1)
    written = yaml.safe_load((run.path / "config.yaml").read_text("utf-8"))
    again, outside = registry.parse_run(written)
    assert outside.experiment.name == "default"
    assert pipeline.run(again, session(tmp_path / "out")).run_key == run.key
    assert json.loads((run.path / "run.json").read_text("utf-8"))["config"] == run.config
    assert registry.parse_run(run.config)[0] == config(data, neighbor_next=1)


def test_every_declared_stage_is_recorded_with_its_parameters(data: Path, tmp_path: Path) -> None:
    run = done(
        data, tmp_path / "out", reranker="overlap", filter={"lang": "en"}, neighbor_prev=1,
        threshold={"similarity": 0.1, "score": 0.05}, retrieval__legs__bm25__depth=4,
    )  # fmt: skip
    stages = {s["stage"]: s for s in run.meta["stages"]}
    assert list(stages) == [
        "strategy", "embedding", "retrieval.bm25", "retrieval.vector", "filter",
        "threshold.similarity.vector", "fusion", "threshold.score", "reranker", "cut", "expansion",
    ]  # fmt: skip
    assert stages["retrieval.bm25"]["depth"] == 4
    assert stages["threshold.similarity.vector"]["limit"] == 0.1
    assert stages["fusion"]["formula"] == "max+0.3*min/v1"
    assert stages["threshold.score"]["limit"] == 0.05
    assert stages["reranker"]["pool"] == 20
    assert stages["cut"]["top_k"] == 3
    assert (stages["expansion"]["neighbor_prev"], stages["expansion"]["neighbor_next"]) == (1, 0)
    few = done(data, tmp_path / "out", retrieval="bm25", strategy="document")
    assert [s["stage"] for s in few.meta["stages"]] == [
        "strategy",
        "retrieval.bm25",
        "fusion",
        "cut",
        "expansion",
    ]


def test_a_data_set_without_queries_or_gold(tmp_path: Path) -> None:
    for name, parts in (("none", {"queries": [], "gold": []}), ("gold", {"gold": []})):
        run = done(tiny(tmp_path / name, **parts), tmp_path / "out")
        assert run.measures == []
        assert run.table("measures").height == 0
        assert "no query has a positive judgment: there is nothing to measure" in run.meta["warnings"]


def test_a_second_leg_of_the_same_kind(data: Path, tmp_path: Path) -> None:
    legs = {"words": {"name": "bm25", "k1": 0.9}, "bm25": {}, "vector": {}}
    run = done(data, tmp_path / "out", fusion="rrf", retrieval={"name": "three", "legs": legs})
    assert run.legs == ["bm25", "vector", "words"]
    components = {s["stage"]: s["component"] for s in run.meta["stages"]}
    assert components["retrieval.words"] == "bm25"
    row = run.table("candidates").filter(query_id="q1", final_rank=1)
    assert row["fused_score"].item() == pytest.approx(3 / 61)
