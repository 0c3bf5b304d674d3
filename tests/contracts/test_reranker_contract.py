"""Every reranker of the registry: finite raw scores, each of its pair alone, and an identity."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from contracts.components import check_books, check_yaml, component, loaded, params, texts
from tokenizer.toys import settings

from runner import registry
from runner.errors import ComponentError
from runner.reranker.contract import Reranker, Scorer

TEXTS = [*texts(7, 8), "héllo 😀 wörld", "x" * 300]
Score = Callable[[str, Sequence[str]], Any]
QUERY = "does the owl hunt mice at night"


@pytest.fixture(params=params("reranker"), scope="module")
def reranker(request: pytest.FixtureRequest) -> Reranker:
    return registry.as_contract(component("reranker", request.param), Reranker)


@pytest.fixture(params=params("reranker", on=True), scope="module")
def scorer(request: pytest.FixtureRequest) -> Score:
    made: Scorer = loaded(component("reranker", request.param))
    return lambda query, texts: made.score(query, texts).scores


@pytest.mark.parametrize("name", registry.names("reranker"))
def test_yaml(name: str) -> None:
    check_yaml(registry.component_class("reranker", name), settings("reranker", name))


def test_books(reranker: Any) -> None:
    check_books(reranker, reranker.name)
    assert reranker.on_error == "raise", "a fallback is asked for, never the default"
    assert reranker.off == (reranker.name == "none")
    assert reranker.off or reranker.pool > 0


def test_off_scores_nothing(reranker: Reranker) -> None:
    if reranker.off:
        with pytest.raises(ComponentError):
            reranker.load(1, "cpu")


def test_identity_is_json_and_stays(reranker: Reranker) -> None:
    try:
        first = reranker.identity()
    except ComponentError as e:
        pytest.skip(f"{reranker.name}: {str(e).splitlines()[0]}")
    assert json.loads(json.dumps(first)) == first == reranker.identity()
    assert reranker.off or "activation" in first, "whether scores are logits is recorded"


def test_scores_are_finite_and_of_their_pair_alone(scorer: Score) -> None:
    right = scorer(QUERY, TEXTS)
    assert right.shape == (len(TEXTS),)
    assert np.isfinite(right).all()
    assert np.array_equal(scorer(QUERY, TEXTS[::-1])[::-1], right)
    for i in (0, 3, 9):
        assert scorer(QUERY, [TEXTS[i]]).tolist() == [right[i]]
    assert right[6:8].tolist() == right[0:2].tolist()  # the last two of `texts` equal its first two


def test_what_answers_is_above_what_does_not(scorer: Score) -> None:
    good, bad = scorer(QUERY, ["The owl does hunt mice at night.", "Bond yields rose sharply."])
    assert good > bad


def test_nothing_to_say(scorer: Score) -> None:
    assert scorer(QUERY, []).shape == (0,)
    assert np.isfinite(scorer("", ["", "owl"])).all()
