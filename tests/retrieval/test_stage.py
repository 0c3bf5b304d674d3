"""The retrieval stage: ranks and cuts what a leg gives, refuses what is no number, joins legs in a window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl
import pytest
from fusion.cases import hits

from runner.errors import ComponentError, RequestError
from runner.registry import parse
from runner.retrieval.bm25 import BM25
from runner.retrieval.contract import Leg, Retrieval, Scored, Side
from runner.retrieval.stage import search, window


class Given(Leg):
    """A leg that answers what it was told to."""

    reads: ClassVar[Literal["texts", "vectors"]] = "texts"
    similarity: ClassVar[bool] = False
    keeps_index: ClassVar[bool] = False
    name: str = "given"
    answers: list[tuple[list[int], list[Any], str]]

    def search(self, index: Mapping[str, Any], chunks: Side, queries: Side) -> Iterator[Scored]:
        for found, scores, reason in self.answers:
            yield Scored(np.array(found, np.int64), np.array(scores, np.float64), reason)


class Similar(Given):
    similarity: ClassVar[bool] = True


def _search(leg: Leg) -> list[tuple[Any, ...]]:
    return search(leg, {}, Side(), Side()).frame.rows()


def test_hits_are_ranked_and_cut_for_each_query() -> None:
    answers = [([9, 4, 7], [1.0, 2.0, 1.0], ""), ([], [], "no match"), ([3], [-5.0], "")]
    leg = Given(answers=answers, depth=2)
    got = search(leg, {}, Side(), Side())
    assert got.frame.columns == ["query", "chunk", "score", "rank"]
    assert got.frame.rows() == [(0, 4, 2.0, 1), (0, 7, 1.0, 2), (2, 3, -5.0, 1)]
    assert got.reasons == {1: "no match"}


def test_no_query_at_all() -> None:
    got = search(Given(answers=[]), {}, Side(), Side())
    assert got.frame.schema == {"query": pl.Int64, "chunk": pl.Int64, "score": pl.Float64, "rank": pl.Int64}
    assert got.frame.height == 0


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_a21_a_score_that_is_no_number_is_refused_even_beyond_the_cut(bad: float) -> None:
    for scores in ([bad, 1.0, 2.0], [3.0, 2.0, bad]):
        leg = Given(answers=[([0], [1.0], ""), ([0, 1, 2], scores, "")], depth=1)
        with pytest.raises(ComponentError, match="leg given: query row 1: a score is not a finite number"):
            _search(leg)


def test_a20_a_similarity_beyond_one_is_refused() -> None:
    assert _search(Similar(answers=[([0], [1 + 9e-7], "")]))
    assert _search(Given(answers=[([0], [6.0], "")]))
    for score in (6.0, -1.01):
        with pytest.raises(ComponentError, match=r"outside \[-1, 1\]"):
            _search(Similar(answers=[([0], [score], "")]))


def test_a_window_is_the_union_of_the_legs() -> None:
    got = window({"b": hits({1: 7.0, 2: 3.0}, {}), "v": hits({2: 0.9, 3: 0.8}, {5: 0.1})})
    assert got.columns == ["query", "chunk", "b_score", "b_rank", "v_score", "v_rank"]
    assert got.rows() == [
        (0, 1, 7.0, 1, None, None), (0, 2, 3.0, 2, 0.9, 1), (0, 3, None, None, 0.8, 2),
        (1, 5, None, None, 0.1, 1),
    ]  # fmt: skip
    assert window({"b": hits({4: 1.0, 2: 5.0})}).rows() == [(0, 2, 5.0, 1), (0, 4, 1.0, 2)]


def _parsed(**legs: object) -> Retrieval:
    choice = parse("retrieval", {"name": "mine", "legs": legs})
    assert isinstance(choice, Retrieval)
    return choice


def test_legs_are_components_by_name_and_a_leg_may_bear_another() -> None:
    got = _parsed(bm25={"depth": 7}, vector={}, second={"name": "bm25", "k1": 0.9})
    assert [(n, leg.name, leg.depth) for n, leg in got.legs.items()] == [
        ("bm25", "bm25", 7), ("second", "bm25", 100), ("vector", "vector", 100),
    ]  # fmt: skip
    with pytest.raises(RequestError, match=r"vector: is empty; \{\} means its defaults"):
        _parsed(bm25={}, vector=None)
    assert isinstance(got.legs["second"], BM25)
    assert got.model_dump()["legs"]["second"]["k1"] == 0.9


def test_the_order_in_which_legs_are_listed_changes_nothing() -> None:
    one, other = _parsed(vector={}, bm25={}), _parsed(bm25={}, vector={})
    assert list(one.legs) == list(other.legs)
    assert one.model_dump_json() == other.model_dump_json()


@pytest.mark.parametrize(
    ("legs", "message"),
    [
        ({}, "name at least one leg: bm25, hnsw, late, vector"),
        ("bm25", "name at least one leg"),
        ({"bm52": {}}, r"retrieval: there is no 'bm52': did you mean 'bm25'"),
        ({"bm25": {"dept": 5}}, r"retrieval\.legs\.bm25\.dept: no such option; did you mean 'depth'"),
        ({"bm25": {"depth": "5"}}, r"retrieval\.legs\.bm25\.depth"),
        ({"bm25": 5}, "legs"),
        *(
            ({n: {"name": "bm25"}}, "cannot name a leg")
            for n in ("fused", "order_x", "rerank", "BM", "a b", "")
        ),
    ],
)
def test_wrong_legs_are_refused(legs: object, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        parse("retrieval", {"name": "mine", "legs": legs})
