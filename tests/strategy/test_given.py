"""`given`: chunks of the data set, from file to run, and what becomes of those that are wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import helpers
import pytest
from tokenizer import toys

from runner.dataset import stage
from runner.dataset.native import Native
from runner.errors import DataError
from runner.strategy.contract import Piece, Source, Tools
from runner.strategy.given import Given

CHUNKS = [
    {"doc_id": "birds", "start": 0, "end": 28},
    {"doc_id": "birds", "start": 6, "end": 40},
    {"doc_id": "trees", "start": 0, "end": 11},
]


def _data(at: Path, chunks: list[dict[str, Any]] = CHUNKS) -> Path:
    data = helpers.tiny(at)
    (data / "chunks.jsonl").write_text("".join(json.dumps(c) + "\n" for c in chunks), encoding="utf-8")
    return data


def test_pieces_are_what_is_given() -> None:
    found = Given().pieces(Source("d", "one two", [(0, 3), (0, 7)]), Tools(toys.words()))
    assert found == [Piece(0, 3), Piece(0, 7)]
    assert Given().pieces(Source("d", "one two"), Tools(toys.words())) == []


def test_from_file_to_run(tmp_path: Path) -> None:
    run = helpers.done(_data(tmp_path / "data"), tmp_path / "outputs", strategy="given")
    assert run.chunks.select("doc_id", "start", "end").rows() == [
        ("birds", 0, 28), ("birds", 6, 40), ("trees", 0, 11),
    ]  # fmt: skip
    assert run.meta["chunking"]["without_chunks"] == ["metals"]


def test_order_and_form_of_the_file_do_not_matter_and_content_does(tmp_path: Path) -> None:
    first = Native(path=str(_data(tmp_path / "a"))).load()
    second = Native(path=str(_data(tmp_path / "b", CHUNKS[::-1]))).load()
    other = Native(path=str(_data(tmp_path / "c", CHUNKS[:2]))).load()
    none = Native(path=str(helpers.tiny(tmp_path / "d"))).load()
    prints = [stage.fingerprints(c) for c in (first, second, other, none)]
    assert prints[0] == prints[1]
    assert prints[0]["given"] != prints[2]["given"]
    assert set(prints[3]) == {"documents", "queries", "judgments"}
    stage.pack(first, tmp_path / "packed")
    back = stage.unpack(tmp_path / "packed")
    assert back.given is not None
    assert back.given.equals(first.given)
    stage.pack(none, tmp_path / "none")
    assert not (tmp_path / "none" / "given.parquet").exists()
    _, one = helpers.prepared(tmp_path / "a", tmp_path / "outputs", strategy="given")
    _, two = helpers.prepared(tmp_path / "c", tmp_path / "outputs", strategy="given")
    assert one.chunks != two.chunks


def test_wrong_chunks_are_refused_with_their_line(tmp_path: Path) -> None:
    wrong = [
        {"doc_id": "oaks", "start": 0, "end": 1},
        {"doc_id": "trees", "start": 3, "end": 3},
        {"doc_id": "trees", "start": 0, "end": 99},
        CHUNKS[0], CHUNKS[0],
        {"doc_id": "trees", "start": 0, "stop": 3},
    ]  # fmt: skip
    with pytest.raises(DataError) as caught:
        Native(path=str(_data(tmp_path / "data", wrong))).load()
    message = str(caught.value)
    for part in (
        "chunks.jsonl:1: cuts document 'oaks', which there is not",
        "chunks.jsonl:2: chunk [3, 3) is not within the 25 code points of 'trees'",
        "chunks.jsonl:3: chunk [0, 99)",
        "chunks.jsonl:5: 'birds' has the chunk [0, 28) already",
        "chunks.jsonl:6: unknown field `stop`",
    ):
        assert part in message, message


def test_a_data_set_without_chunks_cannot_be_searched_by_them(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="strategy given: no document gave a chunk"):
        helpers.done(helpers.tiny(tmp_path / "data"), tmp_path / "outputs", strategy="given")
