"""Vectors on disk: any text is embedded once, found by its digest, whatever segment it lies in."""

from __future__ import annotations

import logging
import random
import resource
from pathlib import Path

import numpy as np
import pytest

from runner.keys import text_keys
from runner.store import Store
from runner.vectors import Rows, Vectors

IDENTITY = {"model": "m1", "dimensions": 3}


def _rows(texts: list[str]) -> Rows:
    """Rows that tell which text they are of."""
    vectors = np.array([[len(t), sum(map(ord, t)) % 97, i] for i, t in enumerate(texts)], np.float32)
    total = np.array([len(t) for t in texts], np.int32)
    return Rows(vectors.reshape(-1, 3), total, np.minimum(total, 4).astype(np.int32))


def _same(a: Rows, b: Rows) -> bool:
    return all(
        np.array_equal(getattr(a, f), getattr(b, f)) for f in ("vectors", "tokens_total", "tokens_embedded")
    )


def test_what_is_added_is_found_in_the_order_asked(tmp_path: Path) -> None:
    stored = Vectors(Store(tmp_path), IDENTITY)
    texts = ["b", "a", "", "cafe\u0301", "café"]
    assert stored.missing([*texts, "b"]) == texts
    rows = _rows(texts)
    stored.add(texts, rows)
    assert stored.missing(texts) == []
    got = stored.rows(["café", "b", "b"])
    assert got.vectors.tolist() == rows.vectors[[4, 0, 0]].tolist()
    assert got.vectors.dtype == np.float32
    assert got.tokens_total.tolist() == [4, 1, 1]
    assert got.tokens_embedded.tolist() == [4, 1, 1]
    assert _same(stored.rows(texts), rows)


def test_no_text_is_no_row(tmp_path: Path) -> None:
    assert Vectors(Store(tmp_path), IDENTITY).rows([]).vectors.shape[0] == 0


def test_another_process_finds_what_one_added(tmp_path: Path) -> None:
    one, other = (Vectors(Store(tmp_path), IDENTITY) for _ in range(2))
    one.add(["a", "b"], _rows(["a", "b"]))
    assert other.missing(["a", "b", "c"]) == ["a", "b", "c"]
    other.refresh()
    assert other.missing(["a", "b", "c"]) == ["c"]
    assert _same(other.rows(["a", "b"]), _rows(["a", "b"]))


def test_a22_each_identity_has_vectors_of_its_own(tmp_path: Path) -> None:
    store = Store(tmp_path)
    identities = [
        IDENTITY,
        {**IDENTITY, "model": "m2"},
        {**IDENTITY, "max_length": 128},
        {**IDENTITY, "normalize": False},
        {**IDENTITY, "precision": "bf16"},
    ]
    Vectors(store, IDENTITY).add(["a"], _rows(["a"]))
    found = []
    for identity in identities:
        stored = Vectors(store, identity)
        stored.refresh()
        found.append(stored.missing(["a"]))
    assert found == [[], ["a"], ["a"], ["a"], ["a"]]
    assert len({Vectors(store, i).key for i in identities}) == len(identities)


def test_bytes_of_a_segment_do_not_depend_on_the_order_of_its_texts(tmp_path: Path) -> None:
    texts = ["one", "two", "three", "four"]
    rows = _rows(texts)
    back = [3, 1, 0, 2]
    files = []
    for name, order in (("x", range(4)), ("y", back)):
        stored = Vectors(Store(tmp_path / name), IDENTITY)
        picked = Rows(*(getattr(rows, f)[list(order)] for f in Rows.__slots__))
        stored.add([texts[i] for i in order], picked)
        files.append({p.relative_to(tmp_path / name): p.read_bytes() for p in (tmp_path / name).rglob("*.*")})
    assert files[0] == files[1]
    keys = np.load(next((tmp_path / "x").rglob("keys.npy")))
    assert [k.tobytes() for k in keys] == sorted(text_keys(texts))


def test_many_segments_against_a_dictionary(tmp_path: Path) -> None:
    draw = random.Random(2)
    right: dict[str, list[float]] = {}
    stored = Vectors(Store(tmp_path), IDENTITY)
    for _ in range(12):
        wanted = [str(draw.randint(0, 80)) for _ in range(15)]
        due = stored.missing(wanted)
        assert due == [t for t in dict.fromkeys(wanted) if t not in right]
        if due:
            rows = _rows(due)
            stored.add(due, rows)
            right.update(zip(due, rows.vectors.tolist(), strict=True))
        assert stored.rows(wanted).vectors.tolist() == [right[t] for t in wanted]
    again = Vectors(Store(tmp_path), IDENTITY)
    again.refresh()
    assert again.rows(list(right)).vectors.tolist() == list(right.values())


def test_a_damaged_segment_is_missing_and_comes_back_with_the_same_bytes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = Vectors(Store(tmp_path), IDENTITY)
    first.add(["a", "b"], _rows(["a", "b"]))
    first.add(["c"], _rows(["c"]))
    path = min(tmp_path.rglob("vectors.npy"), key=lambda p: -p.stat().st_size)  # the segment of two
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"\x01")
    again = Vectors(Store(tmp_path), IDENTITY)
    with caplog.at_level(logging.WARNING):
        again.refresh()
    assert "vectors.npy: damaged" in caplog.text
    assert again.missing(["a", "b", "c"]) == ["a", "b"]
    again.add(["a", "b"], _rows(["a", "b"]))
    assert path.read_bytes() == whole
    assert _same(again.rows(["a", "b"]), _rows(["a", "b"]))


def test_thousands_of_segments_do_not_use_up_open_files(tmp_path: Path) -> None:
    stored = Vectors(Store(tmp_path), IDENTITY)
    texts = [str(i) for i in range(150)]
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
    try:
        for text in texts:
            stored.add([text], _rows([text]))
        assert stored.rows(texts).tokens_total.tolist() == [len(t) for t in texts]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
