"""`inspect chunks`: rows, digests, headers, every status by comparing digests, borders, gold, health."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import helpers
import polars as pl
import pytest
from inspector.shown import hybrid, said, stored, text

from runner.inspector import text_chunks
from runner.inspector.chunks import view as chunks_view
from runner.inspector.forms import render
from runner.inspector.health import inside_sentence
from runner.inspector.records import Source
from runner.runs import Run
from runner.store import MANIFEST


def chunks(view: dict[str, Any]) -> list[dict[str, Any]]:
    return [c for row in view["document"]["rows"] for c in row["chunks"]]


def sha(of: str) -> str:
    return hashlib.sha256(of.encode()).hexdigest()


def test_a_document_by_hand(tmp_path: Path) -> None:
    """trees: one chunk of four words; its vector is stored under the digest of its text."""
    run = hybrid(tmp_path)
    view = said(run, "chunks", "trees")
    (row,) = view["document"]["rows"]
    (chunk,) = row["chunks"]
    body = "maple birch willow copper"
    assert (row["type"], row["start"], row["end"]) == ("body", 0, len(body))
    assert chunk["chunk_id"] == "trees#0000"
    assert (chunk["ordinal"], chunk["start"], chunk["end"], chunk["tokens"]) == (0, 0, 25, 4)
    assert (chunk["text"], chunk["text_digest"]) == (body, sha(body))
    assert chunk["embedding"]["input_key"] == sha(body)  # hashing has no prompt, enrichment is off
    assert chunk["embedding"]["model"] == view["embedding"]["model"] == run.meta["keys"]["model"]
    assert (chunk["embedding"]["tokens_total"], chunk["embedding"]["truncated"]) == (4, False)
    assert chunk["indexes"] == run.meta["keys"]["indexes"]
    assert (chunk["status"], chunk["header"], chunk["heading"]) == ("ready", None, None)
    assert chunk["updated"].endswith("+00:00")
    assert view["document"]["metadata"] == {"lang": "de", "year": 2020}
    assert view["document"]["statuses"] == {"ready": 1}
    assert view["source"]["state"] == "unchanged"


def test_rows_of_a_note(tmp_path: Path) -> None:
    """An entity, an observation and a relation, in the order in which they begin."""
    note = "# Tea\n\nGreen leaves.\n\n- [taste] bitter\n- grows_in [[Hills]]\n"
    data = helpers.tiny(tmp_path / "data", documents=[{"doc_id": "tea", "text": note}], queries=[], gold=[])
    run = helpers.done(data, tmp_path / "out", strategy="notes", retrieval="bm25")
    rows = said(run, "chunks", "tea")["document"]["rows"]
    assert [r["type"] for r in rows] == ["entity", "observation", "relation"]
    assert [c["text"].strip() for r in rows for c in r["chunks"]][1:] == [
        "- [taste] bitter", "- grows_in [[Hills]]",
    ]  # fmt: skip
    assert {c["heading"] for r in rows for c in r["chunks"]} == {"Tea"}


def test_headers_are_shown_and_only_in_the_embedding_input(tmp_path: Path) -> None:
    data = helpers.tiny(
        tmp_path / "data", documents=[*helpers.DOCUMENTS[:2], {**helpers.DOCUMENTS[2], "title": "Woods"}]
    )
    run = helpers.done(data, tmp_path / "out", enrichment="title")
    (chunk,) = chunks(said(run, "chunks", "trees"))
    header = chunk["header"]["text"]
    assert "Woods" in header
    assert chunk["text"] == "maple birch willow copper"
    assert chunk["embedding"]["input_key"] == sha(f"{header}\n{chunk['text']}")
    assert chunk["embedding"]["own_tokens_pushed_out"] == 0
    assert header in text(run, "chunks", "trees")


def test_status_stale_and_orphaned_and_pending(tmp_path: Path) -> None:
    """The data set moves on: one text changes, one document goes, one comes."""
    run = hybrid(tmp_path)
    helpers.tiny(
        tmp_path / "data",
        documents=[
            {**helpers.DOCUMENTS[0], "text": helpers.DOCUMENTS[0]["text"] + " robin"},
            helpers.DOCUMENTS[2],
            {"doc_id": "fish", "text": "perch"},
        ],
        gold=[helpers.GOLD[0]],
    )
    views = {d: said(run, "chunks", d) for d in ("birds", "metals", "trees", "fish")}
    assert {d: v["document"]["status"] for d, v in views.items()} == {
        "birds": "stale", "metals": "orphaned", "trees": "ready", "fish": "pending",
    }  # fmt: skip
    assert views["birds"]["document"]["statuses"] == {"stale": 3}
    assert views["fish"]["document"]["text_digest"] == sha("perch")
    assert views["fish"]["document"]["rows"] == []
    assert views["birds"]["source"]["state"] == "changed"
    shutil.rmtree(tmp_path / "data")
    view = said(run, "chunks", "metals")
    assert (view["source"]["state"], view["document"]["status"]) == ("unreadable", "ready")
    assert "statuses trust the run's own copy" in view["notes"][0]


def test_status_missing_and_pending_of_vectors(tmp_path: Path) -> None:
    """A vector that is gone, a chunk that was never embedded, a record that is gone."""
    run = hybrid(tmp_path)
    table = run.outputs / "store" / "embedding" / run.meta["keys"]["embedding"] / "embedding.parquet"
    rows = pl.read_parquet(table)
    gone = pl.when(pl.col("chunk_id") == "birds#0001").then(pl.lit(b"\0" * 32)).otherwise(pl.col("input_key"))
    rows.filter(pl.col("chunk_id") != "birds#0002").with_columns(gone.alias("input_key")).write_parquet(table)
    assert [c["status"] for c in chunks(said(run, "chunks", "birds"))] == ["ready", "missing", "pending"]
    table.unlink()
    (chunk,) = chunks(said(run, "chunks", "trees"))
    assert (chunk["status"], chunk["embedding"]) == ("missing", None)
    assert "record of what was embedded" in chunk["why"]


def test_status_missing_index_and_damaged_vectors(tmp_path: Path) -> None:
    """What is damaged counts as missing, and stays where it is: an inspection changes nothing."""
    run = hybrid(tmp_path)
    (segment,) = (run.outputs / "store" / "vectors").glob("*/*/vectors.npy")
    segment.write_bytes(segment.read_bytes()[:-1] + b"\x7f")
    (chunk,) = chunks(said(run, "chunks", "trees"))
    assert (chunk["status"], chunk["why"]) == ("missing", "its vector is gone from the store")
    assert segment.is_file()
    key = run.meta["keys"]["indexes"]["bm25"]
    (run.outputs / "store" / "index-bm25" / key / MANIFEST).unlink()
    (chunk,) = chunks(said(run, "chunks", "trees"))
    assert (chunk["status"], chunk["why"]) == ("missing", "the index of bm25 is gone from the store")
    assert "GONE FROM THE STORE" in text(run, "chunks", "trees")


def test_no_vectors_no_model(tmp_path: Path) -> None:
    view = said(hybrid(tmp_path, retrieval="bm25"), "chunks", "trees")
    (chunk,) = chunks(view)
    assert (view["embedding"], chunk["embedding"], chunk["status"]) == (None, None, "ready")


def test_boundaries_show_borders_and_cut_gold(tmp_path: Path) -> None:
    """q5 wants `raven swift linnet` [48, 66): chunk 1 has [29, 54), chunk 2 the rest, so it is cut.

    Of its 18 characters the better chunk has 66 − 54 = 12.
    """
    run = hybrid(tmp_path)
    shown = said(run, "chunks", "birds", "--boundaries")["document"]["boundaries"]
    assert shown["text"] == helpers.DOCUMENTS[0]["text"]
    borders = {b["chunk_id"]: (b["start"], b["end"]) for b in shown["borders"]}
    gold = {g["query_id"]: g for g in shown["gold"]}
    start, end = gold["q5"]["start"], gold["q5"]["end"]
    shares = [max(0, min(e, end) - max(s, start)) / (end - start) for s, e in borders.values()]
    assert 0 < max(shares) < 1
    assert (gold["q5"]["cut"], gold["q5"]["best_share"], gold["q5"]["held_by"]) == (True, max(shares), [])
    assert (gold["q1"]["cut"], gold["q1"]["held_by"]) == (False, ["birds#0001"])
    drawn = text(run, "chunks", "birds", "--boundaries", "--plain")
    assert "⟦finch magpie⟧" in drawn
    assert "⟦✂ raven ‹/1›‹2›swift linnet ✂⟧" in drawn


def test_cut_gold_is_red_on_a_terminal(tmp_path: Path) -> None:
    """And gold that a chunk holds is green; ANSI's 31 and 32."""
    opened = stored(hybrid(tmp_path))
    source = Source("unchanged", "")
    view = chunks_view(opened, source, None, "birds", borders=True)
    drawn = render(text_chunks.blocks(view), width=100, plain=False, color=True)
    assert "\x1b[31mraven \x1b[0m" in drawn
    assert "\x1b[32mfinch magpie\x1b[0m" in drawn


