"""The hnsw leg: one graph from build to build, cosines as the exact leg has them, a recall that is true."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from retrieval.cases import Rows, by_query, near

from runner.embedding._transformer import unit
from runner.errors import ComponentError
from runner.retrieval import _exact
from runner.retrieval.contract import Side
from runner.retrieval.hnsw import HNSW
from runner.retrieval.stage import LegHits, recall_facts, search


def gauss(n: int, dimensions: int, seed: int) -> np.ndarray:
    return unit(np.random.default_rng(seed).standard_normal((n, dimensions)).astype(np.float32))


def clustered(n: int, seed: int) -> np.ndarray:
    """Vectors as texts have them: near each other in groups."""
    draw = np.random.default_rng(seed)
    centres = draw.standard_normal((20, 64))
    return unit((centres[draw.integers(0, 20, n)] + draw.standard_normal((n, 64))).astype(np.float32))


def ask(leg: HNSW, chunks: np.ndarray, queries: np.ndarray) -> LegHits:
    sides = [Side(vectors=np.asarray(x, np.float32)) for x in (chunks, queries)]
    return search(leg, leg.index(sides[0]), *sides)


def found(leg: HNSW, chunks: np.ndarray, queries: np.ndarray) -> list[Rows]:
    return by_query(ask(leg, chunks, queries), len(queries))


@pytest.mark.parametrize("dtype", ["f32", "f16", "i8"])
def test_a_score_is_the_exact_legs_score(dtype: str) -> None:
    chunks, queries = clustered(600, 1), clustered(40, 2)
    exact, _ = near(chunks, queries, depth=600)
    leg = HNSW.model_validate({"dtype": dtype, "depth": 20})
    hits = ask(leg, chunks, queries)
    for rows, all_rows in zip(by_query(hits, 40), exact, strict=True):
        scores = dict(all_rows)
        assert len(rows) == 20
        assert all(score == scores[chunk] for chunk, score in rows)  # to the last bit
    assert recall_facts(hits.recall, 20)["recall"]["mean"] > (0.9 if dtype == "i8" else 0.97)


def test_recall_is_what_exact_search_says() -> None:
    chunks, queries = gauss(1500, 64, 3), gauss(30, 64, 4)
    leg = HNSW(depth=10, expansion_add=16, expansion_search=16, connectivity=4)
    hits = ask(leg, chunks, queries)
    exact, _ = near(chunks, queries, depth=10)
    for query, rows in enumerate(by_query(hits, 30)):
        right = {c for c, _ in exact[query]}
        assert hits.recall[query] == len(right & {c for c, _ in rows}) / 10
    facts = recall_facts(hits.recall, 10)["recall"]
    assert facts["mean"] < 0.9
    assert facts == {
        "at": 10, "n": 30, "mean": pytest.approx(sum(hits.recall.values()) / 30),
        "least": min(hits.recall.values()), "short": sum(r < 1 for r in hits.recall.values()),
    }  # fmt: skip
    (said,) = hits.notes
    assert said.startswith(f"recall@10 against exact search is {facts['mean']:.4f} over the run's queries")
    assert ask(HNSW(depth=10), chunks[:300], queries).notes == []


@pytest.mark.parametrize(
    ("scores", "best", "depth", "right"),
    [
        ([0.9, 0.8], [0.9, 0.8, 0.7], 2, 1.0),
        ([0.9, 0.7], [0.9, 0.8, 0.7], 2, 0.5),
        ([0.9, 0.5], [0.9, 0.5, 0.5, 0.5], 2, 1.0),  # any of the equal ones will do
        ([0.5, 0.5], [0.9, 0.5, 0.5, 0.5], 2, 0.5),  # but they are no substitute for a better one
        ([0.5] * 4, [0.9, 0.5, 0.5, 0.5], 2, 0.5),
        ([0.9], [0.9, 0.8, 0.7], 5, 1 / 3),  # no more than there are
        ([], [0.1], 5, 0.0),
        ([], [], 5, 1.0),
    ],
)
def test_recall_by_hand(scores: list[float], best: list[float], depth: int, right: float) -> None:
    assert _exact.recall(np.array(scores), np.array(best), depth) == right


def test_a21_zero_vectors() -> None:
    """A zero chunk has similarity 0 to any query; a zero query finds nothing, says so, and missed nothing."""
    hits = ask(HNSW(), np.array([[0, 0], [1, 0], [-1, 0]]), np.array([[1, 0], [0, 0]]))
    assert by_query(hits, 2) == [[(1, 1.0), (0, 0.0), (2, -1.0)], []]
    assert hits.reasons == {1: "zero vector"}
    assert hits.recall == {0: 1.0, 1: 1.0}


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a21_a_vector_that_is_not_finite_is_refused(bad: float) -> None:
    good, wrong = np.eye(3), np.eye(3)
    wrong[1, 2] = bad
    with pytest.raises(ComponentError, match="chunk row 1: its vector is not finite"):
        ask(HNSW(), wrong, good)
    with pytest.raises(ComponentError, match="query row 1: its vector is not finite"):
        ask(HNSW(), good, wrong)


def test_a28_short_answers_are_not_padded() -> None:
    hits = ask(HNSW(depth=5), np.eye(4)[:2], np.eye(4)[[0, 1, 2]])
    assert by_query(hits, 3) == [[(0, 1.0), (1, 0.0)], [(1, 1.0), (0, 0.0)], [(0, 0.0), (1, 0.0)]]
    assert found(HNSW(depth=5), np.eye(4)[:1], np.eye(4)[:1]) == [[(0, 1.0)]]
    assert found(HNSW(), np.zeros((0, 4)), np.eye(4)[:2]) == [[], []]
    assert found(HNSW(), np.eye(4), np.zeros((0, 4))) == []


@pytest.mark.parametrize("place", [0, 250, 500])
def test_a30_copies_do_not_hide_what_is_different(place: int) -> None:
    v, u = gauss(2, 64, 30)
    chunks = np.tile(v, (501, 1))
    chunks[place] = u
    hits = ask(HNSW(depth=10), chunks, np.stack([u, v]))
    first, second = by_query(hits, 2)
    assert first[0] == (place, pytest.approx(1.0, abs=1e-6))
    assert [c for c, _ in first[1:]] == [c for c in range(501) if c != place][:9]
    assert [c for c, _ in second] == [c for c in range(501) if c != place][:10]
    assert hits.recall == {0: 1.0, 1: 1.0}


def test_a30_near_copies_do_not_hide_it_either_and_what_is_missed_among_them_is_counted() -> None:
    v, u = gauss(2, 64, 30)
    shaken = unit((v + np.random.default_rng(1).normal(0, 1e-4, (500, 64))).astype(np.float32))
    chunks = np.concatenate([shaken, u[None]])
    hits = ask(HNSW(depth=10), chunks, u[None])
    mine = hits.frame["chunk"].to_list()
    right = [c for c, _ in near(chunks, u[None], depth=10)[0][0]]
    assert mine[0] == 500
    assert hits.recall == {0: len({*mine} & {*right}) / 10}


def test_a31_builds_are_identical() -> None:
    chunks, queries = clustered(2000, 5), clustered(50, 6)
    leg = HNSW(depth=20)
    graphs = [leg.index(Side(vectors=chunks)) for _ in range(3)]
    assert len({g["graph"].tobytes() for g in graphs}) == 1
    first, *others = [found(leg, chunks, queries) for _ in range(3)]
    assert others == [first, first]
    assert [found(leg, chunks, queries[i : i + 1])[0] for i in range(0, 50, 7)] == first[::7]


def test_the_graph_is_shared_by_searches_of_any_width() -> None:
    assert HNSW.search_fields == {"depth", "expansion_search"}
    chunks, queries = gauss(1500, 64, 3), gauss(30, 64, 4)
    narrow, wide = (HNSW(depth=10, connectivity=4, expansion_add=16, expansion_search=e) for e in (10, 1500))
    sides = Side(vectors=chunks), Side(vectors=queries)
    index: dict[str, Any] = narrow.index(sides[0])
    few, many = (search(leg, index, *sides).recall.values() for leg in (narrow, wide))
    assert sum(few) < sum(many)
    assert sum(many) / 30 > 0.95


def test_it_reads_vectors() -> None:
    with pytest.raises(TypeError, match="reads vectors"):
        HNSW().index(Side(texts=["x"]))
    with pytest.raises(TypeError, match="reads vectors"):
        list(HNSW().search({}, Side(), Side(texts=["x"])))
    assert set(HNSW().identity()) == {"usearch"}
