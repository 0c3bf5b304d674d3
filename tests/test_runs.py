"""The reader of run folders: traces, badges, texts from the store, and references that name a run."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import helpers
import pytest
from command import Line
from helpers import ONCE, done, tiny
from pydantic import TypeAdapter

from runner import named
from runner.errors import RequestError, StoreError
from runner.records import LegSignal, QueryTrace
from runner.runs import Run
from runner.traces import traces as query_traces


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tiny(tmp_path / "data")


def _trace(run: Run, query: str) -> QueryTrace:
    (trace,) = query_traces(run, [query])
    return trace


def test_a_trace_by_hand(data: Path, tmp_path: Path) -> None:
    """q5 finds birds#0000, birds#0001 and metals#0001 alike; two are kept, with a neighbor to either side."""
    run = done(data, tmp_path / "out", retrieval="bm25", top_k=2, neighbor_prev=1, neighbor_next=1)
    trace = _trace(run, "q5")
    assert (trace.text, trace.reasons) == ("osprey raven titanium", ())
    assert [(c.chunk_id, c.final_rank, c.fate, c.drop_stage) for c in trace.candidates] == [
        ("birds#0000", 1, "hit", None), ("birds#0001", 2, "hit", None),
        ("metals#0001", None, "dropped", "cut"),
    ]  # fmt: skip
    once = pytest.approx(ONCE, rel=1e-6)
    assert trace.candidates[1].legs == {"bm25": LegSignal(once, once, 2)}
    assert trace.candidates[0].rerank_score is None
    first, second = trace.expansion_tree
    assert (first.rank, first.score, first.hit.text) == (1, once, "heron kestrel osprey plover ")
    assert first.neighbors_prev == ()
    assert [m.chunk_id for m in first.neighbors_next] == ["birds#0001"]
    assert [m.role for m in second.neighbors_prev + second.neighbors_next] == ["hit", "neighbor"]
    assert [(m.chunk_id, m.role) for m in trace.retrieved_chunks] == [
        ("birds#0000", "hit"), ("birds#0001", "hit"), ("birds#0002", "neighbor"),
    ]  # fmt: skip
    assert (
        "".join(m.text for m in trace.retrieved_chunks)
        == run.chunks.filter(doc_id="birds")["text"].str.join("").item()
    )
    assert trace.measures["RR@3"] == 1 / 2


def test_reasons_and_queries_without_anything(data: Path, tmp_path: Path) -> None:
    run = done(data, tmp_path / "out", retrieval="bm25")
    trace = _trace(run, "q4")
    assert trace.reasons == ("bm25: no query terms",)
    assert (trace.candidates, trace.expansion_tree, trace.retrieved_chunks, trace.measures) == (
        (),
        (),
        (),
        {},
    )
    with pytest.raises(RequestError, match="has no query 'q9'"):
        _trace(run, "q9")
    assert [t.query_id for t in query_traces(run, ["q2", "q1"])] == ["q2", "q1"]


def test_a_withheld_signal_has_no_normalised_score(data: Path, tmp_path: Path) -> None:
    run = done(data, tmp_path / "out", threshold={"similarity": 0.9})
    signals = {c.chunk_id: c.legs for c in _trace(run, "q1").candidates}
    assert signals["birds#0001"]["vector"].normalized is None
    assert signals["birds#0001"]["bm25"].normalized == 1.0


def test_a_trace_goes_through_json_whole(data: Path, tmp_path: Path) -> None:
    run = done(data, tmp_path / "out", threshold={"similarity": 0.3}, reranker="overlap", neighbor_next=1)
    adapter: Any = TypeAdapter(QueryTrace)
    for trace in query_traces(run, run.table("queries")["query_id"].to_list()):
        assert adapter.validate_json(adapter.dump_json(trace)) == trace


def test_badges(data: Path, tmp_path: Path) -> None:
    badge = done(data, tmp_path / "out", neighbor_prev=2, neighbor_next=1).badge
    assert (badge.text, badge.tooltip) == ("±2/1", "neighbor_prev 2 · neighbor_next 1")
    other = done(data, tmp_path / "out", strategy="sentence", neighbor_prev=2).badge
    assert other.text == "±0/0"
    assert other.tooltip.endswith("not applied: fixed_size was not in this run")


def test_a_run_is_named_by_prefix_or_latest(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(RequestError, match=r"there is no run in .*out yet"):
        named.open_run(out, "latest")
    first, second = done(data, out), done(data, out, top_k=1)
    os.utime(first.path / "manifest.json", ns=(1, 1))
    assert named.run_keys(out) == [second.key, first.key]
    assert named.open_run(out, "latest").key == second.key
    assert named.open_run(out, first.key[:8]).key == first.key
    for ref in ("", "zzzz"):
        with pytest.raises(RequestError, match="there is no run"):
            named.open_run(out, ref)


def test_the_latest_run_is_the_one_asked_for_last(line: Line) -> None:
    helpers.tiny(line.at / "data")
    assert line.fast("top_k=1").code == 0
    assert line.fast("top_k=2").code == 0
    first, second = (c["cells"][0]["run"] for c in line.experiments())
    assert named.open_run(line.outputs, "latest").key == second
    assert "found" in line.fast("top_k=1").out
    assert named.open_run(line.outputs, "latest").key == first
    damaged = line.outputs / "experiments" / "zzz"
    damaged.mkdir()
    (damaged / "experiment.json").write_text("{}")
    assert named.open_run(line.outputs, "latest").key == first
    assert named.open_experiment(line.outputs, "default").runs[0].key == first
    with pytest.raises(StoreError, match=r"is no whole experiment .*has no 'name'"):
        named.open_experiment(line.outputs, "zzz")


def test_a_table_of_another_run_is_not_served(data: Path, tmp_path: Path) -> None:
    one, other = (done(data, tmp_path / "out", top_k=k) for k in (1, 2))
    (one.path / "measures.parquet").write_bytes((other.path / "measures.parquet").read_bytes())
    with pytest.raises(StoreError, match=r"measures\.parquet: damaged .*run its config again"):
        Run(tmp_path / "out", one.key).table("measures")


def test_an_ambiguous_prefix_lists_what_it_means() -> None:
    with pytest.raises(RequestError, match="run 'ab' is ambiguous: abc, abd"):
        named.resolve("ab", ["abc", "abd", "x"], "run", "out")


def test_a_run_that_is_not_whole_is_named(data: Path, tmp_path: Path) -> None:
    run = done(data, tmp_path / "out")
    with pytest.raises(StoreError, match="nothing: is no whole run"):
        Run(tmp_path / "out", "nothing")
    (run.path / "run.json").write_text("{", "utf-8")
    with pytest.raises(StoreError, match="is no whole run"):
        Run(tmp_path / "out", run.key)


def test_without_its_store_a_run_says_what_is_missing(data: Path, tmp_path: Path) -> None:
    run = done(data, tmp_path / "out")
    shutil.rmtree(tmp_path / "out" / "store" / "chunks")
    assert run.table("candidates").height
    with pytest.raises(StoreError, match=r"chunks\.parquet: cannot be read"):
        _ = run.chunks
