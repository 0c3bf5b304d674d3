"""The inspector's specification as a table: each field and rule, the command and JSON path that show it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import helpers
import pytest
from inspector.shown import asked, said
from pydantic import TypeAdapter

from runner.inspector import chunk_records, query_records, records
from runner.inspector.json_form import View
from runner.retrieval.bm25 import BM25
from runner.runs import Run

NOTES = [
    ("tea", "# Tea\n\nGreen leaves in hot water.\n\n- [taste] bitter and green\n- grows_in [[Hills]]\n"),
    ("hills", "# Hills\n\nRain falls on hills.\n\n- [height] a thousand metres\n- feeds [[River]]\n"),
    ("river", "# River\n\nWater runs to the sea.\n\n- [length] long and green\n- ends_in [[Sea]]\n"),
]
CHUNK = "document.rows[].chunks[]"
SEED = [
    # 1. Chunk inspection
    ("owning entity", "chunks", "document.doc_id", "tea"),
    ("source row type (entity, observation, or relation)", "chunks", "document.rows[].type", "relation"),
    ("chunk key", "chunks", f"{CHUNK}.chunk_id", "tea#0001"),
    ("ordinal", "chunks", f"{CHUNK}.ordinal", 1),
    ("chunk text", "chunks", f"{CHUNK}.text", str),
    ("source hash", "chunks", f"{CHUNK}.text_digest", str),
    ("source hash of the document", "chunks", "document.text_digest", str),
    ("embedding identity/model", "chunks", f"{CHUNK}.embedding.model", str),
    ("embedding identity, in full", "chunks", "embedding.identity.model", "hashing"),
    ("vector-index identity", "chunks", f"{CHUNK}.indexes.vector", str),
    ("index identity, in full", "chunks", "indexes[].index", str),
    ("readiness (pending or ready)", "chunks", f"{CHUNK}.status", "ready"),
    ("updated timestamp", "chunks", f"{CHUNK}.updated", str),
    ("ids are scoped, current-index locators", "chunks", "run.chunking", str),
    ("project scope", "chunks", "run.corpus", str),
    # 2. Query execution trace, per candidate
    ("source row", "query", "hits[].row_type", str),
    ("matching chunks", "query", "hits[].chunk_id", str),
    ("raw FTS score", "query", "hits[].signals.bm25.score", float),
    ("candidate-set-normalized FTS score", "query", "hits[].signals.bm25.normalized", 1.0),
    ("adapter-normalized vector similarity", "query", "hits[].signals.vector.score", float),
    ("backend-neutral: what the value is", "query", "legs[].unit", "cosine similarity"),
    ("similarity threshold", "query", "threshold.similarity", -0.5),
    ("filter disposition", "query", "misses[].drop_stage", "filter"),
    ("FTS rank", "query", "hits[].signals.bm25.rank", 1),
    ("vector rank", "query", "hits[].signals.vector.rank", int),
    ("fused score", "query", "hits[].fused_score", float),
    ("fused rank", "query", "hits[].fused_rank", 1),
    ("reranker model", "query", "reranker.identity.model", "overlap"),
    ("reranker score", "query", "hits[].rerank_score", float),
    ("reranked rank", "query", "hits[].rerank_rank", 1),
    ("movement by the reranker", "query", "hits[].rerank_movement", int),
    ("final score", "query", "hits[].final_score", float),
    ("final rank", "query", "hits[].final_rank", 1),
    ("rejection reason", "query", "misses[].drop_reason", "beyond top_k"),
    ("rejection: value and limit", "query", "misses[].drop_limit", 2.0),
    ("matched terms and their weight", "query", "hits[].signals.bm25.terms[].weight", float),
    # 2. Query execution trace, per query
    ("retrieval mode", "query", "mode", "hybrid"),
    ("candidate limit", "query", "legs[].depth", 100),
    ("embedding identity of the query", "query", "embedding.model", str),
    ("vector-index identity of the query", "query", "legs[].index.index", str),
    ("fusion formula/version, the 30% bonus", "query", "fusion", "max+0.3*min/v1"),
    ("reranker configuration", "query", "reranker.settings.pool", 20),
    ("whether a failure returned retrieval order", "query", "reranker.fallback", None),
    ("every ranking stage", "query", "funnel[].stage", "reranker"),
    ("misses are of the bounded window", "query", "window.heading", str),
    ("why something did not happen", "query", "reasons", list),
    # 4. Neighbor inspection
    ("nearest chunks", "neighbors", "vector.found[].chunk_id", str),
    ("normalized similarity", "neighbors", "vector.found[].value", float),
    ("exact search by stored key, labelled", "neighbors", "vector.label", "exact cosine of stored vectors"),
]
COMMANDS = {
    "chunks": ["chunks", "tea"],
    "query": ["query", "green water", "--explain", "--show-misses"],
    "neighbors": ["neighbors", "tea#0000"],
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    at = tmp_path_factory.mktemp("seed")
    documents = [{"doc_id": d, "text": t, "metadata": {"wet": d != "hills"}} for d, t in NOTES]
    queries = [{"query_id": "q", "text": "green water"}]
    data = helpers.tiny(at / "data", documents=documents, queries=queries, gold=[])
    changes: dict[str, Any] = {"filter": {"wet": True}, "threshold": {"similarity": -0.5}, "top_k": 2}
    return helpers.done(data, at / "out", strategy="notes", reranker="overlap", **changes)


@pytest.fixture(scope="module")
def views(run: Run) -> dict[str, Any]:
    return {verb: said(run, *words) for verb, words in COMMANDS.items()}


def found(value: Any, path: str) -> list[Any]:
    """What `path` leads to: dots for fields, `[]` for any entry of a list; absent steps lead nowhere."""
    here = [value]
    for step in path.replace("[]", ".[]").split("."):
        here = [i for v in here for i in v] if step == "[]" else [v[step] for v in here if step in v]
    return here


@pytest.mark.parametrize(("what", "verb", "path", "expected"), SEED, ids=[s[0] for s in SEED])
def test_every_field_is_where_the_table_says(
    views: dict[str, Any], what: str, verb: str, path: str, expected: Any
) -> None:
    values = found(views[verb], path)
    assert values, f"{what}: nothing at {path}"
    if isinstance(expected, type):
        assert all(isinstance(v, expected) for v in values), f"{what}: {values}"
    else:
        assert expected in values, f"{what}: {values}"


def test_a_stored_question_is_shown_without_searching(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Retrieval is not run again to reconstruct an explanation: a search would raise."""

    def search(*_: object) -> None:
        raise AssertionError("retrieval was run again")

    for name in ("search", "index"):
        monkeypatch.setattr(BM25, name, search)
    monkeypatch.setattr("runner.pipeline.execute", search)
    assert said(run, *COMMANDS["query"])["origin"] == "recorded"


