"""What a delivery puts into MLflow: a parent per sweep, a child per cell, and where all of it comes from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tracking.deliveries import CELLS, NOTHING, client, copied, files, record, swept, tracked

from runner.config import Tracking
from runner.runs import Experiment
from runner.sweep import Cell
from runner.tracking import Files, asked, deliver, notes, pending
from runner.tracking.verdicts import Verdicts


def test_a_sweep_is_a_parent_and_a_child_per_cell(experiment: Experiment, tmp_path: Path) -> None:
    report = tmp_path / "reports" / "tiny.html"
    report.parent.mkdir()
    report.write_text("<h1>tiny</h1>", "utf-8")
    line = deliver(experiment, Tracking(traces=0), Files(report))
    assert line.startswith("mlflow: 1 parent and 3 runs in sqlite:///")
    runs = tracked(experiment)
    parent = runs.pop("parent")
    assert parent.info.status == "FINISHED"
    assert parent.data.params == {"axis.neighbor_prev": "0, 1", "axis.neighbor_next": "0, 1"}
    assert parent.data.metrics["sweep/cells"] == 3
    assert parent.data.metrics["sweep/cells_failed"] == 0
    assert parent.data.tags["runner.command"].startswith("python -m runner -m neighbor_prev=0,1")
    note = parent.data.tags["mlflow.note.content"]
    assert "Means over n = 4 judged questions." in note
    assert "| 2 | ±1/1 | finished | " in note
    assert files(experiment, parent) == ["experiment.json", "report/tiny.html", "summary.csv"]
    assert [runs[c].info.run_name for c in "012"] == ["±0/0", "±1/0", "±1/1"]
    for run in runs.values():
        assert run.data.tags["mlflow.parentRunId"] == parent.info.run_id
        assert run.info.status == "FINISHED"


def test_a_child_has_the_config_and_every_measure(experiment: Experiment) -> None:
    deliver(experiment, Tracking(traces=0))
    child, run = tracked(experiment)["2"], experiment.runs[2]
    expected = {
        "dataset": "native", "strategy": "fixed_size", "strategy.size": "4", "embedding": "hashing",
        "retrieval": "hybrid", "retrieval.legs.bm25.depth": "100", "fusion": "bonus", "fusion.weight": "0.3",
        "reranker": "none", "enrichment": "none", "top_k": "3", "neighbor_prev": "1", "neighbor_next": "1",
        "neighbors": "±1/1", "overrides": "neighbor_prev=1 neighbor_next=1", "threshold.similarity": "null",
    }  # fmt: skip
    assert {k: child.data.params[k] for k in expected} == expected
    called = ["spanr_at_3", "spanr_at_3_expanded", "tokens_at_3_expanded", "ndcg_at_3", "rr_at_3"]
    for name, measured in zip(called, run.measures, strict=True):
        assert child.data.metrics[name] == measured["mean"]
        assert child.data.metrics[f"std/{name}"] == measured["std"]
        assert child.data.metrics[f"n/{name}"] == measured["n"] == 4
    assert child.data.metrics["seconds/fusion"] == run.meta["seconds"]["fusion"]
    assert child.data.metrics["judged/n_queries"] == 4
    recorded = {p.name for p in run.path.iterdir()}
    assert files(experiment, child) == sorted(f"run/{name}" for name in recorded)


def test_a_child_says_where_its_result_comes_from(experiment: Experiment) -> None:
    deliver(experiment, Tracking(traces=0))
    child, run = tracked(experiment)["0"], experiment.runs[0]
    meta, tags = run.meta, child.data.tags
    assert tags["runner.run"] == run.key
    assert tags["runner.sweep"] == experiment.key
    assert tags["runner.key.chunks"] == meta["keys"]["chunks"]
    assert tags["runner.key.model"] == meta["keys"]["model"]
    assert {k: tags[f"runner.fingerprint.{k}"] for k in meta["fingerprints"]} == meta["fingerprints"]
    assert "polars " in tags["runner.packages"]
    assert tags.get("mlflow.source.git.commit") == meta["environment"]["code"]["commit"]
    assert all(w in tags["runner.warnings"] for w in meta["warnings"])
    used = child.inputs.dataset_inputs[0]
    assert used.dataset.name == "native"
    assert len(used.dataset.digest) == 16
    assert json.loads(used.dataset.profile)["documents"] == 3
    assert used.dataset.digest == tracked(experiment)["1"].inputs.dataset_inputs[0].dataset.digest
    secret = {"mlflow.user", "mlflow.source.git.repoURL"}
    assert not secret & set(tags), "nothing of the person or the machine is sent"


def test_a_failed_cell_is_a_failed_run_with_its_reason(original: Experiment, tmp_path: Path) -> None:
    cells = [
        Cell(0, ["top_k=3"], "finished", original.runs[0].key),
        Cell(1, ["top_k=4", "~filter.lang"], "failed", stage="fusion", reason="ValueError: a | <b>b</b>\nc"),
        Cell(2, ["top_k=0"], "invalid", reason="top_k: should be greater than 0"),
        Cell(3, ["top_k=5"], "not started", reason="no status was left"),
    ]
    copied(original, tmp_path)
    experiment = record(tmp_path, cells, "failing", {"top_k": ["3", "4", "0", "5"]})
    folder = tmp_path / "cells" / "1"
    folder.mkdir(parents=True)
    (folder / "traceback.txt").write_text("Traceback …", "utf-8")
    assert "4 runs" in deliver(experiment, Tracking(traces=0), Files(cells=folder.parent))
    runs = tracked(experiment)
    status = {c: r.info.status for c, r in runs.items()}
    assert status == {"parent": "FAILED", "0": "FINISHED", "1": "FAILED", "2": "FAILED", "3": "KILLED"}
    failed = runs["1"]
    assert failed.data.tags["runner.reason"] == "ValueError: a | <b>b</b>\nc"
    assert failed.data.tags["runner.stage"] == "fusion"
    assert failed.data.params == {"top_k": "4", "filter.lang": "", "overrides": "top_k=4 ~filter.lang"}
    assert failed.data.metrics == {}
    assert files(experiment, failed) == ["traceback.txt"]
    for run in (failed, runs["parent"]):
        note = run.data.tags["mlflow.note.content"]
        assert "&lt;b&gt;" in note
        assert "<b>" not in note, "the description is rendered"
    assert runs["parent"].data.metrics["sweep/cells_failed"] == 3


def test_cells_that_are_the_same_run_store_its_files_once(tmp_path: Path) -> None:
    sentence = {"strategy": {"name": "sentence"}}
    cells = [
        (["strategy=sentence", "neighbor_prev=0"], sentence),
        (["strategy=sentence", "neighbor_prev=1"], {**sentence, "neighbor_prev": 1}),
    ]
    experiment = swept(tmp_path, cells, axes={"neighbor_prev": ["0", "1"]})
    deliver(experiment, Tracking())
    runs = tracked(experiment)
    first, copy = runs["0"], runs["1"]
    assert (first.info.run_name, copy.info.run_name) == ("(±0/0) neighbor_prev=0", "(±0/0) neighbor_prev=1")
    assert copy.data.tags["runner.same_as"] == "0"
    assert copy.data.params["neighbor_prev"] == "0", "what took effect"
    assert copy.data.params["overrides"] == "strategy=sentence neighbor_prev=1"
    assert copy.data.metrics == first.data.metrics
    assert files(experiment, copy) == []
    assert files(experiment, first) != []
    assert "computed once" in copy.data.tags["mlflow.note.content"]


def test_values_beyond_the_limits_stay_different(original: Experiment, tmp_path: Path) -> None:
    """A56: 6,001 characters twice, differing in the last; a key of 251; 120 parameters; a long note."""
    copied(original, tmp_path)
    many = [f"many.field{i}=x" for i in range(120)]
    cells = [
        Cell(n, [f"long={'v' * 6000}{n}", f"{'k' * 251}={n}", *many], "failed", reason="x" * 9000)
        for n in (0, 1)
    ]
    experiment = record(tmp_path, cells, "limits")
    assert deliver(experiment, Tracking()).startswith("mlflow: 1 parent and 2 runs in ")
    one, other = (tracked(experiment)[c].data for c in "01")
    assert len(one.params) == 123
    assert one.params["long"] != other.params["long"]
    assert max(len(v) for v in one.params.values()) <= 200
    (key,) = (k for k in one.params if k.startswith("kkk"))
    assert (one.params[key], other.params[key]) == ("0", "1")
    assert len(one.tags["runner.reason"]) == 4000


def test_a_large_sweep_has_a_short_description(original: Experiment, tmp_path: Path) -> None:
    copied(original, tmp_path)
    cells = [Cell(i, [f"top_k={i}"], "failed", reason=f"broken {i} " + "z" * 90) for i in range(200)]
    experiment = record(tmp_path, cells, "large", {"top_k": [str(i) for i in range(200)]})
    note = notes.of_sweep(experiment, Verdicts(experiment))
    assert 6000 < len(note) < 8000
    assert note.endswith("see the artifacts.")
    assert note.splitlines()[-3].endswith(" |"), "it is cut between two rows"


def test_one_mlflow_experiment_per_name(fresh: Experiment, tmp_path: Path) -> None:
    experiment = fresh
    again = swept(tmp_path, CELLS[:2], "tiny")
    other = swept(tmp_path, CELLS[:1], "other")
    for e in (experiment, again, other):
        assert deliver(e, Tracking(traces=0)).startswith("mlflow: 1 parent")
    api = client(experiment)
    named = {e.name: e for e in api.search_experiments()}
    assert set(named) == {"Default", "tiny", "other"}
    assert len(tracked(experiment)) == 4
    assert len(tracked(again)) == 3
    assert named["tiny"].artifact_location == (experiment.outputs / "mlartifacts").absolute().as_uri()
    assert not (tmp_path / "mlruns").exists(), "MLflow put something below the working directory"


def test_off_is_off(fresh: Experiment) -> None:
    experiment = fresh
    tracking = Tracking(uri="off", traces=0)
    assert deliver(experiment, tracking) == "mlflow: off"
    assert not pending(experiment, tracking)
    assert not (experiment.outputs / "mlflow.db").exists()
    assert asked(experiment) == Tracking(), "`track` can deliver it later, to the default store"
    assert pending(experiment, asked(experiment))


def test_track_remembers_what_the_sweep_asked_for(experiment: Experiment, tmp_path: Path) -> None:
    from runner.verbs.recorded import track

    report = tmp_path / "r.html"
    report.write_text("r", "utf-8")
    uri = f"sqlite:///{tmp_path / 'no such folder' / 'x.db'}"
    blocked = tmp_path / "no such folder"
    blocked.write_text("a file where a folder should be", "utf-8")
    assert "not delivered" in deliver(experiment, Tracking(uri=uri, traces=1), Files(report))
    assert asked(experiment) == Tracking(uri=uri, traces=1)
    words = ["--outputs", str(experiment.outputs)]
    failed = track([*words, "--pending"])
    assert failed.code == 1
    blocked.unlink()
    answer = track([*words, "--pending"])
    assert (answer.code, answer.text) == (0, f"mlflow: 1 parent and 3 runs, 3 query traces in {uri}")
    assert track([*words, "--pending"]).text == "nothing is pending"
    assert track([*words, "tiny"]).text == NOTHING
    there: dict[str, Any] = tracked(experiment, Tracking(uri=uri))
    assert set(there) == {"parent", "0", "1", "2"}
    assert client(experiment, Tracking(uri=uri)).list_artifacts(there["parent"].info.run_id, "report")
