"""Every reranker, by registry: finite scores of the right shape that depend on their pair alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import choice
from house.test_config import moved
from reranker.models import BI_ENCODER, INT8, TEXTS, need, packaged, random_cross_encoder
from service import Reply, serving

from runner import registry
from runner.config import Component
from runner.reranker import stage
from runner.reranker.contract import Reranker, Scored, Scorer

NAMES = [n for n in registry.names("reranker") if n != "none"]
WHERE = {"model", "revision", "package", "file", "digests"} | {
    "key_env", "timeout", "retries", "requests_per_minute", "price_per_1000_searches",
}  # fmt: skip
"""Fields that say where files lie (the identity holds what is in them) or how a service is reached."""
QUERIES = ["where owls hunt", "the sea", "", "héllo 😀", "the " * 90]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return random_cross_encoder(tmp_path_factory.mktemp("laws") / "model")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A service that scores by length, worst first."""

    def says(body: Any) -> Reply:
        scored = [
            {"index": i, "relevance_score": 1.0 / (1 + len(d))} for i, d in enumerate(body["documents"])
        ]
        return Reply({"results": sorted(scored, key=lambda s: s["relevance_score"])})

    with serving() as service:
        service.otherwise = says
        yield service.url


@pytest.fixture(scope="module", params=[pytest.param(n, marks=pytest.mark.slow) for n in NAMES])
def reranker(request: pytest.FixtureRequest, model: str, url: str) -> Reranker:
    """Each as its YAML has it, but for what it cannot have here; a new one that needs nothing is taken so."""
    changes: dict[str, Any] = {
        "cross_encoder": {"model": model, "revision": None},
        "endpoint": {"base_url": url, "model": "m", "key_env": None},
        "onnx_cross_encoder": {"model": INT8[1], "package": INT8[0], "weights": "int8"},
    }
    if request.param in {"onnx_cross_encoder", "ms_marco_int8"}:
        packaged(*INT8)
        need("onnxruntime", "onnx")
    if request.param == "late":
        packaged(*BI_ENCODER)
    raw = {**choice("reranker", request.param), **changes.get(request.param, {})}
    return registry.as_contract(registry.parse("reranker", raw), Reranker)


@pytest.fixture(scope="module")
def scorer(reranker: Reranker) -> Scorer:
    return reranker.load(2, "cpu")


def _same(a: Scored, b: Scored, tolerance: float = 0.0) -> bool:
    near = np.abs(a.scores - b.scores).max(initial=0.0) <= tolerance
    counts = (
        np.array_equal(x, y) if x is not None and y is not None else x is y
        for x, y in ((a.tokens_total, b.tokens_total), (a.tokens_read, b.tokens_read))
    )
    return bool(near) and all(counts)


def test_traits_and_identity(reranker: Reranker, tmp_path: Path) -> None:
    assert reranker.off is False
    assert isinstance(reranker.cached, bool)
    assert reranker.pool > 0
    identity = reranker.identity()
    assert json.loads(json.dumps(identity, allow_nan=False)) == identity == reranker.identity()
    assert {"activation"} <= set(identity), "A38: whether a logit or a probability is recorded"
    assert not {"pool", "on_error"} & set(identity)
    assert str(tmp_path.parent) not in json.dumps(identity), "identity is of files, never of where they are"


def test_every_field_that_could_move_a_score_moves_the_identity(reranker: Reranker) -> None:
    """Scores are stored under the identity alone: a field that is not in it would bring old scores back."""
    assert isinstance(reranker, Component)
    for name, info in type(reranker).model_fields.items():
        if name not in WHERE | {"name", "pool", "on_error"}:
            other = reranker.model_copy(update={name: moved(getattr(reranker, name), info)})
            assert registry.as_contract(other, Reranker).identity() != reranker.identity(), name


def test_shape_finiteness_and_counts(reranker: Reranker, scorer: Scorer) -> None:
    for query in QUERIES:
        made = scorer.score(query, TEXTS)
        assert made.scores.dtype == np.float64
        checked = stage.score(reranker, scorer, query, TEXTS)  # raises where a law is broken
        assert isinstance(checked, Scored)
        assert _same(Scored(checked.scores), Scored(made.scores))
        if made.tokens_total is not None and made.tokens_read is not None:
            assert (made.tokens_read >= 0).all()
            assert made.tokens_total[-1] > made.tokens_total[0] > made.tokens_total[2]
    assert scorer.score(QUERIES[0], []).scores.shape == (0,)


def test_the_same_again_and_by_another_instance(reranker: Reranker, scorer: Scorer) -> None:
    other = reranker.load(1, "cpu")
    first = scorer.score(QUERIES[0], TEXTS)
    scorer.score(QUERIES[1], TEXTS[::-1])
    assert _same(scorer.score(QUERIES[0], TEXTS), first)
    assert _same(other.score(QUERIES[0], TEXTS), first)


def test_the_order_of_candidates_moves_no_score(scorer: Scorer) -> None:
    first = scorer.score(QUERIES[0], TEXTS)
    for seed in range(2):
        draw = np.random.default_rng(seed).permutation(len(TEXTS))
        got = scorer.score(QUERIES[0], [TEXTS[i] for i in draw])
        assert np.array_equal(got.scores, first.scores[draw])


def test_n_pairs_are_n_single_pairs(scorer: Scorer) -> None:
    for query in QUERIES[:2]:
        alone = [scorer.score(query, [t]) for t in TEXTS]
        joined = np.concatenate([a.scores for a in alone])
        assert np.abs(scorer.score(query, TEXTS).scores - joined).max() <= 1e-5
    twice = scorer.score(QUERIES[0], [TEXTS[0], TEXTS[1], TEXTS[0]])
    assert twice.scores[0] == twice.scores[2]
