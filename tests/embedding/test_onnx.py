"""`onnx`: pooling as arithmetic on a graph that looks up rows, one text per call, files that are checked."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from embedding.models import encode, onnx

from runner.embedding.onnx import Onnx
from runner.errors import ComponentError, RequestError
from runner.registry import parse

TABLE = np.array([[1, i, i * i] for i in range(110)], np.float32)


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return onnx(tmp_path / "m", TABLE)


def _ids(folder: str, text: str) -> list[int]:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
    tokenizer.no_truncation()
    found: list[int] = tokenizer.encode(text).ids
    return found


def _unit(row: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return row / np.linalg.norm(row)


def test_the_mean_of_all_tokens_or_the_first_alone(folder: str) -> None:
    rows = TABLE[_ids(folder, "the sea")].astype(np.float64)
    mean = encode(Onnx(model=folder).load(1, "cpu"), "the sea").vectors[0]
    cls = encode(Onnx(model=folder, pooling="cls").load(1, "cpu"), "the sea").vectors[0]
    assert np.abs(mean - _unit(rows.mean(axis=0))).max() < 1e-6
    assert np.abs(cls - _unit(rows[0])).max() < 1e-6
    with pytest.raises(ComponentError, match="4 is more than the model's 3"):
        Onnx(model=folder, dimensions=4).load(1, "cpu")
    cut = encode(Onnx(model=folder, dimensions=2).load(1, "cpu"), "the sea").vectors[0]
    assert np.abs(cut - _unit(rows.mean(axis=0)[:2])).max() < 1e-6


def test_a18_what_is_read_is_counted(folder: str) -> None:
    """Six tokens, two of them special: four words are read."""
    got = encode(
        Onnx(model=folder, max_length=6).load(2, "cpu"), "the " * 9, "the " * 4 + "a", "the " * 4, ""
    )
    assert got.tokens_total.tolist() == [9, 5, 4, 0]
    assert got.tokens_embedded.tolist() == [4, 4, 4, 0]
    assert np.array_equal(got.vectors[0], got.vectors[1])
    assert np.array_equal(got.vectors[0], got.vectors[2])


@pytest.mark.parametrize("threads", [1, 3])
def test_bit_equal_in_any_order_slice_and_number_of_threads(folder: str, threads: int) -> None:
    texts = ["the sea", "", "a\ud83db", "sep " * 30, *("the " * n + "x" for n in range(9))]
    right = encode(Onnx(model=folder).load(2, "cpu"), *texts).vectors
    encoder = Onnx(model=folder).load(threads, "cpu")
    assert np.array_equal(encode(encoder, *texts[::-1]).vectors[::-1], right)
    assert np.array_equal(np.concatenate([encode(encoder, t).vectors for t in texts]), right)
    assert encode(encoder).vectors.shape[0] == 0


def test_a21_a_zero_row_stays_zero_and_nan_goes_on_to_be_refused(tmp_path: Path) -> None:
    table = TABLE.copy()
    table[:] = 0
    assert not encode(Onnx(model=onnx(tmp_path / "z", table)).load(1, "cpu"), "the").vectors.any()
    table[:] = np.nan
    assert np.isnan(encode(Onnx(model=onnx(tmp_path / "n", table)).load(1, "cpu"), "the").vectors).all()


def test_a22_identity_moves_with_everything_that_moves_a_vector(folder: str, tmp_path: Path) -> None:
    other = onnx(tmp_path / "other", TABLE + 1)
    found = [
        Onnx(model=folder), Onnx(model=other), Onnx(model=folder, pooling="cls"),
        Onnx(model=folder, weights="int8"), Onnx(model=folder, max_length=64),
        Onnx(model=folder, dimensions=2),
    ]  # fmt: skip
    assert len({json.dumps(f.identity(), sort_keys=True) for f in found}) == len(found)
    assert found[0].identity()["format"] == "onnx-fp32"
    assert Onnx(model=onnx(tmp_path / "same", TABLE)).identity() == found[0].identity()
    (Path(folder) / "model.onnx_data").write_bytes(b"weights beside the graph")
    assert Onnx(model=folder).identity() != Onnx(model=onnx(tmp_path / "again", TABLE)).identity()


def test_files_that_are_not_there_or_something_else(folder: str, tmp_path: Path) -> None:
    with pytest.raises(
        ComponentError, match=r"'nowhere' is not on this disk; install .* \(no_such_package\)"
    ):
        Onnx(model="nowhere", package="no_such_package").identity()
    with pytest.raises(ComponentError, match="name a folder"):
        Onnx(model="nowhere").identity()
    with pytest.raises(ComponentError, match=r"graph\.onnx: missing"):
        Onnx(model=folder, file="graph.onnx").identity()
    with pytest.raises(ComponentError, match=r"model\.onnx: digest .* is not upstream's"):
        Onnx(model=folder, digests={"model.onnx": "0" * 64}).identity()
    (Path(folder) / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(ComponentError, match="does not load here"):
        Onnx(model=folder).load(1, "cpu")
    with pytest.raises(RequestError, match=r"embedding\.package"):
        parse("embedding", {"name": "onnx", "model": "m", "package": "../elsewhere"})


def test_without_onnxruntime_the_extra_is_named(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ComponentError, match=r"pip install 'rag-runner\[onnx\]'"):
        Onnx(model=folder).load(1, "cpu")
