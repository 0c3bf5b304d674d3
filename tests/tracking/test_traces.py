"""Query traces: which, what is on their spans, and how long they take."""

from __future__ import annotations

import time
from pathlib import Path

import helpers
import polars as pl
import pytest
from tracking.deliveries import CELLS, Asked, client, swept, traces, tracked

from runner.comparison.scores import lost_at
from runner.config import Tracking
from runner.runs import Experiment, Run
from runner.traces import traces as query_traces
from runner.tracking import deliver
from runner.tracking.interest import Interest


def test_the_most_telling_questions_come_first(experiment: Experiment, tmp_path: Path) -> None:
    """One hit, then three: some questions are answered by the second cell alone, q3 by neither."""
    cells: Asked = [(["top_k=1"], {"top_k": 1}), (["top_k=3"], {"top_k": 3})]
    sweep = swept(tmp_path, cells, "interest", {"top_k": ["1", "3"]})
    one, three = (lost_at(sweep.runs[c]) for c in (0, 1))
    flips = {q for q in one if bool(one[q]) != bool(three[q])}
    lost = {q for q in one if one[q] and three[q]}
    assert flips and lost, "there is something to tell"
    ranked = Interest(sweep).sample(sweep.runs[0], -1)
    kinds = [t.why for t in ranked]
    assert kinds == sorted(kinds, key=["flips", "lost", "drawn"].index)
    assert {t.query_id for t in ranked if t.why == "flips"} == flips
    assert {t.query_id for t in ranked if t.why == "lost"} == lost
    assert {t.query_id for t in ranked} == {"q1", "q2", "q3", "q4", "q5"}
    assert Interest(sweep).sample(sweep.runs[1], 0) == []
    for n in (1, 2, 3, 99):
        assert Interest(sweep).sample(sweep.runs[1], n) == ranked[:n], "more begins with fewer"

    deliver(sweep, Tracking(traces=3))
    runs = tracked(sweep)
    for cell in "01":
        found = traces(sweep, runs[cell])
        assert [t.info.tags["runner.query_id"] for t in found] == [t.query_id for t in ranked[:3]]
        assert [t.info.tags["runner.why"] for t in found] == kinds[:3]


def test_every_run_shows_the_same_questions(experiment: Experiment) -> None:
    deliver(experiment, Tracking())
    runs = tracked(experiment)
    asked = [[t.info.tags["runner.query_id"] for t in traces(experiment, runs[c])] for c in "012"]
    expected = [t.query_id for t in Interest(experiment).sample(experiment.runs[0], 3)]
    assert asked[0] == asked[1] == asked[2] == expected


def test_a_run_sends_only_questions_that_it_was_asked(experiment: Experiment) -> None:
    run = experiment.runs[0]
    few = run.table("queries").filter(pl.col("query_id").is_in(["q2", "q4"]))
    helpers.retold(run, "queries", few)
    run = Run(run.outputs, run.key)
    experiment.runs[0] = run
    assert {t.query_id for t in Interest(experiment).sample(run, -1)} == {"q2", "q4"}
    assert len(Interest(experiment).sample(experiment.runs[1], -1)) == 5


@pytest.mark.parametrize(("wanted", "sent"), [(0, 0), (1, 1), (-1, 5), (50, 5)])
def test_as_many_as_asked_for(wanted: int, sent: int, experiment: Experiment) -> None:
    line = deliver(experiment, Tracking(traces=wanted))
    runs = tracked(experiment)
    assert [len(traces(experiment, runs[c])) for c in "012"] == [sent] * 3
    assert ("query traces" in line) == bool(sent)
    assert runs["0"].data.tags["runner.traces"] == str(wanted)


def test_more_can_be_sent_later(experiment: Experiment) -> None:
    assert "3 query traces" in deliver(experiment, Tracking(traces=1))
    assert "15 query traces" in deliver(experiment, Tracking(traces=-1))
    runs = tracked(experiment)
    for cell in "012":
        found = traces(experiment, runs[cell])
        assert len({t.info.trace_id for t in found}) == len(found) == 5
        assert max(len(t.info.assessments) for t in found) == 5, "those of the first delivery once, not twice"
    assert "nothing to do" in deliver(experiment, Tracking(traces=2))


