"""The late leg: MaxSim with every chunk, whole runs with the real model, what is stored and what is said."""

from __future__ import annotations

from pathlib import Path

import helpers
import numpy as np
import polars as pl
import pytest
from retrieval.cases import by_query

from runner import pipeline
from runner.errors import ComponentError
from runner.late_interaction import maxsim
from runner.registry import parse_component
from runner.retrieval import late
from runner.retrieval.contract import Side
from runner.retrieval.late import Late
from runner.retrieval.stage import search
from runner.runs import Run

NONE = np.zeros((0, 16), np.float16)


def texts(n: int, seed: int) -> list[np.ndarray]:
    """Token vectors of `n` texts of 1 to 9 tokens."""
    draw = np.random.default_rng(seed)
    raw = [draw.standard_normal((1 + i % 9, 16)) for i in range(n)]
    return [(r / np.linalg.norm(r, axis=1, keepdims=True)).astype(np.float16) for r in raw]


def side(tokens: list[np.ndarray], cut: int = 0) -> Side:
    return Side(tokens=tokens, tokens_total=np.array([len(t) + cut for t in tokens], np.int64))


def found(
    chunks: list[np.ndarray], queries: list[np.ndarray], depth: int = 100
) -> list[list[tuple[int, float]]]:
    leg = Late(depth=depth)
    return by_query(search(leg, leg.index(side(chunks)), Side(), side(queries)), len(queries))


def test_every_chunk_is_scored_as_maxsim_does() -> None:
    chunks, queries = texts(40, 1), texts(9, 2)
    for query, rows in zip(queries, found(chunks, queries), strict=True):
        assert dict(rows) == dict(enumerate(maxsim(query, chunks).tolist()))


@pytest.mark.parametrize(("asked", "searched"), [(1, 1), (10, 7), (3, 1000), (1000, 3)])
def test_blocks_do_not_move_a_bit(asked: int, searched: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chunks, queries = texts(40, 1), texts(12, 2)
    right = found(chunks, queries)
    monkeypatch.setattr(late, "_QUERY_TOKENS", asked)
    monkeypatch.setattr(late, "_CHUNK_TOKENS", searched)
    assert found(chunks, queries) == right


def test_texts_without_tokens() -> None:
    chunks, queries = [NONE, *texts(3, 1), NONE], [NONE, *texts(1, 2), NONE]
    leg = Late()
    hits = search(leg, leg.index(side(chunks)), Side(), side(queries))
    assert [len(rows) for rows in by_query(hits, 3)] == [0, 3, 0]
    assert set(hits.frame["chunk"]) == {1, 2, 3}
    assert hits.reasons == {0: "no query tokens", 2: "no query tokens"}
    assert found([NONE, NONE], texts(2, 1)) == [[], []]


def test_what_the_model_did_not_read_is_said() -> None:
    leg = Late()
    assert leg.notes(leg.index(side(texts(4, 1)))) == []
    said = leg.notes(leg.index(side(texts(4, 1), cut=2)))
    assert said == ["did not read the end of 4 of 4 chunks (100%): longer than the model's limit"]


def test_the_index_is_half_precision() -> None:
    index = Late().index(side(texts(9, 1)))
    assert index["tokens"].dtype == np.float16
    assert index["tokens"].nbytes == 45 * 16 * 2


def test_it_reads_tokens() -> None:
    with pytest.raises(TypeError, match="reads tokens"):
        Late().index(Side(texts=["x"]))
    with pytest.raises(TypeError, match="reads tokens"):
        list(Late().search({}, Side(), Side(texts=["x"])))


def test_a_model_that_is_not_there_is_named() -> None:
    leg = parse_component("retrieval", {"name": "late", "model": "gone", "revision": None, "package": None})
    assert isinstance(leg, Late)
    with pytest.raises(ComponentError, match="'gone'"):
        leg.identity()


@pytest.mark.model
def test_a_run(tmp_path: Path) -> None:
    """Alone it asks for no embedding; its chunks are read once; a second run of another cut reads nothing."""
    data = helpers.tiny(tmp_path / "data")
    session = helpers.session(tmp_path / "out")
    first = pipeline.run(helpers.config(data, retrieval="late"), session)
    run = Run(tmp_path / "out", first.run_key)
    assert run.meta["not_applied"].keys() >= {"embedding", "fusion"}
    assert set(run.meta["identities"]["retrieval.late"]) == {"files", "libraries", "max_length", "tokens"}
    best = run.table("candidates").filter(pl.col("final_rank") == 1)
    assert dict(best.select("query_id", "chunk_id").iter_rows())["q1"] == "birds#0001"
    again = pipeline.run(helpers.config(data, retrieval="late", top_k=2), session)
    assert again.counters["searches_run"] == again.counters["indexes_built"] == 0
    other = pipeline.run(
        helpers.config(data, retrieval={"name": "late", "legs": {"late": {"depth": 2}}}), session
    )
    assert (other.counters["searches_run"], other.counters["indexes_built"]) == (1, 0)


@pytest.mark.model
def test_where_the_model_lies_is_in_no_key(tmp_path: Path) -> None:
    data = helpers.tiny(tmp_path / "data")
    folder = str(Late().folder())
    there = {"name": "late", "legs": {"late": {"model": folder, "revision": None, "package": None}}}
    keys = [helpers.prepared(data, tmp_path / "out", retrieval=r)[1].legs for r in ("late", there)]
    assert keys[0] == keys[1]
    short = {"name": "late", "legs": {"late": {"max_length": 8}}}
    assert helpers.prepared(data, tmp_path / "out", retrieval=short)[1].legs != keys[0]