def test_health_counts(tmp_path: Path) -> None:
    """Ten chunks: one of one word is tiny, one of forty is oversized, two are the same, one is cut short."""
    documents = [{"doc_id": f"d{i}", "text": " ".join(f"w{i}{j}" for j in range(8)) + "."} for i in range(6)]
    documents += [
        {"doc_id": f"same{i}", "text": "one two three four five six seven eight." + " " * i} for i in range(2)
    ]
    documents += [{"doc_id": "short", "text": "one."}, {"doc_id": "vast", "text": "many " * 39 + "many."}]
    data = helpers.tiny(tmp_path / "data", documents=documents, queries=[], gold=[])
    run = helpers.done(data, tmp_path / "out", strategy="document")
    table = run.outputs / "store" / "embedding" / run.meta["keys"]["embedding"] / "embedding.parquet"
    rows = pl.read_parquet(table)
    rows.with_columns((pl.col("chunk_id") == "vast#0000").alias("truncated")).write_parquet(table)
    health = said(run, "chunks", "--health")["health"]
    tokens = run.chunks["tokens"].to_list()
    middle = sorted(tokens)[4] / 2 + sorted(tokens)[5] / 2
    assert health["tokens_median"] == middle
    assert {f["kind"]: f["chunks"] for f in health["findings"]} == {
        "tiny": ["short#0000"], "oversized": ["vast#0000"], "mid_sentence": [],
        "duplicated": ["same0#0000", "same1#0000"], "truncated": ["vast#0000"],
    }  # fmt: skip
    assert {f["kind"]: (f["count"], f["share"]) for f in health["findings"]}["duplicated"] == (2, 2 / 10)
    assert said(run, "chunks", "--health")["document"] is None
    assert "health: 10 chunks" in text(run, "chunks", "--health")