def test_the_spans_of_a_query(tmp_path: Path) -> None:
    changes = {
        "neighbor_prev": 1, "reranker": {"name": "overlap", "pool": 3}, "threshold": {"similarity": 0.1},
        "filter": {"lang": "en"},
    }  # fmt: skip
    experiment = swept(tmp_path, [(["neighbor_prev=1"], changes)])
    deliver(experiment, Tracking(traces=-1))
    run, found = experiment.runs[0], traces(experiment, tracked(experiment)["0"])
    trace = next(t for t in found if t.info.tags["runner.query_id"] == "q2")
    recorded = next(query_traces(run, ["q2"]))
    root, *stages = trace.data.spans
    kinds = [(s.name, s.span_type) for s in stages]
    assert kinds == [
        ("retrieval.bm25", "RETRIEVER"), ("retrieval.vector", "RETRIEVER"), ("filter", "CHAIN"),
        ("threshold.similarity.vector", "CHAIN"), ("fusion", "CHAIN"), ("reranker", "RERANKER"),
        ("cut", "CHAIN"), ("expansion", "CHAIN"),
    ]  # fmt: skip
    assert all(s.parent_id == root.span_id and s.inputs == {"query": "copper"} for s in stages)
    assert all(s.start_time_ns < s.end_time_ns <= root.end_time_ns for s in stages)
    by_name = {s.name: s for s in stages}
    # Stages that share a clock are not counted twice: the spans are as long as the clocks.
    spent = {**run.meta["seconds"], **run.meta["seconds_within"]}
    clocks = ("retrieval.bm25", "retrieval.vector", "fusion", "reranker", "cut", "expansion")
    batch = sum(s.attributes["batch_seconds"] for s in stages)
    assert batch == pytest.approx(sum(spent[c] for c in clocks))

    bm25 = by_name["retrieval.bm25"]
    assert [d["metadata"]["chunk_id"] for d in bm25.outputs] == ["metals#0000", "trees#0000"]
    first = bm25.outputs[0]
    assert first["page_content"] == "copper zinc nickel cobalt "
    assert first["id"] == "metals#0000"
    assert first["metadata"]["doc_uri"] == "metals"
    assert first["metadata"]["rank"] == 1
    assert first["metadata"]["score"] == pytest.approx(helpers.TWICE, rel=1e-6)
    assert bm25.attributes["hits"] == 2
    assert bm25.attributes["depth"] == 100

    dropped = by_name["filter"].outputs["dropped"]
    assert "trees#0000" in [d["chunk_id"] for d in dropped]
    low = by_name["threshold.similarity.vector"]
    marked = [c for c in recorded.candidates if c.drop_stage == "threshold"]
    assert low.attributes["dropped"] == len(marked)
    assert low.attributes["limit"] == 0.1
    assert by_name["fusion"].attributes["formula"] == "max+0.3*min/v1"
    assert by_name["fusion"].outputs["candidates"][0]["bm25"]["rank"] == 1
    assert by_name["reranker"].outputs[0]["metadata"]["fused_rank"] == 1

    hits = [{"rank": h.rank, "chunk_id": h.hit.chunk_id, "score": h.score} for h in recorded.expansion_tree]
    assert by_name["cut"].outputs["hits"] == hits
    tree = by_name["expansion"].outputs["expansion_tree"]
    assert [t["neighbors_prev"] for t in tree] == [
        [m.chunk_id for m in h.neighbors_prev] for h in recorded.expansion_tree
    ]
    assert [d["metadata"]["chunk_id"] for d in root.outputs] == [
        m.chunk_id for m in recorded.retrieved_chunks
    ]
    assert {d["metadata"]["role"] for d in root.outputs} <= {"hit", "neighbor"}
    assert root.span_type == "RETRIEVER", "MLflow's judges read the context from the outermost retriever"


def test_a_trace_carries_its_measures_and_its_run(experiment: Experiment) -> None:
    deliver(experiment, Tracking(traces=-1))
    child, run = tracked(experiment)["1"], experiment.runs[1]
    found = {t.info.tags["runner.query_id"]: t for t in traces(experiment, child)}
    said = {a.name: a.feedback.value for a in found["q2"].info.assessments}
    recorded = {r["measure"]: r["value"] for r in run.table("measures").to_dicts() if r["query_id"] == "q2"}
    assert said["spanr_at_3"] == recorded["SpanR@3"]
    assert len(said) == len(recorded)
    assert found["q4"].info.assessments == [], "nobody judged it"
    assert found["q4"].info.response_preview
    assert found["q2"].info.trace_metadata["mlflow.sourceRun"] == child.info.run_id
    assert found["q2"].info.tags["runner.badge"] == "±1/0"
    assert found["q2"].info.request_preview == "copper"


def test_a_chunk_as_long_as_a_book_is_cut(tmp_path: Path) -> None:
    text = "copper " * 4000
    helpers.tiny(
        tmp_path / "data",
        documents=[{"doc_id": "long", "text": text}],
        queries=[{"query_id": "q", "text": "copper"}],
        gold=[{"query_id": "q", "doc_id": "long", "start": 0, "end": 6}],
    )
    experiment = swept(tmp_path, [([], {"strategy": {"name": "document"}})])
    deliver(experiment, Tracking())
    (trace,) = traces(experiment, tracked(experiment)["0"])
    content = trace.data.spans[0].outputs[0]["page_content"]
    assert content.endswith(f"… ({len(text) - 8000} more characters)")


def test_traces_cost_little(experiment: Experiment) -> None:
    """Half a second a run is allowed; two hundredths a trace were measured on SQLite."""
    deliver(swept(experiment.outputs.parent, CELLS[:1], "warm"), Tracking())
    start = time.perf_counter()
    line = deliver(experiment, Tracking())
    took = time.perf_counter() - start
    assert "9 query traces" in line
    assert took < 3 * 2, "three runs, with room for a loaded machine"
    assert isinstance(experiment.runs[0], Run)
    assert client(experiment).get_experiment_by_name("tiny") is not None
