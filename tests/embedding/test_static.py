"""`static`: means of rows as arithmetic; weights and mapping as in model2vec; unknown words say nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from embedding.models import Floats, encode, static

from runner.embedding.static import Static
from runner.errors import ComponentError


def _tokenizer(folder: str) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
    tokenizer.no_truncation()
    return tokenizer


def _table(size: int) -> Floats:
    return np.array([[1, i, i * i % 17] for i in range(size)], np.float32)


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return static(tmp_path / "m")


def _mean(rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    mean = rows.astype(np.float64).mean(axis=0)
    return mean / np.linalg.norm(mean)


def test_the_mean_of_the_rows_of_its_tokens(folder: str, tmp_path: Path) -> None:
    tokenizer = _tokenizer(folder)
    size = tokenizer.get_vocab_size()
    known = static(tmp_path / "k", _table(size))
    ids = tokenizer.encode("the sea", add_special_tokens=False).ids
    got = encode(Static(model=known).load(1, "cpu"), "the sea", "漢 the sea", "漢", "").vectors
    assert np.abs(got[0] - _mean(_table(size)[ids])).max() < 1e-6
    assert np.array_equal(got[1], got[0])  # 漢 is unknown
    assert not got[2:].any()
    cut = encode(Static(model=known, dimensions=2).load(1, "cpu"), "the sea").vectors[0]
    assert np.abs(cut - _mean(_table(size)[ids][:, :2])).max() < 1e-6


def test_weights_are_of_tokens_and_rows_of_clusters(tmp_path: Path) -> None:
    """model2vec's quantised vocabulary: `mapping` gives each token a row, `weights` how much it counts."""
    size = _tokenizer(static(tmp_path / "plain")).get_vocab_size()
    mapping, weights = np.arange(size) % 10, np.linspace(0.5, 2, size).astype(np.float32)
    folder = static(tmp_path / "m", _table(10), mapping=mapping, weights=weights)
    ids = _tokenizer(folder).encode("the sea", add_special_tokens=False).ids
    right = _mean(_table(10)[mapping[ids]] * weights[ids][:, None])
    assert np.abs(encode(Static(model=folder).load(1, "cpu"), "the sea").vectors[0] - right).max() < 1e-6


def test_model2vec_agrees(folder: str) -> None:
    model2vec = pytest.importorskip("model2vec", reason="pip install --no-deps model2vec==0.10.0")
    (Path(folder) / "config.json").write_text('{"normalize": true}', "utf-8")
    texts = ["the sea", "sep 1", "漢字 the", "!", "", "ing " * 700]
    theirs = model2vec.StaticModel.from_pretrained(folder).encode(texts)
    assert np.abs(encode(Static(model=folder).load(1, "cpu"), *texts).vectors - theirs).max() < 1e-5


def test_a_table_of_numpys(folder: str) -> None:
    encoder = Static(model=folder).load(1, "cpu")
    table = encoder._table  # type: ignore[attr-defined]
    np.save(Path(folder) / "table.npy", table)
    other = Static(model=folder, table="table.npy").load(1, "cpu")
    assert np.array_equal(encode(other, "the sea").vectors, encode(encoder, "the sea").vectors)


def test_a18_what_is_read_is_counted(folder: str) -> None:
    got = encode(Static(model=folder, max_length=3).load(1, "cpu"), "the the the a", "the the the", "the")
    assert got.tokens_total.tolist() == [4, 3, 1]
    assert got.tokens_embedded.tolist() == [3, 3, 1]
    assert np.array_equal(got.vectors[0], got.vectors[1])
    whole = encode(Static(model=folder, max_length=None).load(1, "cpu"), "the " * 2000)
    assert whole.tokens_embedded.tolist() == [2000]


def test_bit_equal_in_any_order_and_slice(folder: str) -> None:
    texts = ["the sea", "", "a\ud83db", "sep " * 300, *("the " * n + "x" for n in range(9))]
    encoder = Static(model=folder).load(2, "cpu")
    right = encode(encoder, *texts).vectors
    assert np.array_equal(encode(encoder, *texts[::-1]).vectors[::-1], right)
    assert np.array_equal(np.concatenate([encode(encoder, t).vectors for t in texts]), right)
    assert encode(encoder).vectors.shape[0] == 0


def test_a22_identity_moves_with_everything_that_moves_a_vector(folder: str, tmp_path: Path) -> None:
    size = _tokenizer(folder).get_vocab_size()
    found = [
        Static(model=folder), Static(model=static(tmp_path / "other", _table(size))),
        Static(model=folder, max_length=64), Static(model=folder, dimensions=2),
    ]  # fmt: skip
    assert len({json.dumps(f.identity(), sort_keys=True) for f in found}) == len(found)
    assert Static(model=static(tmp_path / "same")).identity() == found[0].identity()


def test_files_that_do_not_fit_are_refused(folder: str, tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match=r"has no file 'vectors\.npy'"):
        Static(model=folder, table="vectors.npy").identity()
    with pytest.raises(ComponentError, match=r"5 rows for \d+ tokens of tokenizer.json"):
        Static(model=static(tmp_path / "few", _table(5))).load(1, "cpu")
    with pytest.raises(ComponentError, match="9 is more than the model's 8"):
        Static(model=folder, dimensions=9).load(1, "cpu")
    np.save(Path(folder) / "flat.npy", np.zeros(7, np.float32))
    with pytest.raises(ComponentError, match=r"the table has shape \(7,\)"):
        Static(model=folder, table="flat.npy").load(1, "cpu")
    (Path(folder) / "model.safetensors").write_bytes(b"no table")
    with pytest.raises(ComponentError, match="holds no table of token vectors"):
        Static(model=folder).load(1, "cpu")
