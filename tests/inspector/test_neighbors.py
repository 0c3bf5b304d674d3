"""`inspect neighbors`: exact cosine of stored vectors, words, entities and places, each by another way."""

from __future__ import annotations

import json
from pathlib import Path

import helpers
import numpy as np
import pytest
from inspector.shown import hybrid, said, stored, text

from runner.verbs.inspect import inspect


def test_nearest_by_stored_vector_is_the_exact_cosine(tmp_path: Path) -> None:
    run = hybrid(tmp_path)
    view = said(run, "neighbors", "birds#0000")
    opened = stored(run)
    told = opened.embedded or {}
    rows = opened.vectors.by_key([told[c]["input_key"] for c in helpers.CHUNKS]).vectors.astype(np.float64)
    cosines = {c: float(v @ rows[0]) for c, v in zip(helpers.CHUNKS, rows, strict=True)}
    del cosines["birds#0000"]
    expected = sorted(cosines, key=lambda c: (-round(cosines[c], 9), c))
    assert [n["chunk_id"] for n in view["vector"]["found"]] == expected
    assert [n["value"] for n in view["vector"]["found"]] == pytest.approx([cosines[c] for c in expected])
    assert (view["vector"]["label"], view["vector"]["unit"]) == (
        "exact cosine of stored vectors", "cosine similarity",
    )  # fmt: skip


def test_nearest_by_words_asks_with_the_chunks_own_text(tmp_path: Path) -> None:
    """metals#0000 shares `copper` with trees#0000 and nothing with any other."""
    view = said(hybrid(tmp_path), "neighbors", "metals#0000")
    (near,) = view["lexical"]["found"]
    assert near["chunk_id"] == "trees#0000"
    assert near["value"] == pytest.approx(helpers.TWICE, rel=1e-6)
    assert view["lexical"]["label"] == "bm25, asked with the chunk's own text"


def test_neighbors_in_the_document(tmp_path: Path) -> None:
    view = said(hybrid(tmp_path), "neighbors", "birds#0001", "--top", "2")
    assert [(n["chunk_id"], n["value"]) for n in view["document"]["found"]] == [
        ("birds#0000", -1.0), ("birds#0002", 1.0),
    ]  # fmt: skip


def test_chunks_that_share_entities(tmp_path: Path) -> None:
    """`copper` is named in metals#0000 and trees#0000; a mention across a border lies in no chunk."""
    mentions = [
        {"mention_id": "m1", "doc_id": "metals", "start": 0, "end": 6, "entity_type": "metal"},
        {"mention_id": "m2", "doc_id": "trees", "start": 19, "end": 25, "entity_type": "metal"},
        {"mention_id": "m3", "doc_id": "birds", "start": 20, "end": 40, "entity_type": "metal"},
    ]
    node = {"node_id": "cu", "label": "Copper", "type": "metal", "mention_ids": ["m1", "m2", "m3"]}
    data = helpers.tiny(tmp_path / "data")
    (data / "kg").mkdir()
    for name, rows in (("mentions", mentions), ("nodes", [node]), ("edges", [])):
        (data / "kg" / f"{name}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    run = helpers.done(data, tmp_path / "out")
    view = said(run, "neighbors", "trees#0000")
    (near,) = view["entity"]["found"]
    assert (near["chunk_id"], near["value"], near["entities"]) == ("metals#0000", 1.0, ["Copper"])
    assert view["entities"] == ["Copper"]
    assert said(run, "neighbors", "birds#0000")["entity"]["found"] == []


def test_what_a_run_does_not_have_is_said(tmp_path: Path) -> None:
    view = said(hybrid(tmp_path, retrieval="bm25"), "neighbors", "birds#0000")
    assert (view["vector"], view["entity"]) == (None, None)
    assert view["notes"] == [
        "vector: no leg of this run reads vectors", "entity: this run has no knowledge graph",
    ]  # fmt: skip
    only_vectors = hybrid(tmp_path, retrieval="vector")
    assert said(only_vectors, "neighbors", "birds#0000")["lexical"] is None


def test_re_embedding_is_labelled_and_agrees(tmp_path: Path) -> None:
    run = hybrid(tmp_path)
    anew, old = (said(run, "neighbors", "birds#0000", *flag) for flag in (["--re-embed"], []))
    assert anew["vector"]["label"] == (
        "exact cosine to a vector embedded anew (the stored input; cosine to the stored vector 1.000000)"
    )
    assert anew["vector"]["found"] == old["vector"]["found"]


def test_lists_stand_side_by_side_or_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = hybrid(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    head = next(x for x in text(run, "neighbors", "birds#0000").splitlines() if "document neighbors" in x)
    assert "bm25" in head
    monkeypatch.setenv("COLUMNS", "60")
    narrow, _, _ = inspect(["neighbors", "birds#0000", "--outputs", str(run.outputs)])
    assert max(map(len, narrow.splitlines())) <= 60
