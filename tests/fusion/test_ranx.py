"""Against ranx (github.com/AmenRA/ranx): the methods it has, on random runs, to the last digits.

Made with ranx 0.3.21. Skipped where ranx is not installed: it is no dependency of this project (it needs
numba, whose first compilation takes up to a minute), `pip install ranx` brings it. Two differences are known
and kept out of the runs: a lone or all-equal list is 0.0 after ranx's min-max, and negative scores stay
negative after its `max`.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from fusion.cases import Found, frame, hits

from runner.fusion.contract import Fusion
from runner.registry import as_contract, parse

WHY = "FUSIONS NOT COMPARED WITH RANX: pip install ranx, then run tests/fusion/test_ranx.py"
ranx: Any = pytest.importorskip("ranx", reason=WHY)
pytestmark = pytest.mark.slow
QUERIES = 30


def _leg(draw: random.Random) -> Found:
    """At least two hits, scores above 0 and all different: what both sides define alike."""
    return {c: draw.uniform(0.001, 20) for c in draw.sample(range(30), draw.randint(2, 15))}


def _legs(seed: int, count: int) -> dict[str, list[Found]]:
    draw = random.Random(seed)
    return {leg: [_leg(draw) for _ in range(QUERIES)] for leg in "abc"[:count]}


def _theirs(legs: dict[str, list[Found]], **how: Any) -> list[dict[int, float]]:
    runs = [
        ranx.Run({f"q{q}": {f"d{c}": s for c, s in found.items()} for q, found in enumerate(queries)})
        for queries in legs.values()
    ]
    fused = ranx.fuse(runs=runs, **how).to_dict()
    return [{int(d[1:]): s for d, s in fused[f"q{q}"].items()} for q in range(QUERIES)]


def _ours(legs: dict[str, list[Found]], **choice: Any) -> list[dict[int, float]]:
    fusion = as_contract(parse("fusion", choice), Fusion)
    got = frame(fusion, {n: hits(*queries) for n, queries in legs.items()}, ())
    return [dict(got.filter(query=q).select("chunk", "fused_score").iter_rows()) for q in range(QUERIES)]


CASES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    *(
        ({"name": ours, "normalization": norm}, {"method": theirs, "norm": their_norm})
        for ours, theirs in (("combsum", "sum"), ("combmnz", "mnz"))
        for norm, their_norm in (("min_max", "min-max"), ("max", "max"), ("zscore", "zmuv"))
    ),
    ({"name": "isr"}, {"method": "isr", "norm": None}),
    ({"name": "rrf", "constant": 60}, {"method": "rrf", "norm": None, "params": {"k": 60}}),
    ({"name": "rrf", "constant": 5}, {"method": "rrf", "norm": None, "params": {"k": 5}}),
]


@pytest.mark.parametrize("legs", [2, 3])
@pytest.mark.parametrize(("choice", "how"), CASES, ids=lambda c: "-".join(map(str, c.values())))
def test_the_same_scores(choice: dict[str, Any], how: dict[str, Any], legs: int) -> None:
    found = _legs(7, legs)
    assert _ours(found, **choice) == [
        {c: pytest.approx(s, abs=1e-9) for c, s in query.items()} for query in _theirs(found, **how)
    ]


@pytest.mark.parametrize(("norm", "their_norm"), [("min_max", "min-max"), ("zscore", "zmuv")])
def test_the_same_weighted_sums(norm: str, their_norm: str) -> None:
    found = _legs(8, 3)
    ours = _ours(found, name="weighted", normalization=norm, weights={"a": 0.5, "b": 0.3, "c": 0.2})
    theirs = _theirs(found, method="wsum", norm=their_norm, params={"weights": (0.5, 0.3, 0.2)})
    assert ours == [{c: pytest.approx(s, abs=1e-9) for c, s in query.items()} for query in theirs]


def test_the_known_difference_a_lone_hit() -> None:
    """Theirs is worth nothing, and loses to noise; ours is a leg's whole opinion (A34)."""
    found: dict[str, list[Found]] = {"a": [{1: 7.0}] * QUERIES, "b": [{2: 5.0, 3: 4.0}] * QUERIES}
    assert _theirs(found, method="sum", norm="min-max")[0][1] == 0.0
    assert _ours(found, name="combsum", normalization="min_max")[0][1] == 1.0
