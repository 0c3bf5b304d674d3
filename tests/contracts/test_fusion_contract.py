"""Every fusion of the registry: finite, bounded, blind to what a leg did not find and to other queries."""

from __future__ import annotations

import random

import polars as pl
import pytest
from contracts.components import check_books, check_yaml, component
from fusion.cases import Found, frame, hits
from tokenizer.toys import settings

from runner import registry
from runner.fusion.contract import Fusion
from runner.retrieval.stage import LegHits


@pytest.fixture(params=registry.names("fusion"))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def fusion(name: str) -> Fusion:
    return registry.as_contract(component("fusion", name), Fusion)


def _legs(seed: int, queries: int = 6) -> dict[str, LegHits]:
    """`v` gives similarities, `b` any scores; ties, empty legs and lone hits among them."""
    draw = random.Random(seed)

    def found(scores: list[float]) -> Found:
        return {c: draw.choice(scores) for c in draw.sample(range(15), draw.choice([0, 1, 2, 7]))}

    return {
        "v": hits(*(found([-0.4, 0.0, 0.3, 0.3, 0.9, 1.0]) for _ in range(queries))),
        "b": hits(*(found([0.0, 0.5, 3.0, 3.0, 21.5]) for _ in range(queries))),
    }


def _scores(got: pl.DataFrame) -> dict[tuple[int, int], float]:
    return {(q, c): s for q, c, s in got.select("query", "chunk", "fused_score").iter_rows()}


def test_books_and_yaml(name: str, fusion: Fusion) -> None:
    made = component("fusion", name)
    check_books(made, name)
    check_yaml(type(made), settings("fusion", name))
    assert fusion.formula().endswith(f"/v{type(made).version}")
    fusion.check(["b", "v"])


@pytest.mark.parametrize("seed", range(8))
def test_scores_are_finite_within_the_ceiling_and_nothing_is_lost(fusion: Fusion, seed: int) -> None:
    legs = _legs(seed)
    got = frame(fusion, legs)
    union = {(q, c) for h in legs.values() for q, c in h.frame.select("query", "chunk").iter_rows()}
    assert set(_scores(got)) == union
    assert got["fused_score"].null_count() == got["fused_rank"].null_count() == 0
    assert got["fused_score"].is_finite().all()
    assert (got["fused_score"] <= fusion.ceiling(["b", "v"]) + 1e-9).all()


@pytest.mark.parametrize("seed", range(4))
def test_a_signal_is_there_exactly_where_the_leg_found_the_chunk(fusion: Fusion, seed: int) -> None:
    got = frame(fusion, _legs(seed))
    for leg in ("v", "b"):
        assert got[f"{leg}_norm"].is_null().equals(got[f"{leg}_score"].is_null().alias(f"{leg}_norm"))
        assert got[f"{leg}_norm"].drop_nulls().is_finite().all()


@pytest.mark.parametrize("seed", range(4))
def test_a_query_is_fused_by_itself(fusion: Fusion, seed: int) -> None:
    legs = _legs(seed)
    together = _scores(frame(fusion, legs))
    for query in range(6):
        alone = {n: LegHits(h.frame.filter(query=query), {}) for n, h in legs.items()}
        mine = _scores(frame(fusion, alone))
        assert mine == {k: s for k, s in together.items() if k[0] == query}


def test_order_of_rows_and_legs_does_not_matter(fusion: Fusion) -> None:
    legs = _legs(3)
    right = _scores(frame(fusion, legs))
    shuffled = {n: LegHits(h.frame.sample(fraction=1, shuffle=True, seed=1), {}) for n, h in legs.items()}
    assert _scores(frame(fusion, shuffled)) == right
    assert _scores(frame(fusion, dict(reversed(legs.items())))) == right


def test_a_leg_that_found_nothing_changes_no_order(fusion: Fusion) -> None:
    found = hits({0: 0.9, 1: 0.5, 2: 0.7}, {4: 0.2}, {5: 0.3, 6: 0.3})
    got = frame(fusion, {"v": found, "b": hits({}, {}, {})})
    ranks = got.sort("query", "fused_rank").select("query", "chunk").rows()
    assert ranks == [(0, 0), (0, 2), (0, 1), (1, 4), (2, 5), (2, 6)]


def test_found_by_both_at_the_top_is_first(fusion: Fusion) -> None:
    got = frame(fusion, {"v": hits({0: 0.9, 1: 0.8, 2: 0.1}), "b": hits({0: 9.0, 3: 8.0, 4: 1.0})})
    assert got.filter(fused_rank=1)["chunk"].to_list() == [0]


def test_a34_a_sole_candidate_is_above_zero(fusion: Fusion) -> None:
    for legs in ({"v": hits({3: 0.2}), "b": hits({})}, {"v": hits({}), "b": hits({3: 0.2})}):
        (score,) = _scores(frame(fusion, legs)).values()
        assert score > 0


def test_the_same_window_gives_the_same_bits(fusion: Fusion) -> None:
    assert frame(fusion, _legs(5)).equals(frame(fusion, _legs(5)))