def test_state_before_the_reranker_is_kept(run: Run) -> None:
    """The same run without a reranker has the same retrieval and fusion state, value by value."""
    config = json.loads(json.dumps(run.config))
    without = helpers.done(
        Path(config["dataset"]["path"]), run.outputs, strategy="notes",
        **{k: config[k] for k in ("filter", "threshold", "top_k")},
    )  # fmt: skip
    mine, other = (
        {c.chunk_id: (c.signals, c.fused_score, c.fused_rank) for c in (*v.hits, *(v.misses or ()))}
        for v in (asked(run, "q"), asked(without, "q"))
    )
    assert mine == other


def test_the_window_is_said_to_be_bounded(views: dict[str, Any]) -> None:
    query = views["query"]
    shown = len(query["hits"]) + len(query["misses"])
    chunks = views["chunks"]["run"]["chunks"]
    assert query["window"]["heading"] == f"bounded window, not exhaustive: {shown} of {chunks} chunks"


def test_similarity_is_the_same_value_whichever_backend_found_it(tmp_path: Path) -> None:
    data = helpers.tiny(tmp_path / "data")
    exact, graph = (helpers.done(data, tmp_path / "out", retrieval=name) for name in ("vector", "hnsw"))
    (leg,) = asked(graph, "q1").legs
    assert leg.unit == "cosine similarity"
    mine, other = (
        {c.chunk_id: s.score for c in (*v.hits, *(v.misses or ())) for s in c.signals.values()}
        for v in (asked(exact, "q1"), asked(graph, "q1"))
    )
    assert mine == other
    assert all(-1 <= score <= 1 for score in mine.values())


def test_records_are_frozen_dataclasses_and_pydantic_is_the_boundary(views: dict[str, Any]) -> None:
    for module in (records, chunk_records, query_records):
        for cls in vars(module).values():
            if dataclasses.is_dataclass(cls) and isinstance(cls, type):
                assert cls.__dataclass_params__.frozen, cls  # type: ignore[attr-defined]
                assert hasattr(cls, "__slots__"), cls
    adapter: TypeAdapter[Any] = TypeAdapter(View)
    for value in views.values():
        assert adapter.dump_python(adapter.validate_python(value), mode="json") == value


def test_ordinary_results_are_not_widened() -> None:
    """Diagnostics have schemas of their own: no record of a run mentions terms, headers or statuses."""
    from runner import records as plain

    ordinary: list[Any] = [plain.Candidate, plain.LegSignal, plain.TreeMember]
    fields = {f.name for c in ordinary for f in dataclasses.fields(c)}
    assert not fields & {"terms", "header", "status", "row_type", "rerank_movement"}
