"""Sweeps: a bad cell is alone, coinciding cells run once, two sweeps never meet, a second finds all."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import helpers
import pytest
from command import FAST, Line

from runner import sweep
from runner.strategy.fixed_size import FixedSize

RUNNER = [sys.executable, "-m", "runner"]


def statuses(line: Line) -> list[str]:
    return [c["status"] for c in line.cells()]


def left(line: Line, num: int) -> Path:
    """The folder that cell `num` of the newest sweep left."""
    newest = max(line.outputs.glob("sweeps/*"), key=lambda p: p.stat().st_mtime_ns)
    return newest / "cells" / str(num)


def test_a01_the_bad_cell_is_invalid_and_the_good_one_runs(line: Line) -> None:
    said = line.fast("-m", "strategy.size=4", "strategy.overlap=3,4")
    assert said.code == 1
    assert statuses(line) == ["finished", "invalid"]
    reason = line.cells()[1]["reason"]
    assert "overlap must be 0 or more and smaller than size" in reason
    assert "size 4, overlap 4" in reason
    plan = said.out.partition("\n\n")[0]
    assert reason in plan, "it is known before the first cell"
    assert "1 cells run, 0 found finished, 1 failed" in said.out
    assert len(line.runs()) == 1


@pytest.mark.parametrize(
    "words", [["strategy.overlap=4,5"], ["strategy.size=0", "top_k=1,2"], ["strategy.overlap=-1"]]
)
def test_a01_no_good_cell_is_a_wrong_request(line: Line, words: Sequence[str]) -> None:
    assert "smaller than size" in line.refusal("-m", *words)


def test_choices_that_do_not_fit_are_found_before_the_first_cell(line: Line) -> None:
    said = line.fast("-m", "fusion=bonus,rrf", "threshold.score=0.5")
    assert said.code == 1
    assert statuses(line) == ["finished", "invalid"]
    assert "threshold.score: 0.5 is above 0.03278689" in said.out


def test_a51_a_cell_that_fails_leaves_a_trace_and_the_others_finish(line: Line) -> None:
    bad = helpers.tiny(line.at / "bad")
    (bad / "queries.jsonl").write_text("{bad\n", "utf-8")
    said = line(*FAST, "-m", "dataset.path=data,bad,nowhere")
    assert said.code == 1
    assert statuses(line) == ["finished", "failed", "invalid"]
    failed = line.cells()[1]
    assert (failed["run"], failed["stage"]) == (None, "dataset")
    assert "bad/queries.jsonl:1: not JSON" in failed["reason"]
    assert "BadRows" in (left(line, 1) / "traceback.txt").read_text("utf-8")
    assert json.loads((left(line, 1) / "cell.json").read_text("utf-8"))["status"] == "failed"
    assert "1 cells run, 0 found finished, 2 failed" in said.out
    assert "at dataset: " in said.out


@pytest.fixture
def boom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows of three tokens raise what a bug would raise."""
    real = FixedSize.spans

    def spans(self: FixedSize, text: str, tokens: Any) -> Any:
        if self.size == 3:
            raise ZeroDivisionError("boom")
        return real(self, text, tokens)

    monkeypatch.setattr(FixedSize, "spans", spans)


@pytest.mark.usefixtures("boom")
def test_a51_a_bug_in_a_component_fails_its_cell_alone(line: Line) -> None:
    said = line.fast("-m", "strategy.size=3,4,3", "top_k=1")
    assert said.code == 1
    assert statuses(line) == ["failed", "finished", "failed"]
    cell = line.cells()[0]
    assert (cell["stage"], cell["reason"]) == ("strategy", "ZeroDivisionError: boom")
    assert 'raise ZeroDivisionError("boom")' in (left(line, 0) / "traceback.txt").read_text("utf-8")
    assert "WARNING: no plan (ZeroDivisionError: boom); the cells are run without one" in said.err
    assert "ERROR: cell 0 (" in said.err


@pytest.mark.usefixtures("boom")
def test_a51_stop_at_first_failure(line: Line) -> None:
    assert line.fast("-m", "strategy.size=4,3,5", "runtime.stop_at_first_failure=true").code == 1
    assert statuses(line) == ["finished", "failed", "not started"]
    assert line.fast("-m", "strategy.size=4,5").code == 0
    assert statuses(line) == ["found", "finished"]


