"""Pair scores on disk: found by query and text, whatever segment, process or order they come from."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

from runner.pairs import Pairs, Rows, pair_keys
from runner.store import Store

IDENTITY = {"model": "m1", "activation": "identity"}


def _rows(*scores: float) -> Rows:
    tokens = np.arange(len(scores), dtype=np.int32)
    return Rows(np.array(scores), tokens + 10, tokens)


def test_a_key_is_of_this_query_and_this_text_and_of_no_other_pair() -> None:
    pairs = [("a", "b"), ("b", "a"), ("ab", ""), ("", "ab"), ("a", "B"), ("a", "b "), ("cafe\u0301", "b")]
    names = pair_keys([q for q, _ in pairs], [t for _, t in pairs])
    assert len(set(names)) == len(pairs)
    assert {len(n) for n in names} == {32}
    assert pair_keys(["a", "x", "a"], ["b", "y", "b"])[::2] == [names[0]] * 2
    assert pair_keys([], []) == []
    with pytest.raises(ValueError, match="shorter"):
        pair_keys(["a"], [])


def test_what_is_added_is_found_in_the_order_asked(tmp_path: Path) -> None:
    stored = Pairs(Store(tmp_path), IDENTITY)
    names = pair_keys(["q"] * 3, ["c", "a", "b"])
    assert stored.missing([*names, names[0]]) == names
    stored.add(names, _rows(40.0, 41.0, -11.2))
    assert stored.missing(names) == []
    got = stored.rows([names[2], names[0], names[2]])
    assert got.scores.tolist() == [-11.2, 40.0, -11.2]
    assert got.tokens_total.tolist() == [12, 10, 12]
    assert got.tokens_read.tolist() == [2, 0, 2]
    assert (got.scores.dtype, got.tokens_read.dtype) == (np.float64, np.int32)
    assert stored.rows([]).scores.shape == (0,)


def test_another_process_finds_what_one_added(tmp_path: Path) -> None:
    one, other = (Pairs(Store(tmp_path), IDENTITY) for _ in range(2))
    names = pair_keys(["q", "r", "s"], ["a", "a", "a"])
    one.add(names[:2], _rows(1.0, 2.0))
    assert other.missing(names) == names
    other.refresh()
    assert other.missing(names) == names[2:]
    other.add(names[2:], _rows(3.0))
    one.refresh()
    assert one.rows(names[::-1]).scores.tolist() == [3.0, 2.0, 1.0]


def test_each_identity_has_scores_of_its_own(tmp_path: Path) -> None:
    store, names = Store(tmp_path), pair_keys(["q"], ["a"])
    Pairs(store, IDENTITY).add(names, _rows(1.0))
    for other in ({**IDENTITY, "model": "m2"}, {**IDENTITY, "activation": "sigmoid"}, {}):
        stored = Pairs(store, other)
        stored.refresh()
        assert stored.missing(names) == names


def test_bytes_of_a_segment_do_not_depend_on_the_order_of_its_pairs(tmp_path: Path) -> None:
    names = pair_keys(["q"] * 4, ["a", "b", "c", "d"])
    rows, back = _rows(1.0, 2.0, 3.0, 4.0), [2, 0, 3, 1]
    Pairs(Store(tmp_path / "x"), IDENTITY).add(names, rows)
    shuffled = Rows(*(getattr(rows, f)[back] for f in Rows.__slots__))
    Pairs(Store(tmp_path / "y"), IDENTITY).add([names[i] for i in back], shuffled)
    files = [
        {p.relative_to(at): p.read_bytes() for p in at.rglob("*.*")}
        for at in (tmp_path / "x", tmp_path / "y")
    ]
    assert files[0] == files[1]


def test_a_damaged_segment_is_missing_and_set_aside(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    names = pair_keys(["q"] * 3, ["a", "b", "c"])
    first = Pairs(Store(tmp_path), IDENTITY)
    first.add(names[:2], _rows(1.0, 2.0))
    first.add(names[2:], _rows(3.0))
    path = max(tmp_path.rglob("scores.npy"), key=lambda p: p.stat().st_size)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"\x01")
    again = Pairs(Store(tmp_path), IDENTITY)
    with caplog.at_level(logging.WARNING):
        again.refresh()
    assert "scores.npy: damaged" in caplog.text
    assert again.missing(names) == names[:2]
    again.add(names[:2], _rows(1.0, 2.0))
    assert path.read_bytes() == whole
