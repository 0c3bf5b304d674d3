"""One query through a run's pipeline: a stored question gives the recorded rows, and nothing is recorded."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from dataset.real import real
from helpers import Raw, config, done, session, tiny
from polars.testing import assert_frame_equal

from runner import registry
from runner.config import RunConfig
from runner.errors import RequestError
from runner.pipeline import run
from runner.runs import Run
from runner.single import NEW, Single, execute_single, reopened

TABLES = ("queries", "candidates", "expansion", "context", "measures", "attribution")
CASES: dict[str, Raw] = {
    "hybrid": {"neighbor_prev": 1, "neighbor_next": 1, "top_k": 2},
    "bm25": {"retrieval": "bm25"},
    "vector with a threshold": {"retrieval": "vector", "threshold": {"similarity": 0.05}},
    "reranked": {"reranker": "overlap", "fusion": "rrf"},
    "hnsw": {"retrieval": "hybrid_hnsw"},
    "filtered": {"filter": {"lang": "en"}},
    "parents": {"strategy": {"name": "parent", "parent_unit": "window", "parent_size": 8, "size": 4}},
}


def _of(run: Run, table: str, query_id: str) -> pl.DataFrame:
    return run.table(table).filter(pl.col("query_id") == query_id)


@pytest.mark.parametrize("case", CASES)
def test_a_stored_question_gives_the_recorded_rows(case: str, tmp_path: Path) -> None:
    data, out = tiny(tmp_path / "data"), tmp_path / "out"
    recorded = done(data, out, **CASES[case])
    asked, own = reopened(recorded.meta, out)
    for query in ("q1", "q2", "q3", "q4", "q5"):
        made = execute_single(asked, own, query_id=query).tables()
        for table in TABLES:
            assert_frame_equal(made[table], _of(recorded, table, query))


def test_a_stored_question_asked_as_if_new(tmp_path: Path) -> None:
    """Only the gold is missing: a new text has none, so no measure and no attribution."""
    data, out = tiny(tmp_path / "data"), tmp_path / "out"
    recorded = done(data, out, neighbor_next=1)
    asked, own = reopened(recorded.meta, out)
    made = execute_single(asked, own, text="osprey raven titanium")
    assert made.query_id == NEW
    found = made.tables()
    for table in ("candidates", "expansion", "context"):
        assert found[table]["query_id"].unique().to_list() == [NEW]
        assert_frame_equal(found[table].drop("query_id"), _of(recorded, table, "q5").drop("query_id"))
    assert found["measures"].is_empty()
    assert found["attribution"].is_empty()
    assert found["queries"].to_dicts() == [
        {"query_id": NEW, "text": "osprey raven titanium", "n_gold": 0, "reasons": ""}
    ]


def test_nothing_is_recorded_and_what_there_was_stays(tmp_path: Path) -> None:
    """A bm25 run answers a new text without a new file; with a vector leg one segment of vectors comes."""
    data, out = tiny(tmp_path / "data"), tmp_path / "out"
    lexical = done(data, out, retrieval="bm25")
    both = done(data, out)

    def files() -> set[Path]:
        return {p for p in out.rglob("*") if p.is_file() and p.suffix != ".lock"}

    before = files()
    execute_single(*reopened(lexical.meta, out), text="heron")
    assert files() == before
    made = execute_single(*reopened(both.meta, out), text="heron")
    new = files() - before
    assert {p.parents[1].parent.name for p in new} == {"vectors"}
    assert made.session.counters.texts_embedded == 1
    again = execute_single(*reopened(both.meta, out), text="heron")
    assert again.session.counters.texts_embedded == 0
    assert files() - before == new


def test_a_query_that_there_is_not(tmp_path: Path) -> None:
    data, out = tiny(tmp_path / "data"), tmp_path / "out"
    with pytest.raises(RequestError, match="there is no query 'q9' in this run; did you mean"):
        execute_single(config(data, retrieval="bm25"), session(out), query_id="q9")


def test_a_run_whose_data_moved_on_is_refused(tmp_path: Path) -> None:
    data, out = tiny(tmp_path / "data"), tmp_path / "out"
    recorded = done(data, out, retrieval="bm25")
    (data / "documents.jsonl").write_text(
        (data / "documents.jsonl").read_text("utf-8").replace("wren", "crane"), "utf-8"
    )
    with pytest.raises(RequestError, match="now gives another corpus, chunks"):
        reopened(recorded.meta, out)


def _chroma() -> RunConfig:
    raw = {
        "dataset": {"name": "scifact"},
        "tokenizer": {"name": "words"},
        "strategy": {"name": "document"},
        "kg": {"name": "given"},
        "enrichment": {"name": "none"},
        "embedding": {"name": "hashing"},
        "retrieval": {"name": "hybrid", "legs": {"bm25": {"depth": 50}, "vector": {"depth": 50}}},
        "fusion": {"name": "rrf"},
        "reranker": {"name": "none"},
        "metrics": {"name": "rank", "measures": ["nDCG@10"]},
        "top_k": 10,
    }
    return registry.parse_run(raw)[0]


def test_questions_of_scifact(tmp_path: Path) -> None:
    real("scifact")
    whole = _chroma()
    own = session(tmp_path / "out")
    recorded = Run(tmp_path / "out", run(whole, own).run_key)
    for query in recorded.table("queries")["query_id"].to_list()[::29]:
        made: Single = execute_single(whole, own, query_id=query)
        for table in TABLES:
            assert_frame_equal(made.tables()[table], _of(recorded, table, query))
