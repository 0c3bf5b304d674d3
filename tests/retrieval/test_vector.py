"""The vector leg: exact cosine, the same bits whatever is searched together, zero vectors as agreed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from retrieval.cases import near

from runner.embedding._transformer import unit
from runner.retrieval import _exact
from runner.retrieval.contract import Side
from runner.retrieval.stage import search
from runner.retrieval.vector import Vector

Rows = npt.NDArray[np.float32]


def _gauss(n: int, dimensions: int, seed: int) -> Rows:
    return unit(np.random.default_rng(seed).standard_normal((n, dimensions)).astype(np.float32))


def _brute(chunks: Rows, query: Rows, depth: int) -> list[int]:
    """The best chunks in float64, ties by place."""
    scores = (chunks.astype(np.float64) * query.astype(np.float64)).sum(axis=1)
    return np.lexsort((np.arange(len(chunks)), -scores))[:depth].tolist()


def test_a20_cosine_not_dot_product() -> None:
    """d1 = (10, 0), d2 = (0.6, 0.8), query (0.6, 0.8): cosines 0.6 and 1.0."""
    chunks = unit(np.array([[10, 0], [0.6, 0.8]], np.float32))
    ((d2, d1),), _ = near(chunks, unit(np.array([[0.6, 0.8]], np.float32)))
    assert d2 == (1, pytest.approx(1.0, abs=1e-7))
    assert d1 == (0, pytest.approx(0.6, abs=1e-7))


def test_a20_similarities_stay_within_minus_one_and_one() -> None:
    chunks = _gauss(300, 384, 1)
    found, _ = near(np.concatenate([chunks, -chunks]), chunks[:50], depth=600)
    for i, rows in enumerate(found):
        assert rows[0] == (i, pytest.approx(1.0, abs=1e-6))
        assert rows[-1] == (300 + i, pytest.approx(-1.0, abs=1e-6))
        assert all(-1.0 <= s <= 1.0 for _, s in rows)


def test_a21_zero_vectors() -> None:
    """A zero chunk has similarity 0 to any query; a zero query finds nothing and says so."""
    chunks = [[0, 0], [1, 0], [-1, 0]]
    found, reasons = near(chunks, [[1, 0], [0, 0]])
    assert found == [[(1, 1.0), (0, 0.0), (2, -1.0)], []]
    assert reasons == {1: "zero vector"}


def test_a28_fewer_chunks_than_asked_for_are_not_padded() -> None:
    found, _ = near(np.eye(4)[:2], np.eye(4)[[0, 1, 2]], depth=5)
    assert found == [[(0, 1.0), (1, 0.0)], [(1, 1.0), (0, 0.0)], [(0, 0.0), (1, 0.0)]]
    assert near(np.zeros((0, 4)), np.eye(4)[:1], depth=5) == ([[]], {})
    assert near(np.eye(4), np.zeros((0, 4)), depth=5) == ([], {})


def test_a29_exact_search_is_brute_force_in_float64() -> None:
    chunks, queries = _gauss(20_000, 384, 29), _gauss(50, 384, 30)
    found, _ = near(chunks, queries, depth=10)
    for query, rows in zip(queries, found, strict=True):
        right = _brute(chunks, query, 10)
        assert [c for c, _ in rows] == right
        exact = chunks[right].astype(np.float64) @ query.astype(np.float64)
        assert [s for _, s in rows] == pytest.approx(exact.tolist(), abs=1e-12)


def test_a30_copies_do_not_hide_what_is_different() -> None:
    v, u = _gauss(2, 64, 30)
    (rows,), _ = near(
        np.concatenate([np.tile(v, (250, 1)), u[None], np.tile(v, (250, 1))]), u[None], depth=10
    )
    assert rows[0] == (250, pytest.approx(1.0, abs=1e-6))
    assert [c for c, _ in rows[1:]] == list(range(9))
    assert len({s for _, s in rows[1:]}) == 1


@pytest.fixture(scope="module")
def near_ties() -> tuple[Rows, Rows]:
    """2,000 chunks in groups of five that differ in the last bits, so that any change of rounding shows."""
    centres = _gauss(400, 384, 31)
    shaken = np.repeat(centres, 5, axis=0) + np.random.default_rng(31).normal(0, 2e-8, (2000, 384))
    return unit(shaken.astype(np.float32)), unit(centres[:150] + _gauss(150, 384, 32))


def test_a31_repeats_are_identical(near_ties: tuple[Rows, Rows]) -> None:
    chunks, queries = near_ties
    first = near(chunks, queries, depth=20)
    assert all(near(chunks, queries, depth=20) == first for _ in range(2))


@pytest.mark.parametrize("block", [1, 2, 7, 64, 1000])
def test_a31_block_sizes_do_not_move_a_bit(
    block: int, near_ties: tuple[Rows, Rows], monkeypatch: pytest.MonkeyPatch
) -> None:
    chunks, queries = near_ties
    right = near(chunks, queries, depth=20)
    monkeypatch.setattr(_exact, "BLOCK", block)
    assert near(chunks, queries, depth=20) == right


def test_a31_a_query_asked_alone_gives_the_very_same_bits(near_ties: tuple[Rows, Rows]) -> None:
    chunks, queries = near_ties
    together, _ = near(chunks, queries, depth=20)
    for i in range(0, len(queries), 3):
        assert near(chunks, queries[i : i + 1], depth=20)[0] == [together[i]]
    assert near(chunks, queries[::-1].copy(), depth=20)[0] == together[::-1]


def test_a31_scores_do_not_depend_on_the_other_chunks(near_ties: tuple[Rows, Rows]) -> None:
    chunks, queries = near_ties
    whole, _ = near(chunks, queries[:20], depth=2000)
    for part in (slice(0, 2000, 3), slice(100, 101), slice(5, 900)):
        kept = list(range(2000))[part]
        some, _ = near(chunks[part], queries[:20], depth=2000)
        for rows, all_rows in zip(some, whole, strict=True):
            scores = dict(all_rows)
            assert [(kept[c], s) for c, s in rows] == sorted(
                ((c, scores[c]) for c in kept), key=lambda r: (-r[1], r[0])
            )


def test_a31_memory_layout_does_not_move_a_bit(near_ties: tuple[Rows, Rows]) -> None:
    """Vectors may come mapped from a file, sliced, or in Fortran order."""
    chunks, queries = near_ties
    right = near(chunks, queries[:30], depth=20)
    wide = np.zeros((2000, 800), np.float32)
    wide[:, ::2][:, :384] = chunks
    for same in (np.asfortranarray(chunks), wide[:, ::2][:, :384]):
        assert np.array_equal(same, chunks)
        hits = search(Vector(depth=20), {}, Side(vectors=same), Side(vectors=queries[:30]))
        flat = [(c, s) for rows in right[0] for c, s in rows]
        assert list(hits.frame.select("chunk", "score").iter_rows()) == flat


@pytest.mark.parametrize("depth", [1, 3, 19, 250])
def test_a_smaller_depth_is_the_top_of_a_larger(depth: int, near_ties: tuple[Rows, Rows]) -> None:
    chunks, queries = near_ties
    whole, _ = near(chunks, queries[:40], depth=2000)
    assert near(chunks, queries[:40], depth=depth)[0] == [rows[:depth] for rows in whole]


def test_near_ties_are_ordered_as_in_float64(near_ties: tuple[Rows, Rows]) -> None:
    chunks, queries = near_ties
    found, _ = near(chunks, queries, depth=20)
    for query, rows in zip(queries, found, strict=True):
        assert [c for c, _ in rows] == _brute(chunks, query, 20)


def test_it_reads_vectors() -> None:
    with pytest.raises(TypeError, match="reads vectors"):
        list(Vector().search({}, Side(), Side(texts=["x"])))
