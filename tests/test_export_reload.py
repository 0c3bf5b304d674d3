"""An exported corpus in DuckDB and LanceDB: they rank as the run did, and hostile text comes back."""

from __future__ import annotations

from pathlib import Path

import exported
import helpers
import numpy as np
import pytest
from exported import json_lines
from pyarrow import parquet as pq

from runner import registry
from runner.export.corpus import Corpus
from runner.runs import Run

HOSTILE = (
    "\u202eevil\u2066 \x1b[31mred\x1b[0m <script>alert(1)</script> ${jndi:ldap://x} '; DROP TABLE c; --",
    'a "quoted" \\ back\\slash\r\nline\u2028separator\u2029and\x85next\x0bup\x00nul',
    "é e\u0301 😀 👩\u200d👩\u200d👧 \ufeff中文 ქართული ﷽",
    '{"vector": [1, 2]}, "vector": null}\n{"chunk_id": "forged#0000"}\n',
)
IDS = ("../../etc/passwd", "a b\tc#1", "ид,;|'\"", "=cmd()")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return helpers.done(exported.with_graph(tmp_path / "data"), tmp_path / "out", enrichment="kg_header")


@pytest.fixture
def hostile(tmp_path: Path) -> Run:
    """Whole documents as chunks, with text, titles and metadata that would like to be something else."""
    documents = [
        {"doc_id": i, "text": t, "title": t, "metadata": {t: t, "vector": [t]}}
        for i, t in zip(IDS, HOSTILE, strict=True)
    ]
    gold = [{"query_id": "q1", "doc_id": IDS[0]}]
    data = helpers.tiny(tmp_path / "hostile", documents=documents, gold=gold)
    return helpers.done(data, tmp_path / "out", strategy="document", enrichment="title")


def test_duckdb_reads_and_filters_it(run: Run, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="pip install duckdb: nothing else proves that it can read")
    path = exported.parquet(run, tmp_path / "c.parquet", context_columns=True)
    with duckdb.connect() as db:
        corpus = db.read_parquet(str(path))
        described = dict(zip(corpus.columns, map(str, corpus.types), strict=True))
        assert described["vector"] == "FLOAT[]"  # DuckDB reads any list of Parquet so; a cast gives FLOAT[64]
        assert described["neighbor_entity_ids"] == "VARCHAR[]"
        years = corpus.filter("metadata->>'$.year' = '2021'").project("chunk_id").fetchall()
        assert years == [("metals#0000",), ("metals#0001",)]
        near = corpus.filter("list_contains(neighbor_entity_ids, 'n2')")
        assert near.project("chunk_id").fetchall() == [("birds#0000",)]
        asked = "SELECT value FROM parquet_kv_metadata(?) WHERE key = 'runner.distance'"
        assert db.execute(asked, [str(path)]).fetchall() == [(b"cosine",)]
        own = corpus.project("array_cosine_similarity(vector::FLOAT[64], vector::FLOAT[64])").fetchall()
        assert [c for (c,) in own] == pytest.approx([1] * 6, abs=1e-6)


def test_duckdb_reads_json_lines(run: Run, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="pip install duckdb: nothing else proves that it can read")
    rows = json_lines(run, tmp_path / "c.jsonl")
    with duckdb.connect() as db:
        corpus = db.read_json(str(tmp_path / "c.jsonl"))
        found = corpus.project("chunk_id, content, context_header.entities").fetchall()
    assert found == [
        (r["chunk_id"], r["content"], (r["context_header"] or {"entities": None})["entities"]) for r in rows
    ]


def test_lancedb_ranks_as_the_vector_leg_did(run: Run, tmp_path: Path) -> None:
    lancedb = pytest.importorskip("lancedb", reason="pip install lancedb: nothing else proves that it can")
    table = pq.read_table(exported.parquet(run, tmp_path / "c.parquet", context_columns=True))
    store = lancedb.connect(tmp_path / "lance").create_table("corpus", table)
    assert store.to_arrow().select(table.column_names).cast(table.schema).equals(table)
    model = registry.parse("embedding", run.config["embedding"]).load(1, "cpu")
    queries = run.corpus("queries").filter(query_id="q5")
    prompt = Corpus(run).facts["query_prompt"]
    vector = model.encode([prompt + queries["text"][0]], lambda n: None).vectors[0]
    hits = store.search(vector).distance_type("cosine").limit(6).to_list()
    recorded = run.table("candidates").filter(query_id="q5").sort("vector_rank")
    assert [1 - h["_distance"] for h in hits] == pytest.approx(recorded["vector_score"].to_list(), abs=1e-6)
    scores = dict(recorded.select("chunk_id", "vector_score").iter_rows())
    for hit in hits:  # ties may come in another order
        assert 1 - hit["_distance"] == pytest.approx(scores[hit["chunk_id"]], abs=1e-6)


def test_hostile_text_comes_back_as_it_was(hostile: Run, tmp_path: Path) -> None:
    rows = json_lines(hostile, tmp_path / "c.jsonl")  # read with str.splitlines, which knows ten line breaks
    by_id = dict(zip(IDS, HOSTILE, strict=True))
    assert sorted(r["doc_id"] for r in rows) == sorted(IDS)
    for row in rows:
        text = by_id[row["doc_id"]]
        assert row["content"] == text[row["start"] : row["end"]]
        assert (row["start"], row["end"], row["title"]) == (0, len(text), text)
        assert row["metadata"] == {text: text, "vector": [text]}
        assert len(row["vector"]) == 64
    table = pq.read_table(exported.parquet(hostile, tmp_path / "c", context_columns=True)).to_pylist()
    assert [r["content"] for r in table] == [r["content"] for r in rows]
    assert all(np.array_equal(a["vector"], np.float32(b["vector"])) for a, b in zip(table, rows, strict=True))
