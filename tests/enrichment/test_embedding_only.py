"""A header is in the embedding input and nowhere else: files with and without it, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from dataset.native_folders import folder
from enrichment.graphs import bring, graph
from helpers import config, recorded, session

from runner import enriching, keys, pipeline
from runner.keyring import keyring
from runner.parts import parts
from runner.runs import Run

DOCUMENTS = [
    {"doc_id": "acme", "text": "Acme buys Beta."},
    {"doc_id": "owls", "text": "Owls hunt mice at night."},
    {"doc_id": "rain", "text": "Rain falls in Acme county."},
]
QUERIES = [{"query_id": "q1", "text": "Gamma"}, {"query_id": "q2", "text": "Acme county"}]
GOLD = [
    {"query_id": "q1", "doc_id": "acme", "quote": "Acme"},
    {"query_id": "q2", "doc_id": "rain", "quote": "county"},
]
GRAPH = graph(
    [("acme", 0, 4, "acme", 0.9)],
    [("acme", "Acme", 0.9), ("gamma", "Gamma", 0.9)],
    [("acme", "owns", "gamma", 0.9)],
)
"""One chunk of three has an entity: its header is `Acme | Acme —owns→ Gamma`."""
HEADED = "Acme | Acme —owns→ Gamma\nAcme buys Beta."


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return bring(GRAPH, folder(tmp_path / "data", documents=DOCUMENTS, queries=QUERIES, gold=GOLD))


def _run(data: Path, outputs: Path, enrichment: str, **changes: Any) -> Run:
    chosen = config(data, strategy="document", enrichment=enrichment, **changes)
    return Run(outputs, pipeline.run(chosen, session(outputs)).run_key)


def _files(outputs: Path, *under: str) -> dict[str, bytes]:
    """Every file below the given folders of the store, by its path, but for locks."""
    found = [p for u in under for p in (outputs / "store" / u).rglob("*") if p.is_file()]
    return {p.relative_to(outputs).as_posix(): p.read_bytes() for p in found}


def _stored(run: Run) -> pl.DataFrame:
    return pl.read_parquet(
        run.outputs / "store" / "embedding" / run.meta["keys"]["embedding"] / "embedding.parquet"
    )


def test_a42_chunks_and_the_lexical_side_are_the_same_bytes(data: Path, tmp_path: Path) -> None:
    without, with_ = (_run(data, tmp_path / e, e) for e in ("none", "kg_header"))
    for run in (without, with_):
        assert run.meta["enrichment"].get("chunks_enriched", 0) == (1 if run is with_ else 0)
    bm25 = f"legs/{without.meta['keys']['legs']['bm25']}"
    shared = ("corpus", "chunks", "index-bm25", bm25)
    files = _files(tmp_path / "none", *shared)
    assert len(files) > 8
    assert files == _files(tmp_path / "kg_header", *shared)
    columns = [pl.col("query_id", "chunk_id"), pl.col("^bm25_(score|rank)$")]
    found = [
        r.table("candidates").select(columns).drop_nulls().sort("query_id", "chunk_id")
        for r in (without, with_)
    ]
    assert found[0].equals(found[1])
    assert found[0].filter(query_id="q1").is_empty()  # `Gamma` stands in no text
    assert found[0].filter(query_id="q2")["chunk_id"].to_list() == ["acme#0000", "rain#0000"]
    assert without.chunks.equals(with_.chunks)


def test_a42_the_witness_is_in_the_record(data: Path, tmp_path: Path) -> None:
    without, with_ = (_run(data, tmp_path / "out", e).meta["witness"] for e in ("none", "kg_header"))
    texts = [d["text"] for d in DOCUMENTS]
    assert without["texts"] == with_["texts"] == keys.digest(texts)
    assert without["indexes"] == with_["indexes"]
    assert list(with_["indexes"]) == ["bm25"]
    assert without["inputs"] == keys.digest(texts)
    assert with_["inputs"] == keys.digest([HEADED, *texts[1:]])


def test_a42_a_leg_that_reads_no_vectors_is_the_same_run(data: Path, tmp_path: Path) -> None:
    one, other = (_run(data, tmp_path / "out", e, retrieval="bm25") for e in ("none", "kg_header"))
    assert one.key == other.key
    assert "inputs" not in one.meta["witness"]


def test_a42_chunks_without_a_header_keep_their_vector_rows(data: Path, tmp_path: Path) -> None:
    """Three chunks, two queries, one header: the second run embeds one text, and no file is touched."""
    outputs = tmp_path / "out"
    without = _run(data, outputs, "none")
    before = _files(outputs, "vectors")
    outcome = pipeline.run(config(data, strategy="document", enrichment="kg_header"), session(outputs))
    assert (outcome.counters["texts_embedded"], outcome.counters["texts_reused"]) == (1, 4)
    after = _files(outputs, "vectors")
    assert {p: raw for p, raw in after.items() if p in before} == before
    (segment,) = {str(Path(p).parent) for p in after.keys() - before.keys()}
    assert np.load(outputs / segment / "vectors.npy").shape[0] == 1
    with_ = Run(outputs, outcome.run_key)
    inputs = [_stored(r)["input_key"].to_list() for r in (without, with_)]
    assert [a == b for a, b in zip(*inputs, strict=True)] == [False, True, True]
    assert inputs[1][0] == keys.text_keys([HEADED])[0]


def test_a_header_moves_only_the_vector_of_its_chunk(data: Path, tmp_path: Path) -> None:
    """Similarities of the two other chunks are the same to the last bit, for every query."""
    found = [_run(data, tmp_path / "out", e).table("candidates") for e in ("none", "kg_header")]
    scores = [dict(f.filter(query_id="q2").select("chunk_id", "vector_score").iter_rows()) for f in found]
    assert scores[0]["acme#0000"] != scores[1]["acme#0000"]
    assert {c: s for c, s in scores[0].items() if c != "acme#0000"} == {
        c: s for c, s in scores[1].items() if c != "acme#0000"
    }


def test_off_is_absent(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`none` beside a build in which nothing of enrichment can be called: the same files, the same bytes."""
    here = _run(data, tmp_path / "one", "none")

    def gone(*args: object) -> Any:
        raise AssertionError("enrichment is off")

    for name in ("graph", "headers", "rolled_up", "_made"):
        monkeypatch.setattr(enriching, name, gone)
    there = _run(data, tmp_path / "other", "none")
    assert here.key == there.key
    stores = [_files(tmp_path / o, "") for o in ("one", "other")]
    assert stores[0] == stores[1]
    assert not [p for p in stores[0] if p.startswith(("store/enrichment", "store/kg", "store/answers"))]
    assert recorded(here) == recorded(there)
    assert _meta(here) == _meta(there)
    assert here.meta["enrichment"] == {}
    assert here.meta["keys"]["kg"] is here.meta["keys"]["enrichment"] is None
    assert "enrichment" not in {s["stage"] for s in here.meta["stages"]} | set(here.meta["seconds"])
    assert _stored(here).columns == ["chunk_id", "input_key", "tokens_total", "tokens_embedded", "truncated"]


