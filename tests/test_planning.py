"""The plan: what is cached and what is due is said before anything is computed, and is then true."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers import config, prepared, session, tiny

from runner import pipeline, planning
from runner.config import RunConfig
from runner.errors import RequestError
from runner.planning import Count, Plan


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tiny(tmp_path / "data")


def _plan(tmp_path: Path, *cells: RunConfig | None, probe: bool = False) -> Plan:
    return planning.plan(cells, session(tmp_path / "out"), probe=probe)


def test_everything_is_due_at_first_and_nothing_afterwards(data: Path, tmp_path: Path) -> None:
    """Six chunks and five questions; both cells share chunking, vectors, index and searches."""
    cells = [config(data), config(data, top_k=2)]
    before = _plan(tmp_path, *cells)
    assert (before.cells, before.runs, before.chunkings, before.texts, before.indexes, before.searches) == (
        2, Count(0, 2), Count(0, 1), Count(0, 11), Count(0, 1), Count(0, 2),
    )  # fmt: skip
    assert before.seconds is None
    assert before.run_keys == [prepared(data, tmp_path / "other", **c)[1].run for c in ({}, {"top_k": 2})]
    here = session(tmp_path / "out")
    outcomes = [pipeline.run(c, here) for c in cells]
    assert [o.run_key for o in outcomes] == before.run_keys
    assert sum(o.counters["texts_embedded"] for o in outcomes) == before.texts.due
    assert sum(o.counters["searches_run"] for o in outcomes) == before.searches.due
    after = _plan(tmp_path, *cells)
    assert (after.runs, after.chunkings, after.texts, after.searches) == (
        Count(2, 0),
        Count(),
        Count(),
        Count(),
    )


def test_a_new_cell_finds_what_is_there(data: Path, tmp_path: Path) -> None:
    pipeline.run(config(data), session(tmp_path / "out"))
    got = _plan(tmp_path, config(data), config(data, retrieval__legs__bm25__depth=3))
    assert (got.runs, got.chunkings, got.texts, got.indexes, got.searches) == (
        Count(1, 1), Count(1, 0), Count(11, 0), Count(1, 0), Count(1, 1),
    )  # fmt: skip
    smaller = _plan(tmp_path, config(data, strategy__size=2))
    assert (smaller.chunkings, smaller.texts) == (Count(0, 1), Count(5, 12))  # the questions are there


def test_cells_that_coincide_and_cells_that_are_invalid(data: Path, tmp_path: Path) -> None:
    cells = [config(data, strategy="sentence"), None, config(data, strategy="sentence", neighbor_prev=2)]
    got = _plan(tmp_path, *cells)
    assert got.cells == 3
    assert got.runs == Count(0, 1)
    assert got.run_keys[1] is None
    assert got.run_keys[0] == got.run_keys[2]


def test_a_cell_whose_parts_do_not_fit_is_refused(data: Path, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"threshold\.score: 1\.4 is above 1\.3"):
        _plan(tmp_path, config(data, threshold={"score": 1.4}))


def test_a_probe_gives_seconds_and_its_texts_are_kept(data: Path, tmp_path: Path) -> None:
    got = _plan(tmp_path, config(data), probe=True)
    assert got.texts == Count(0, 11)
    assert got.seconds is not None
    assert got.seconds > 0
    again = _plan(tmp_path, config(data), probe=True)
    assert again.texts.cached == planning._PROBE
    done = pipeline.run(config(data), session(tmp_path / "out"))
    assert done.counters["texts_embedded"] == 0  # three texts were left, and the second probe took them


@pytest.mark.parametrize("changes", [{"retrieval": "bm25"}, {"retrieval": "vector"}])
def test_only_what_applies_is_counted(changes: dict[str, Any], data: Path, tmp_path: Path) -> None:
    got = _plan(tmp_path, config(data, **changes), probe=True)
    vectors = changes["retrieval"] == "vector"
    assert got.texts.due == (11 if vectors else 0)
    assert got.indexes.due == (0 if vectors else 1)
    assert got.searches.due == 1
    assert (got.seconds is None) != vectors
