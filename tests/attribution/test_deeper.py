"""The deeper look says at what depth a leg would have had an item: a run that deep has it at that rank."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from attribution.questions import many
from helpers import TWICE, choice, done, tiny

from runner import deeper, single
from runner.loss_records import Depth
from runner.runs import Run

Item = tuple[str, str, int | None, int | None]
ONE: dict[str, Any] = {"name": "bm25", "legs": {"bm25": {"depth": 1}}}
LEGS: dict[str, Any] = {"bm25": {"depth": 1}, "vector": {"depth": 1}}


def _outside(run: Run) -> list[Item]:
    table = run.table("attribution").filter(stage="outside_window")
    return [(q, d, s, e) for q, d, s, e in table.select("query_id", "doc_id", "start", "end").iter_rows()]


def _looked(run: Run) -> dict[Item, tuple[Depth, ...]]:
    config, session = single.reopened(run.meta, run.outputs)
    return deeper.depths(config, session, _outside(run))


@pytest.mark.parametrize("strategy", ["fixed_size", "parent"])
def test_a_run_that_deep_has_it_at_that_rank(strategy: str, tmp_path: Path) -> None:
    """Two legs one hit deep; then all twelve chunks deep: the best rank of those that hold the item."""
    data, out = many(tmp_path / "data"), tmp_path / "out"
    chosen: Any = {"name": "fixed_size", "size": 4}
    if strategy == "parent":
        chosen = {"name": "parent", "parent_unit": "window", "parent_size": 4, "size": 2}
    mine: Any = {"strategy": chosen, "retrieval": {"name": "hybrid", "legs": LEGS}, "top_k": 12}
    run = done(data, out, **mine)
    looked = _looked(run)
    assert len(looked) > 10
    wide = {"name": "hybrid", "legs": {leg: {"depth": 12} for leg in LEGS}}
    deep = done(data, out, **{**mine, "retrieval": wide})
    candidates = deep.table("candidates").join(deep.chunks, on="chunk_id")
    for (query_id, doc_id, start, end), depths in looked.items():
        assert [d.leg for d in depths] == ["bm25", "vector"]
        there = candidates.filter(query_id=query_id)
        holding = there.filter(pl.col("doc_id") == doc_id, pl.col("start") <= start, pl.col("end") >= end)
        for d in depths:
            assert d.rank == holding[f"{d.leg}_rank"].min()
            assert d.of == there[f"{d.leg}_rank"].count()
            assert (d.depth, d.rank != 1) == (1, True)
            if d.rank is not None:
                (row,) = holding.filter(pl.col(f"{d.leg}_rank") == d.rank).to_dicts()
                assert (d.chunk_id, d.score) == (row["chunk_id"], row[f"{d.leg}_score"])


def test_by_hand(tmp_path: Path) -> None:
    """`copper` is in metals#0000 and trees#0000, of equal length: document order. `xylophone` is nowhere."""
    run = done(tiny(tmp_path / "data"), tmp_path / "out", retrieval=ONE)
    assert _looked(run) == {
        ("q2", "trees", 19, 25): (Depth("bm25", 2, "trees#0000", pytest.approx(TWICE, rel=1e-6), 2, 1),),
        ("q3", "trees", 6, 11): (Depth("bm25", None, None, None, 0, 1),),
    }


def test_an_approximate_leg_is_looked_up_exactly(tmp_path: Path) -> None:
    data, out = many(tmp_path / "data"), tmp_path / "out"
    graph = {**choice("retrieval", "hnsw"), "legs": {"hnsw": {"depth": 2}}}
    near = _looked(done(data, out, retrieval=graph))
    exact = _looked(done(data, out, retrieval={"name": "vector", "legs": {"vector": {"depth": 2}}}))
    assert {i: [(d.rank, d.chunk_id, d.score) for d in ds] for i, ds in near.items()} == {
        i: [(d.rank, d.chunk_id, d.score) for d in ds] for i, ds in exact.items()
    }


def test_nothing_to_look_up(tmp_path: Path) -> None:
    """An item that no chunk holds whole has no depth."""
    data, out = many(tmp_path / "data"), tmp_path / "out"
    run = done(data, out)
    split = run.table("attribution").filter(stage="split_by_chunking")
    (row, *_) = split.select("query_id", "doc_id", "start", "end").rows()
    config, session = single.reopened(run.meta, run.outputs)
    assert deeper.depths(config, session, [row]) == {row: ()}
    assert deeper.depths(config, session, []) == {}
