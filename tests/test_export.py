"""An exported corpus: what is in it by hand, and what enrichment may not touch."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import exported
import helpers
import numpy as np
import pyarrow as pa
import pytest
from exported import HERON, json_lines
from pyarrow import parquet as pq

from runner import keys, registry, tables
from runner.errors import StoreError
from runner.export import corpus as batches
from runner.export.corpus import Corpus
from runner.runs import Run

FIELDS = ("chunk_id", "doc_id", "chunk_index", "start", "end", "content", "title", "heading", "tokens",
          "metadata")  # fmt: skip
DOC = (Path(__file__).parents[1] / "docs" / "export.md").read_text("utf-8")


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def plain(at: Path) -> Run:
    """Both legs, vectors of 64 dimensions, no enrichment."""
    return helpers.done(exported.with_graph(at / "data"), at / "out")


@pytest.fixture(scope="module")
def enriched(at: Path, plain: Run) -> Run:
    """The same with a header before birds#0000 and metals#0000."""
    return helpers.done(at / "data", at / "out", enrichment="kg_header")


@pytest.fixture(scope="module")
def lexical(at: Path, plain: Run) -> Run:
    """The same without a leg that reads vectors."""
    return helpers.done(at / "data", at / "out", retrieval="bm25")


def _facts(path: Path) -> dict[str, str]:
    found = {k.decode(): v.decode() for k, v in pq.read_metadata(path).metadata.items()}
    return {k.removeprefix("runner."): v for k, v in found.items() if k.startswith("runner.")}


def _asked(run: Run, prompt: str) -> dict[str, Any]:
    """The vector of every query, by the model that the file names."""
    model = registry.parse("embedding", run.config["embedding"]).load(1, "cpu")
    queries = run.corpus("queries")
    vectors = model.encode([prompt + t for t in queries["text"]], lambda n: None).vectors
    return dict(zip(queries["query_id"], vectors, strict=True))


def test_json_lines_by_hand(plain: Run, tmp_path: Path) -> None:
    """`heron kestrel osprey plover ` is 5 + 1 + 7 + 1 + 6 + 1 + 6 + 1 = 28 characters and four words."""
    rows = json_lines(plain, tmp_path / "c.jsonl")
    assert [r["chunk_id"] for r in rows] == list(helpers.CHUNKS)
    first = {k: v for k, v in rows[0].items() if k != "vector"}
    assert first == {
        "chunk_id": "birds#0000", "doc_id": "birds", "chunk_index": 0, "start": 0, "end": 28,
        "content": "heron kestrel osprey plover ", "title": "", "heading": None, "tokens": 4,
        "metadata": {"lang": "en", "year": 2020, "kind": ["animal", "wild"]}, "context_header": None,
    }  # fmt: skip
    whole = {str(d["doc_id"]): str(d["text"]) for d in helpers.DOCUMENTS}
    assert all(r["content"] == whole[r["doc_id"]][r["start"] : r["end"]] for r in rows)
    assert keys.digest([r["content"] for r in rows]) == plain.meta["witness"]["texts"]
    assert all(len(r["vector"]) == 64 for r in rows)


def test_parquet_says_the_same_as_json_lines(plain: Run, tmp_path: Path) -> None:
    path = exported.parquet(plain, tmp_path / "c.parquet")
    table = pq.read_table(path)
    assert table.schema.field("vector").type == pa.list_(pa.float32(), 64)
    rows = json_lines(plain, tmp_path / "c.jsonl")
    assert table.column_names == [*FIELDS, "vector"]
    for row, line in zip(table.to_pylist(), rows, strict=True):
        assert np.array_equal(np.array(line["vector"], np.float32), np.array(row["vector"], np.float32))
        assert json.loads(row.pop("metadata")) == line["metadata"]
        assert all(row[k] == line[k] for k in FIELDS if k != "metadata")