@pytest.mark.parametrize(
    ("before", "after", "inside"),
    [
        ("It rains", " all day.", True), ("two, ", "three", True), ("It rains\n", "all day", True),
        ("It rains.", " It pours.", False), ("It rains.\" ", "It pours.", False),
        ("It rains\n\n", "It pours", False), ("It rains\n", "- a list", False),
        ("It rains\n", "## Next", False), ("# Weather\n", "It rains", False),
        ("", "It rains", False), ("It rains", "", False), ("  ", "x", False), ("雨です。", "雪です。", False),
    ],
)  # fmt: skip
def test_a_border_inside_a_sentence(before: str, after: str, inside: bool) -> None:
    assert inside_sentence(before + after, len(before)) is inside


def test_two_corpora_in_one_store_stay_apart(tmp_path: Path) -> None:
    """Equal ids and texts in two data sets: each run shows its own, though the vectors are shared."""
    one = hybrid(tmp_path)
    other_documents = [{**helpers.DOCUMENTS[2], "metadata": {}}, {"doc_id": "birds", "text": "emu"}]
    data = helpers.tiny(tmp_path / "other", documents=other_documents, queries=helpers.QUERIES, gold=[])
    other: Run = helpers.done(data, tmp_path / "out")
    assert [len(chunks(said(r, "chunks", "birds", "--run", r.key))) for r in (one, other)] == [3, 1]
    assert said(other, "chunks", "birds", "--run", other.key)["run"]["corpus"] != one.meta["keys"]["corpus"]
    near = said(other, "neighbors", "trees#0000", "--run", other.key)
    assert [n["chunk_id"] for n in near["vector"]["found"]] == ["birds#0000"]
    assert len(stored(one).rows) == 6
    assert json.dumps(near).count("heron") == 0
