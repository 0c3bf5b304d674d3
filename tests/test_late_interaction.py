"""Late interaction: MaxSim by hand, exact in any block, order and batch; vectors that are a text's own."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from runner.errors import ComponentError
from runner.late_interaction import Matrix, TokenEncoder, TokenModel, maxsim, maxsims

TEXTS = ["Owls hunt at night.", "", "The owl is a bird of prey, awake at night.", "漢字", "copper zinc"]


def rows(n: int, seed: int, dimensions: int = 48) -> Matrix:
    raw = np.random.default_rng(seed).standard_normal((n, dimensions))
    return (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float16)


def test_by_hand() -> None:
    """Two query tokens: the first is best met by 0.5, the second by 1; by a contrary chunk with 0."""
    query = np.array([[1, 0], [0, 1]], np.float16)
    chunks = [np.array(c, np.float16) for c in ([[0.5, 0], [0, 1]], [[-1, 0], [0, -1]], [[0, 1]])]
    assert maxsim(query, chunks).tolist() == [0.5 + 1.0, 0.0, 1.0]


def test_nothing_has_no_likeness() -> None:
    query, none = rows(3, 1), np.zeros((0, 48), np.float16)
    assert maxsim(query, [none, query, none])[[0, 2]].tolist() == [0.0, 0.0]
    assert maxsim(none, [query, none]).tolist() == [0.0, 0.0]
    assert maxsim(query, []).tolist() == []
    assert maxsim(query, [none]).tolist() == [0.0]


def test_a_score_is_the_same_bits_whatever_is_scored_with_it() -> None:
    draw = np.random.default_rng(2)
    asked, sizes = draw.integers(1, 40, 30), draw.integers(1, 90, 60)
    queries, tokens = rows(int(asked.sum()), 3, 384), rows(int(sizes.sum()), 4, 384)
    whole = maxsims(queries, asked, tokens, sizes)
    each = np.split(queries, np.cumsum(asked)[:-1]), np.split(tokens, np.cumsum(sizes)[:-1])
    for i, query in enumerate(each[0]):
        assert (maxsim(query, each[1]) == whole[i]).all()
        order = draw.permutation(60)
        assert (maxsim(query, [each[1][j] for j in order]) == whole[i][order]).all()
        assert maxsim(query, [each[1][i]])[0] == whole[i, i]


def test_it_is_exact() -> None:
    """Whole numbers of 2^-48, summed without rounding, say the same."""
    query, chunk = rows(7, 5), rows(11, 6)
    a, b = ([[int(x) for x in np.ldexp(m.astype(np.float64), 24).ravel()[i::48]] for i in range(48)]
            for m in (query, chunk))  # fmt: skip
    products = [[sum(a[d][q] * b[d][c] for d in range(48)) for c in range(11)] for q in range(7)]
    assert maxsim(query, [chunk])[0] == sum(max(p) for p in products) / 2**48


@cache
def encoder() -> TokenEncoder:
    return TokenModel().encoder(2, "cpu")


@pytest.mark.model
def test_token_vectors() -> None:
    vectors = encoder().token_vectors(TEXTS)
    assert [v.dtype for v in vectors] == [np.float16] * 5
    assert [len(v) for v in vectors] == encoder().tokens_total(TEXTS).tolist()  # no special token, none cut
    assert [len(v) for v in vectors][:2] == [5, 0]
    for v in vectors:
        assert np.linalg.norm(v.astype(np.float64), axis=1) == pytest.approx(1.0, abs=1e-3)
    own, _, near, _, far = maxsim(vectors[0], vectors)
    assert own == pytest.approx(5.0, abs=0.005)
    assert far < near < own


@pytest.mark.model
def test_a_text_alone_has_the_vectors_it_has_among_others() -> None:
    together = encoder().token_vectors(TEXTS * 3)
    alone = [encoder().token_vectors([t])[0] for t in TEXTS[::-1]][::-1]
    single = TokenModel().encoder(1, "cpu").token_vectors(TEXTS[::-1])[::-1]
    for other in (together[:5], together[5:10], single):
        assert all((a == o).all() for a, o in zip(alone, other, strict=True))


@pytest.mark.model
def test_a18_a_text_beyond_the_limit_gives_its_beginning() -> None:
    long = "owl " * 300
    assert len(encoder().token_vectors([long])[0]) == 254
    assert encoder().tokens_total([long]).tolist() == [300]
    short = TokenModel(max_length=8).encoder(1, "cpu")
    assert len(short.token_vectors([long])[0]) == 6


@pytest.mark.model
def test_identity_is_of_files_and_length_not_of_names() -> None:
    base = TokenModel()
    moved = TokenModel(model=str(base.folder()), revision=None, package=None)
    assert moved.token_identity() == base.token_identity()
    assert TokenModel(max_length=8).token_identity() != base.token_identity()


def test_a_model_that_is_not_there() -> None:
    with pytest.raises(ComponentError, match="no-such"):
        TokenModel(model="no-such", revision=None, package=None).token_identity()
