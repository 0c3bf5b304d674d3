"""Keys: literals are pinned, since a key that moves makes every recorded run unfindable."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path

import pytest

from runner import keys


def test_the_format_tag() -> None:
    assert keys.FORMAT == "runner/1"


def test_a_digest_is_sha256_of_canonical_json_with_the_format() -> None:
    text = '["runner/1",{"a":[1,2.5,null,true,"é"],"b":"x"}]'
    value = {"b": "x", "a": [1, 2.5, None, True, "é"]}
    assert keys.digest(value) == hashlib.sha256(text.encode()).hexdigest()


def test_literals() -> None:
    assert keys.digest(None) == "9085fdab7db4695acdafb4c48ea7179c9159929f0c128760d1d0539b3f5673f9"
    assert (
        keys.digest(["model", {"b": 1, "a": "é"}])
        == "bba000a3166433d668080492ae9267507df2bbec2cac02e412377d175c990621"
    )
    key = keys.stage_key("strategy", "fixed_size", 1, {"size": 200, "overlap": 0}, ["abc"])
    assert key == "97a404996663071b1c8261772bf72993bbd9fc1be7b5b6e68e4e920744d61b1d"
    assert key == keys.digest(["strategy", "fixed_size", 1, {"overlap": 0, "size": 200}, ["abc"]])
    # The SHA-256 of the empty text and of "abc" are in FIPS 180-4's examples.
    empty, abc = keys.text_keys(["", "abc"])
    assert empty.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert abc.hex() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_everything_that_is_said_moves_the_key() -> None:
    base = ("leg", "bm25", 1, {"k1": 1.5}, ["x"])
    made = {
        keys.stage_key(*base),
        keys.stage_key("index", *base[1:]),
        keys.stage_key("leg", "vector", *base[2:]),
        keys.stage_key("leg", "bm25", 2, *base[3:]),
        keys.stage_key("leg", "bm25", 1, {"k1": 1.2}, ["x"]),
        keys.stage_key("leg", "bm25", 1, {"k1": 1.5, "b": 0}, ["x"]),
        keys.stage_key("leg", "bm25", 1, {"k1": 1.5}, ["y"]),
        keys.stage_key("leg", "bm25", 1, {"k1": 1.5}, ["x", "x"]),
        keys.stage_key("leg", "bm25", 1, {"k1": 1.5}),
    }
    assert len(made) == 9


def test_order_of_a_mapping_does_not_move_it_and_order_of_a_list_does() -> None:
    assert keys.digest({"a": 1, "b": 2}) == keys.digest({"b": 2, "a": 1})
    assert keys.digest([1, 2]) != keys.digest([2, 1])
    assert keys.digest("1") != keys.digest(1)
    assert keys.digest(1) != keys.digest(True)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, [math.nan], {"a": math.inf}])
def test_nan_and_infinity_have_no_key(value: object) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        keys.digest(value)


def test_what_is_no_json_has_no_key() -> None:
    with pytest.raises(TypeError):
        keys.digest({1, 2})


def test_texts_are_keyed_as_they_are() -> None:
    texts = ["cafe\u0301", "café", "a\r\n", "a\n", "a", "a ", "\ud83d"]  # the last is half a surrogate pair
    assert len(set(keys.text_keys(texts))) == len(texts)
    assert [len(k) for k in keys.text_keys(texts)] == [32] * len(texts)
    assert keys.text_keys([]) == []


def test_a_file_is_keyed_by_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"abc")
    assert keys.file_digest(path) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
