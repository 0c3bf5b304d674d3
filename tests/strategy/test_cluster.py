"""`cluster`: the optimum is that of trying everything, and of Chroma's own programme where it is exact."""

from __future__ import annotations

import random
import time
from itertools import combinations, pairwise

import numpy as np
import pytest
from pydantic import ValidationError
from tokenizer import toys

from runner.embedding.hashing import Hashing
from runner.errors import ComponentError
from runner.strategy.cluster import Cluster, mean_similarity, segmentation
from runner.strategy.contract import Source, Tools


def _vectors(n: int, seed: int) -> np.ndarray:
    v = np.random.default_rng(seed).normal(size=(n, 3))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def _reward(v: np.ndarray, cuts: list[int]) -> float:
    mean = float(np.mean([v[a] @ v[b] for a, b in combinations(range(len(v)), 2)])) if len(v) > 1 else 0.0
    return sum(float(v[a] @ v[b]) - mean for s, e in pairwise(cuts) for a, b in combinations(range(s, e), 2))


def test_the_mean_is_that_of_all_pairs() -> None:
    v = _vectors(9, 0)
    assert mean_similarity(v) == pytest.approx(np.mean([v[a] @ v[b] for a, b in combinations(range(9), 2)]))
    assert mean_similarity(v[:1]) == 0


def test_the_best_of_all_segmentations() -> None:
    for seed in range(40):
        rng = random.Random(seed)
        n, most = rng.randint(1, 9), rng.randint(1, 12)
        v, counts = _vectors(n, seed), [rng.randint(0, 5) for _ in range(n)]
        allowed = []
        for k in range(n):
            for inner in combinations(range(1, n), k):
                cuts = [0, *inner, n]
                pairs = list(pairwise(cuts))
                if all(e - s == 1 or sum(counts[s:e]) <= most for s, e in pairs):
                    allowed.append(cuts)
        found = segmentation(v, counts, most)
        assert found in allowed
        assert _reward(v, found) == pytest.approx(max(_reward(v, c) for c in allowed))


def test_like_goes_with_like() -> None:
    v = np.array([[1.0, 0], [1, 0], [1, 0], [0, 1], [0, 1]])
    assert segmentation(v, [1] * 5, 5) == [0, 3, 5]
    assert segmentation(v, [1] * 5, 2) in ([0, 1, 3, 5], [0, 2, 3, 5])
    assert segmentation(v, [9] * 5, 5) == [0, 1, 2, 3, 4, 5]


def test_it_takes_linear_time() -> None:
    v = _vectors(20_000, 1)
    started = time.perf_counter()
    segmentation(v, [50] * len(v), 400)
    assert time.perf_counter() - started < 10  # 0.5 s where it was written


def test_pieces_are_made_of_units_and_keep_to_the_size() -> None:
    def embed(texts: list[str]) -> np.ndarray:
        return Hashing().load(1, "cpu").encode(texts, lambda done: None).vectors

    text = "owls hunt mice. owls hunt voles. owls hunt rats. tea is hot. tea is green. tea is black"
    tools = Tools(toys.words(), embed)
    pieces = Cluster(min_tokens=4, max_tokens=12).pieces(Source("d", text), tools)
    assert [text[p.start : p.end].strip(". ").split(" ")[0] for p in pieces] == ["owls", "tea"]
    assert all(toys.words().counts([text[p.start : p.end]])[0] <= 12 for p in pieces)
    assert Cluster().pieces(Source("d", " \n"), tools) == []


def test_refusals() -> None:
    with pytest.raises(ValidationError, match="min_tokens 9 is above max_tokens 4"):
        Cluster(min_tokens=9, max_tokens=4)
    with pytest.raises(ComponentError, match="no embedding model"):
        Cluster().pieces(Source("d", "x"), Tools(toys.words()))
