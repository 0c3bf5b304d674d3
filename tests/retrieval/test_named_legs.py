"""Legs in whole runs: several of one kind under names of their own, and how exact an approximate one was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import helpers
import numpy as np
import polars as pl
import pytest
from command import Line

from runner import pipeline
from runner.keyring import keyring
from runner.parts import parts
from runner.retrieval.hnsw import HNSW
from runner.runs import Run
from runner.traces import traces as query_traces

DOCUMENTS: list[dict[str, Any]] = [
    {"doc_id": "code", "text": "getHTTPResponse2 parse_tokens os.path.join"},
    {"doc_id": "prose", "text": "the response of an owl is a hoot"},
]
QUERIES: list[dict[str, Any]] = [{"query_id": "q1", "text": "response"}, {"query_id": "q2", "text": "tokens"}]
GOLD: list[dict[str, Any]] = [
    {"query_id": "q1", "doc_id": "code", "quote": "getHTTPResponse2"},
    {"query_id": "q2", "doc_id": "code", "quote": "parse_tokens"},
]
TWO = {"name": "two", "legs": {"bm25": {}, "bm25_code": {"name": "bm25", "terms": "code"}}}


@pytest.fixture
def code(tmp_path: Path) -> Path:
    return helpers.tiny(tmp_path / "data", documents=DOCUMENTS, queries=QUERIES, gold=GOLD)


def test_two_legs_of_one_kind_have_their_own_columns_indexes_and_ranks(code: Path, tmp_path: Path) -> None:
    session = helpers.session(tmp_path / "out")
    config = helpers.config(code, retrieval=TWO, fusion="rrf", strategy__size=20)
    outcome = pipeline.run(config, session)
    assert outcome.counters["indexes_built"] == 2
    run = Run(tmp_path / "out", outcome.run_key)
    assert run.legs == ["bm25", "bm25_code"]
    rows = run.table("candidates").select("query_id", "chunk_id", "bm25_rank", "bm25_code_rank", "fused_rank")
    assert rows.rows() == [
        ("q1", "prose#0000", 1, 1, 1), ("q1", "code#0000", None, 2, 2), ("q2", "code#0000", None, 1, 1),
    ]  # fmt: skip
    assert [s["stage"] for s in run.meta["stages"] if s["stage"].startswith("retrieval.")] == [
        "retrieval.bm25", "retrieval.bm25_code",
    ]  # fmt: skip
    trace = next(iter(query_traces(run, ["q1"])))
    assert [sorted(c.legs) for c in trace.candidates] == [["bm25", "bm25_code"], ["bm25_code"]]
    reasons = dict(run.table("queries").select("query_id", "reasons").iter_rows())
    assert reasons == {"q1": "", "q2": "bm25: no match"}


def test_a_leg_under_another_name_is_the_same_search(code: Path, tmp_path: Path) -> None:
    session = helpers.session(tmp_path / "out")
    for name in ("bm25", "words"):
        last = pipeline.run(
            helpers.config(code, retrieval={"name": "x", "legs": {name: {"name": "bm25"}}}), session
        )
    assert (last.counters["searches_run"], last.counters["indexes_built"], last.found) == (0, 0, False)


def test_named_legs_from_the_command_line(line: Line) -> None:
    said = line.fast("+retrieval.legs.bm25_code={name:bm25,terms:code}", "fusion=rrf")
    assert said.code == 0, said.err
    columns = Run(line.outputs, line.runs()[0]).table("candidates").columns
    assert {"bm25_rank", "bm25_code_rank", "vector_rank"} <= set(columns)


@pytest.mark.parametrize("name", ["fused", "rerank_2", "final", "drop", "order", "Bm25", "bm-25"])
def test_a_name_that_cannot_be_a_columns_is_refused(name: str, line: Line) -> None:
    assert "cannot name a leg" in line.refusal(f"+retrieval.legs={{{name}:{{name:bm25}}}}")


def test_a_language_can_be_swept(line: Line) -> None:
    assert line.fast("-m", "retrieval=bm25", "retrieval.legs.bm25.language=en,de,zh").code == 0
    assert len(line.runs()) == 3


@pytest.fixture
def hnsw(tmp_path: Path) -> Run:
    data = helpers.tiny(tmp_path / "data")
    return helpers.done(data, tmp_path / "out", retrieval="hnsw")


def test_recall_is_a_column_a_measure_and_a_rollup(hnsw: Run) -> None:
    queries = hnsw.table("queries")
    assert queries["hnsw_recall"].to_list() == [1.0] * 5
    row = next(s for s in hnsw.meta["stages"] if s["stage"] == "retrieval.hnsw")
    assert row["recall"] == {"at": 100, "mean": 1.0, "least": 1.0, "n": 5, "short": 0}
    assert hnsw.measures[-1] == {"measure": "ExactR(hnsw)@100", "mean": 1.0, "std": 0.0, "n": 4}
    values = hnsw.table("measures")
    assert values.filter(pl.col("measure") == "ExactR(hnsw)@100")["value"].to_list() == [1.0] * 4
    assert values["query_id"].to_list() == sorted(values["query_id"].to_list())
    assert not [w for w in hnsw.meta["warnings"] if "recall" in w]


def test_exact_legs_say_nothing_of_recall(tmp_path: Path) -> None:
    """Off means absent."""
    run = helpers.done(helpers.tiny(tmp_path / "data"), tmp_path / "out", retrieval="vector")
    assert run.table("queries").columns == ["query_id", "text", "n_gold", "reasons"]
    assert not [m for m in run.measures if "ExactR" in m["measure"]]
    assert not [s for s in run.meta["stages"] if "recall" in s]


def test_a_poor_recall_is_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph that always answers with the first chunk alone."""

    def first(self: HNSW, index: object, asked: np.ndarray) -> Any:
        return (np.zeros(1, np.int64) for _ in asked)

    monkeypatch.setattr(HNSW, "_near", first)
    data = helpers.tiny(tmp_path / "data")
    two = {"name": "x", "legs": {"graph": {"name": "hnsw", "depth": 5}, "vector": {}}}
    run = helpers.done(data, tmp_path / "out", retrieval=two, fusion="rrf")
    recalls = run.table("queries")["graph_recall"].to_list()
    assert max(recalls) <= 0.2
    (said,) = [w for w in run.meta["warnings"] if "recall" in w]
    assert said.startswith("leg graph: recall@5 against exact search is 0.")
    assert run.measures[-1]["measure"] == "ExactR(graph)@5"
    assert run.measures[-1]["mean"] == pytest.approx(
        np.mean([r for r, n in zip(recalls, run.table("queries")["n_gold"], strict=True) if n])
    )


def test_the_graph_survives_a_change_of_width(tmp_path: Path) -> None:
    data, session = helpers.tiny(tmp_path / "data"), helpers.session(tmp_path / "out")
    for width in (128, 256):
        legs = {"hnsw": {"expansion_search": width}}
        last = pipeline.run(helpers.config(data, retrieval={"name": "hnsw", "legs": legs}), session)
    assert (last.counters["searches_run"], last.counters["indexes_built"]) == (1, 0)


def test_identities_of_legs_are_recorded(hnsw: Run, tmp_path: Path) -> None:
    assert set(hnsw.meta["identities"]["retrieval.hnsw"]) == {"usearch"}
    data = tmp_path / "data"
    made = helpers.config(data, retrieval="bm25")
    found = keyring(parts(made), helpers.session(tmp_path / "out")).identities
    assert set(found["retrieval.bm25"]) == {"PyStemmer", "bm25s", "unicode"}