def _meta(run: Run) -> dict[str, Any]:
    """`run.json` without its times."""
    body: dict[str, Any] = json.loads((run.path / "run.json").read_text("utf-8"))
    return {k: v for k, v in body.items() if k not in {"created", "seconds", "seconds_within"}}


def test_a_graph_that_nobody_reads_changes_no_byte_of_a_run(data: Path, tmp_path: Path) -> None:
    plain = folder(tmp_path / "plain", documents=DOCUMENTS, queries=QUERIES, gold=GOLD)
    one, other = _run(data, tmp_path / "one", "none"), _run(plain, tmp_path / "other", "none")
    assert one.key == other.key
    assert recorded(one) == recorded(other)


def test_headers_have_the_same_bytes_in_another_process_order(data: Path, tmp_path: Path) -> None:
    """Files of the graph with their lines the other way round: other corpus, same headers, same run."""
    back = folder(tmp_path / "back", documents=DOCUMENTS[::-1], queries=QUERIES, gold=GOLD)
    (back / "kg").mkdir()
    for path in (data / "kg").iterdir():
        rows = path.read_bytes().splitlines(keepends=True)
        (back / "kg" / path.name).write_bytes(b"".join(rows[::-1]))
    one, other = _run(data, tmp_path / "one", "kg_header"), _run(back, tmp_path / "other", "kg_header")
    assert one.key == other.key
    assert _files(tmp_path / "one", "enrichment", "kg") == _files(tmp_path / "other", "enrichment", "kg")
    assert recorded(one) == recorded(other)


def test_the_kept_headers_are_the_record(data: Path, tmp_path: Path) -> None:
    run = _run(data, tmp_path / "out", "kg_header")
    path = tmp_path / "out" / "store" / "enrichment" / run.meta["keys"]["enrichment"] / "headers.parquet"
    (row,) = pl.read_parquet(path).to_dicts()
    assert (row["chunk_id"], row["kg_node_ids"], row["neighbor_node_ids"]) == (
        "acme#0000",
        ["acme"],
        ["gamma"],
    )
    k = keyring(parts(config(data, strategy="document", enrichment="kg_header")), session(tmp_path / "out"))
    assert run.meta["keys"]["kg"] == k.kg
