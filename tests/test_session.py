"""A session: what a process keeps from cell to cell, what it counted, how long a stage took."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import config, session, tiny

from runner import pipeline
from runner.config import Runtime
from runner.session import Clock, Counters, Session, silent, stage_of


def test_memo_makes_a_value_once_and_keeps_the_four_used_last(tmp_path: Path) -> None:
    here = session(tmp_path)
    made: list[str] = []

    def ask(key: str, kind: str = "x") -> str:
        return here.memo(kind, key, lambda: made.append(f"{kind}{key}") or f"{kind}{key}")

    assert [ask(k) for k in "abcd"] == ["xa", "xb", "xc", "xd"]
    assert ask("a") == "xa"  # used again, so b is now the oldest
    assert ask("e") == "xe"
    assert made == ["xa", "xb", "xc", "xd", "xe"]
    assert [ask(k) for k in "aecd"] == ["xa", "xe", "xc", "xd"]
    assert made == ["xa", "xb", "xc", "xd", "xe"]
    ask("b")
    assert made[-1] == "xb"
    ask("a", kind="y")
    assert made[-1] == "ya"  # kinds do not push each other out


def test_memo_keeps_nothing_of_what_failed(tmp_path: Path) -> None:
    here = session(tmp_path)

    def fail() -> int:
        raise ValueError("not now")

    with pytest.raises(ValueError, match="not now"):
        here.memo("x", "a", fail)
    assert here.memo("x", "a", lambda: 7) == 7


def test_counters_since() -> None:
    counters = Counters(texts_embedded=5, searches_run=1)
    before = counters.copy()
    counters.texts_embedded += 2
    counters.indexes_reused += 1
    since = counters.since(before)
    assert {k: n for k, n in since.items() if n} == {"texts_embedded": 2, "indexes_reused": 1}
    assert before.texts_embedded == 5


def test_a_clock_adds_up_and_names_the_stage_of_an_error() -> None:
    clock = Clock()
    with clock.stage("a"):
        pass
    with clock.stage("a"):
        pass
    assert list(clock.seconds) == ["a"]
    assert clock.seconds["a"] >= 0
    with pytest.raises(ValueError, match="bad") as caught, clock.stage("outer"), clock.stage("inner"):
        raise ValueError("bad")
    assert stage_of(caught.value) == "inner"
    assert set(clock.seconds) == {"a", "outer", "inner"}
    assert stage_of(ValueError("elsewhere")) is None


def test_a_new_session_clears_the_drafts_of_the_dead(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as p:
        p.wait()
    dead, mine = (tmp_path / "runs" / f".draft-{pid}-00000000" for pid in (p.pid, os.getpid()))
    dead.mkdir(parents=True)
    mine.mkdir()
    session(tmp_path)
    assert not dead.exists()
    assert mine.exists()


def test_progress_is_silent_where_it_is_switched_off(tmp_path: Path) -> None:
    def loud(what: str, total: int) -> None:
        raise AssertionError(what)

    assert Session(Runtime(outputs=str(tmp_path), progress=False), loud).progress is silent  # type: ignore[arg-type]
    assert Session(Runtime(outputs=str(tmp_path)), loud).progress is loud  # type: ignore[arg-type]
    silent("x", 3)(1)


def test_counters_tell_work_from_reuse(tmp_path: Path) -> None:
    """Six chunks and five questions; a second cell with another top_k finds everything but its own run."""
    data, here = tiny(tmp_path / "data"), session(tmp_path / "out")
    nothing = Counters().since(Counters())
    first = pipeline.run(config(data), here)
    assert first.counters == nothing | {
        "texts_embedded": 11, "chunkings_built": 1, "indexes_built": 1, "searches_run": 2,
    }  # fmt: skip
    second = {"texts_reused": 11, "chunkings_reused": 1, "searches_reused": 2}
    assert pipeline.run(config(data, top_k=2), here).counters == nothing | second
    assert pipeline.run(config(data, top_k=2), here).counters == nothing
    other = session(tmp_path / "out")  # as another process: from the disk instead of from memory
    assert pipeline.run(config(data, top_k=1), other).counters == nothing | second
    deeper = config(data, retrieval__legs__bm25__depth=3)
    assert pipeline.run(deeper, other).counters == nothing | {
        "texts_reused": 11, "chunkings_reused": 1, "indexes_reused": 1,
        "searches_run": 1, "searches_reused": 1,
    }  # fmt: skip
