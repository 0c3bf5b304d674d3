"""`hashing`: a vector depends on the words of its text and on nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from tokenizer.toys import nasty_texts

from runner.embedding.contract import Encoded
from runner.embedding.hashing import Hashing
from runner.errors import RequestError
from runner.registry import parse


def _encode(texts: list[str], **settings: int) -> Encoded:
    return Hashing(**settings).load(1, "cpu").encode(texts, lambda done: None)


def test_rows_are_unit_or_zero() -> None:
    texts = nasty_texts()
    got = _encode(texts)
    assert got.vectors.shape == (len(texts), 256)
    assert got.vectors.dtype == np.float32
    norms = np.linalg.norm(got.vectors.astype(np.float64), axis=1)
    empty = got.tokens_total == 0
    assert (norms[empty] == 0).all()
    assert np.abs(norms[~empty] - 1).max() < 1e-6
    assert got.tokens_total.tolist() == got.tokens_embedded.tolist()


def test_a_text_without_a_word_is_zero() -> None:
    got = _encode(["", " \n", "?!", "one, two"])
    assert got.vectors[:3].any() == np.False_
    assert got.tokens_total.tolist() == [0, 0, 0, 2]


def test_the_same_bits_in_any_order_and_any_batch() -> None:
    texts = nasty_texts(seed=3, count=60)
    right = _encode(texts).vectors
    assert (_encode(texts[::-1]).vectors[::-1] == right).all()
    encoder = Hashing().load(2, "cpu")
    alone = [encoder.encode([t], lambda done: None).vectors[0] for t in texts]
    assert (np.stack(alone) == right).all()


def test_order_case_and_punctuation_do_not_matter_and_counts_do() -> None:
    one, same, other = _encode(
        ["Owls hunt at night", "NIGHT at: owls hunt!", "owls owls hunt at night"]
    ).vectors
    assert (one == same).all()
    assert not (one == other).all()


def test_nearer_words_are_nearer_vectors() -> None:
    """Words weigh 1, trigrams 0.5; `<hunt>` has four, `<hunts>` five: <hu, hun and unt are shared."""
    hunt, hunts, owl = _encode(["hunt", "hunts", "owl"], dimensions=4096).vectors.astype(np.float64)
    right = 0.25 * 3 / ((1 + 0.25 * 4) * (1 + 0.25 * 5)) ** 0.5
    assert hunt @ hunts == pytest.approx(right, abs=1e-6)
    assert hunt @ owl == pytest.approx(0.0, abs=1e-6)


def test_pinned() -> None:
    """A literal: if it moves, `version` must rise, for stored vectors are found by it."""
    (row,) = _encode(["alpha beta"], dimensions=8).vectors
    sums = [0.5, -1.0, 1.0, -0.5, 0.0, 0.0, 0.5, 1.0]  # of the eleven pieces, by hashlib's blake2b
    assert row.tolist() == pytest.approx([s / 3.75**0.5 for s in sums], abs=1e-7)
    assert Hashing(dimensions=8).identity() == {"model": "hashing", "version": 1, "dimensions": 8}


def test_progress_adds_up() -> None:
    told: list[int] = []
    Hashing().load(1, "cpu").encode(["a", "b", "c"], told.append)
    assert sum(told) == 3


def test_dimensions_are_checked() -> None:
    for n in (7, 4097):
        with pytest.raises(RequestError, match=r"embedding\.dimensions"):
            parse("embedding", {"name": "hashing", "dimensions": n})