def test_the_file_says_what_its_vectors_are(plain: Run, lexical: Run, tmp_path: Path) -> None:
    about = {"run": plain.key, "dataset": "native", "strategy": "fixed_size", "chunks": "6", "documents": "3"}
    model = {
        "model": '{"dimensions":64,"model":"hashing","version":1}', "dimensions": "64", "distance": "cosine",
        "document_prompt": "", "query_prompt": "",
    }  # fmt: skip
    assert _facts(exported.parquet(plain, tmp_path / "a")) == about | model
    assert _facts(exported.parquet(lexical, tmp_path / "b")) == about | {"run": lexical.key}


@pytest.mark.parametrize("kind", ["plain", "enriched"])
def test_cosine_to_a_vector_is_the_similarity_that_was_recorded(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    run = request.getfixturevalue(kind)
    rows = {r["chunk_id"]: np.array(r["vector"]) for r in json_lines(run, tmp_path / "c.jsonl")}
    asked = _asked(run, Corpus(run).facts["query_prompt"])
    found = run.table("candidates").drop_nulls("vector_score")
    assert found.height == 5 * 6  # every query reaches every chunk
    for query, chunk, score in found.select("query_id", "chunk_id", "vector_score").iter_rows():
        assert float(asked[query] @ rows[chunk]) == pytest.approx(score, abs=1e-6)


def test_without_a_leg_that_reads_vectors_there_are_none(lexical: Run, tmp_path: Path) -> None:
    assert [r["vector"] for r in json_lines(lexical, tmp_path / "c.jsonl")] == [None] * 6
    assert pq.read_schema(exported.parquet(lexical, tmp_path / "c.parquet")).names == list(FIELDS)


def test_json_lines_have_the_whole_header_or_null(enriched: Run, plain: Run, tmp_path: Path) -> None:
    rows = json_lines(enriched, tmp_path / "with.jsonl")
    assert rows[0]["context_header"] == HERON
    assert [r["context_header"] is not None for r in rows] == [True, False, False, True, False, False]
    without = json_lines(plain, tmp_path / "without.jsonl")
    changed = [a["chunk_id"] for a, b in zip(rows, without, strict=True) if a["vector"] != b["vector"]]
    assert changed == ["birds#0000", "metals#0000"]
    for a, b in zip(rows, without, strict=True):  # nothing but vector and header
        assert {k: a[k] for k in FIELDS} == {k: b[k] for k in FIELDS}


def test_parquet_has_the_context_where_it_is_asked_for(enriched: Run, plain: Run, tmp_path: Path) -> None:
    table = pq.read_table(exported.parquet(enriched, tmp_path / "with", context_columns=True))
    assert table.column_names == [*FIELDS, "vector", "context_header", "neighbor_entity_ids"]
    assert table.schema.field("context_header").type == pa.string()
    assert table.schema.field("neighbor_entity_ids").type == pa.list_(pa.string())
    assert table["neighbor_entity_ids"].to_pylist() == [["n2"], None, None, ["n1"], None, None]
    said = table["context_header"].to_pylist()
    assert json.loads(said[0]) == HERON
    assert said[1] is None
    empty = pq.read_table(exported.parquet(plain, tmp_path / "without", context_columns=True))
    assert empty.schema.equals(table.schema)
    assert empty["context_header"].null_count == empty["neighbor_entity_ids"].null_count == 6


def test_by_default_enrichment_changes_no_byte_of_the_schema(
    enriched: Run, plain: Run, tmp_path: Path
) -> None:
    a, b = (exported.parquet(r, tmp_path / r.short) for r in (enriched, plain))
    assert pq.read_metadata(a).metadata[b"ARROW:schema"] == pq.read_metadata(b).metadata[b"ARROW:schema"]
    assert pq.read_metadata(a).schema.equals(pq.read_metadata(b).schema)
    assert _facts(a).keys() == _facts(b).keys()
    assert pq.read_table(a, columns=list(FIELDS)).equals(pq.read_table(b, columns=list(FIELDS)))


def test_without_enrichment_bytes_are_those_of_a_build_without_the_stage(plain: Run, tmp_path: Path) -> None:
    """Such a build records no choice of a graph or an enrichment, no key, no roll-up, and stores neither."""
    outputs = tmp_path / "out"
    shutil.copytree(plain.outputs, outputs)
    for stage in ("kg", "enrichment"):
        shutil.rmtree(outputs / "store" / stage, ignore_errors=True)
    path = outputs / "runs" / plain.key / "run.json"
    body = json.loads(path.read_text("utf-8"))
    for part in (body, body["keys"], body["config"]):
        part.pop("enrichment")
        part.pop("kg", None)
    path.write_text(json.dumps(body), "utf-8")
    before = Run(outputs, plain.key)
    made = [exported.parquet(r, tmp_path / f"{i}.parquet") for i, r in enumerate((before, plain))]
    assert made[0].read_bytes() == made[1].read_bytes()
    assert json_lines(before, tmp_path / "0.jsonl") == json_lines(plain, tmp_path / "1.jsonl")


@pytest.mark.parametrize("rows", [1, 4])
def test_batches_change_nothing(
    rows: int, enriched: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six chunks: one batch, or with four at a time two; a document may lie in both."""
    whole = pq.read_table(exported.parquet(enriched, tmp_path / "1", context_columns=True))
    lines = json_lines(enriched, tmp_path / "1.jsonl")
    monkeypatch.setattr(batches, "ROWS", rows)
    path = exported.parquet(enriched, tmp_path / "2", context_columns=True)
    assert pq.read_metadata(path).num_row_groups == -(-6 // rows)
    assert pq.read_table(path).equals(whole)
    assert json_lines(enriched, tmp_path / "2.jsonl") == lines


def test_a_batch_of_long_texts_is_short(
    enriched: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """78 + 60 + 25 characters in six chunks: a batch of about 60 has 60 · 6 // 163 = 2 chunks."""
    assert sum(len(str(d["text"])) for d in helpers.DOCUMENTS) == 78 + 60 + 25
    monkeypatch.setattr(batches, "CODE_POINTS", 60)
    assert [b.height for b in Corpus(enriched).batches()] == [2, 2, 2]


def test_parents_are_named_beside_the_chunk(at: Path, plain: Run, tmp_path: Path) -> None:
    parent = {"name": "parent", "size": 2, "overlap": 0, "parent_unit": "section", "parent_size": 50}
    run = helpers.done(at / "data", at / "out", strategy=parent)
    row = json_lines(run, tmp_path / "c.jsonl")[0]
    assert (row["content"], row["start"], row["end"]) == ("heron kestrel ", 0, 14)
    assert (row["parent_start"], row["parent_end"], row["parent_tokens"]) == (0, 78, 12)


def test_a_vector_that_is_gone_is_named(plain: Run, tmp_path: Path) -> None:
    shutil.copytree(plain.outputs, tmp_path / "out")
    shutil.rmtree(tmp_path / "out" / "store" / "vectors")
    with pytest.raises(StoreError, match=r"no longer has the vectors of its chunks .*birds#0000"):
        json_lines(Run(tmp_path / "out", plain.key), tmp_path / "c.jsonl")


def test_a_damaged_table_is_not_exported(plain: Run, tmp_path: Path) -> None:
    shutil.copytree(plain.outputs, tmp_path / "out")
    run = Run(tmp_path / "out", plain.key)
    path = tmp_path / "out" / "store" / "chunks" / run.meta["keys"]["chunks"] / "chunks.parquet"
    tables.write(tables.read(path).reverse(), path)
    with pytest.raises(StoreError, match=r"chunks\.parquet: damaged"):
        Corpus(run)


def test_the_page_names_every_field(enriched: Run, tmp_path: Path) -> None:
    exported.parquet(enriched, tmp_path / "c", context_columns=True)
    said = {n for line in DOC.splitlines() if line.startswith("| `") for n in line.split("|")[1].split(", ")}
    assert {n.strip(" `") for n in said} == set(pq.read_schema(tmp_path / "c").names)
    facts = [f"`runner.{name}`" for name in _facts(tmp_path / "c")]
    assert [f for f in facts if f not in DOC] == []
    assert [f for f in HERON if f"`{f}`" not in DOC] == []