def test_a52_two_sweeps_of_the_same_second(line: Line) -> None:
    def start(*words: str) -> subprocess.Popen[bytes]:
        command = [*RUNNER, *FAST, "dataset.path=data", "-m", *words]
        return subprocess.Popen(command, cwd=line.at, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    both = [start("top_k=1,2", "experiment.name=a"), start("top_k=2,3", "experiment.name=b")]
    for process in both:
        out, _ = process.communicate(timeout=100)
        assert process.returncode == 0, out.decode()
    assert len(list(line.outputs.glob("sweeps/*"))) == 2
    assert len(list(line.outputs.glob("sweeps/*/cells/*/cell.json"))) == 4
    assert {e["name"]: len(e["cells"]) for e in line.experiments()} == {"a": 2, "b": 2}
    assert len(line.runs()) == 3, "top_k=2 is one run"
    assert line("verify").code == 0


def test_a52_a_folder_that_is_there_is_not_used(line: Line) -> None:
    (line.at / "mine").mkdir()
    said = line.fast("-m", "hydra.sweep.dir=mine", "top_k=1,2")
    assert said.code == 2
    assert "mine: is there already; another sweep may be using it" in said.err
    assert list((line.at / "mine").iterdir()) == []


def test_a53_cells_that_coincide_run_once_and_say_so(line: Line) -> None:
    words = [w for w in FAST if not w.startswith("strategy")]
    said = line(*words, "dataset.path=data", "-m", "strategy=sentence", "neighbor_prev=0,1")
    assert said.code == 0
    assert len(line.runs()) == 1
    first, second = line.cells()
    assert (first["status"], first["same_as"]) == ("finished", None)
    assert (second["run"], second["same_as"]) == (first["run"], 0)
    assert second["not_applied"]["neighbor_prev"] == "strategy sentence has no windows to widen"
    assert "plan: 2 cells, 1 distinct runs, 0 finished" in said.out
    assert "same as 0" in said.out


@pytest.mark.parametrize("axis", ["neighbor_prev=range(0,0)", "neighbor_prev=choice()"])
def test_a_sweep_without_cells_is_refused(line: Line, axis: str) -> None:
    said = line.refusal("-m", axis)
    assert "the sweep has no cell" in said or "empty choice" in said


def test_one_outputs_folder_a_sweep(line: Line) -> None:
    assert "it cannot be an axis" in line.refusal("-m", "runtime.outputs=a,b")


def test_joblib_gives_the_same_bytes(line: Line) -> None:
    axes = ["-m", "neighbor_prev=0,1", "retrieval=bm25,hybrid"]
    assert line.fast(*axes).code == 0
    here, cells = line.bytes(), line.cells()
    there = ["runtime.outputs=there", "hydra/launcher=joblib", "hydra.launcher.n_jobs=2"]
    assert line.fast(*axes, *there).code == 0
    line.outputs = line.at / "there"
    assert line.bytes() == here
    assert [c["run"] for c in line.cells()] == [c["run"] for c in cells]


def test_the_same_sweep_again_finds_every_cell(line: Line) -> None:
    axes = ["-m", "neighbor_prev=0,1", "top_k=1,2"]
    assert line.fast(*axes).code == 0
    first = line.bytes()
    said = line.fast(*axes)
    assert statuses(line) == ["found"] * 4
    assert "0 cells run, 4 found finished, 0 failed; 0 texts embedded, 0 reused" in said.out
    assert line.bytes() == first
    assert len(line.experiments()) == 1, "the same sweep is the same experiment"


def test_a_launcher_that_dies_leaves_a_record(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*_: Any) -> None:
        raise RuntimeError("a worker was killed")

    monkeypatch.setattr(sweep, "run_cell", dies)
    said = line.fast("-m", "top_k=1,2")
    assert said.code == 1
    assert "ERROR: the launcher or sweeper stopped (RuntimeError: a worker was killed); the same " in said.err
    assert statuses(line) == ["not started"] * 2


@pytest.mark.model
def test_the_same_sweep_again_loads_no_model_library(line: Line) -> None:
    axes = ["embedding=minilm", "tokenizer=wordpiece", "-m", "neighbor_prev=0,1"]
    script = (
        "import sys\nfrom runner.cli import main\nmain(sys.argv[1:])\n"
        "loaded = {m.partition('.')[0] for m in sys.modules}\n"
        "print('loaded:', *sorted(loaded & {'torch', 'transformers', 'sentence_transformers', 'mlflow'}))"
    )
    said = []
    for _ in range(2):
        command = [sys.executable, "-c", script, *FAST, "dataset.path=data", *axes]
        done = subprocess.run(command, cwd=line.at, capture_output=True, text=True, check=True)
        said.append(done.stdout.splitlines()[-1])
    assert "torch" in said[0]
    assert said[1] == "loaded:"
