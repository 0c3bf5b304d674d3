"""What every fusion promises, asked of each file in runner/fusion in each of its variants."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any, get_args, get_origin

import helpers
import polars as pl
import pytest
from fusion.cases import Found, frame, hits

from runner.config import Component
from runner.errors import ComponentError
from runner.fusion.contract import Fusion, LegColumns
from runner.registry import as_contract, component_class, names, parse

Legs = dict[str, Found]


def _by_rank(fusion: Fusion) -> bool:
    """Whether it looks at ranks alone; where scores come from is another matter to it."""
    leg = LegColumns("v", True, pl.col("score"), pl.col("rank"), pl.col("normalized"))
    return "score" not in fusion.normalized(leg).meta.root_names()


def _variants(name: str) -> list[Component]:
    """The fusion as its YAML has it, with every other choice of every field that is one, and with weights."""
    raw = helpers.choice("fusion", name)
    out = [parse("fusion", raw)]
    for field, info in component_class("fusion", name).model_fields.items():
        choices = get_args(info.annotation) if get_origin(info.annotation) is not None else ()
        texts = [c for c in choices if isinstance(c, str) and c != raw[field]]
        out += [parse("fusion", {**raw, field: c}) for c in texts]
    weighed = {**raw, "weights": {"v": 2.0, "b": 0.5}}
    return [*out, parse("fusion", weighed)] if "weights" in raw else out


ALL = [c for n in names("fusion") for c in _variants(n)]


@pytest.fixture(params=ALL, ids=lambda c: as_contract(c, Fusion).formula())
def fusion(request: pytest.FixtureRequest) -> Fusion:
    return as_contract(request.param, Fusion)


def _fits(fusion: Fusion, legs: list[str]) -> bool:
    try:
        fusion.check(legs)
    except ValueError:
        return False
    return True


def _fused(fusion: Fusion, legs: Legs, *, similar: tuple[str, ...] = ("v",)) -> dict[int, float]:
    got = frame(fusion, {n: hits(found) for n, found in legs.items()}, similar)
    assert got["fused_score"].dtype == pl.Float64
    return dict(got.sort("fused_rank").select("chunk", "fused_score").iter_rows())


def _windows(fusion: Fusion, seed: int, count: int = 12) -> list[Legs]:
    """Random windows: v gives cosines, the others anything; ties, zeros, empty and lone lists among them."""
    draw = random.Random(seed)
    sets = [s for s in (["v", "b"], ["v", "b", "c"]) if _fits(fusion, s)]
    out: list[Legs] = []
    for _ in range(count):
        legs: Legs = {}
        for leg in draw.choice(sets):
            chunks = draw.sample(range(14), draw.choice([0, 1, 2, 5, 12]))
            spread = (-1.0, 1.0) if leg == "v" else (0.0, draw.choice([0.01, 3.0, 40.0]))
            pool = [0.0, spread[1] / 2, draw.uniform(*spread), draw.uniform(*spread)]
            legs[leg] = {c: draw.choice([*pool, draw.uniform(*spread)]) for c in chunks}
        out.append(legs)
    return out


def _close(left: dict[int, float], right: dict[int, float]) -> bool:
    return left.keys() == right.keys() and all(math.isclose(left[c], right[c], abs_tol=1e-9) for c in left)


def test_two_legs_will_always_do_and_name_and_version_are_said(fusion: Fusion) -> None:
    fusion.check(["v", "b"])
    assert fusion.formula().endswith(f"/v{type(fusion).version}")  # type: ignore[attr-defined]
    assert fusion.ceiling(["v", "b"]) > 0


def test_the_order_of_the_legs_decides_nothing(fusion: Fusion) -> None:
    for legs in _windows(fusion, 1):
        right = _fused(fusion, legs)
        for order in itertools.permutations(legs):
            assert _fused(fusion, {n: legs[n] for n in order}) == right  # to the last bit


def test_a_leg_scaled_by_ten_changes_nothing(fusion: Fusion) -> None:
    """By rank to the last bit; by score because each leg is brought to a scale of its own first."""
    for legs in _windows(fusion, 2):
        scaled = {**legs, "b": {c: 10 * s for c, s in legs["b"].items()}}
        before, after = _fused(fusion, legs), _fused(fusion, scaled)
        assert before == after if _by_rank(fusion) else _close(before, after)


def test_a_lone_hit_is_worth_something(fusion: Fusion) -> None:
    assert _fused(fusion, {"v": {}, "b": {3: 7.0}})[3] > 0
    assert _fused(fusion, {"v": {3: 0.2}, "b": {}})[3] > 0
    with_noise = _fused(fusion, {"v": {1: 0.5, 2: 0.4}, "b": {3: 7.0}})
    assert with_noise[3] > 0


def test_an_empty_leg_and_no_leg(fusion: Fusion) -> None:
    """A leg that found nothing takes nothing away: the other's order stands."""
    found = {1: 9.0, 2: 4.0, 3: 2.0}
    assert list(_fused(fusion, {"v": {}, "b": found})) == [1, 2, 3]
    assert _fused(fusion, {"v": {}, "b": {}}) == {}


def test_a_leg_that_did_not_find_a_chunk_contributes_nothing(fusion: Fusion) -> None:
    """What b says of other chunks is nothing to chunk 1, which only v found."""
    v = {1: 0.8, 2: 0.4, 5: 0.1}
    alone = _fused(fusion, {"v": v, "b": {}})[1]
    assert _fused(fusion, {"v": v, "b": {2: 7.0, 3: 5.0}})[1] == alone
    assert _fused(fusion, {"v": v, "b": {7: 1e-9}})[1] == alone


@pytest.mark.parametrize("value", [2.0, 0.1, 0.0, -2.0])
def test_equal_scores_stay_finite_and_equal_where_scores_decide(fusion: Fusion, value: float) -> None:
    got = _fused(fusion, {"v": {}, "b": dict.fromkeys((1, 2, 3), value)})
    assert all(math.isfinite(s) for s in got.values())
    assert list(got) == [1, 2, 3]  # document order decides
    assert len(set(got.values())) == (3 if _by_rank(fusion) else 1)
    assert all(s > 0 for s in got.values()) or value <= 0


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_nan_is_refused(fusion: Fusion, bad: float) -> None:
    with pytest.raises(ComponentError, match=rf"leg b: {bad} is no score, for chunk row 4"):
        _fused(fusion, {"v": {1: 0.5, 4: 0.2}, "b": {1: 2.0, 4: bad, 5: 1.0}})


def test_the_ceiling_is_never_exceeded(fusion: Fusion) -> None:
    for legs in _windows(fusion, 3, 25):
        got = _fused(fusion, legs)
        assert all(math.isfinite(s) for s in got.values())
        assert max(got.values(), default=0.0) <= fusion.ceiling(list(legs)) * (1 + 1e-12)


def test_a_better_score_in_a_leg_never_costs_a_chunk(fusion: Fusion) -> None:
    draw = random.Random(4)
    for legs in _windows(fusion, 4, 25):
        leg = draw.choice([n for n in legs if legs[n]] or [""])
        if not leg:
            continue
        chunk, up = draw.choice(sorted(legs[leg])), draw.choice([1e-6, 0.05, 0.3])
        better = min(1.0, legs[leg][chunk] + up) if leg == "v" else legs[leg][chunk] * (1 + 9 * up) + up
        raised = {**legs, leg: {**legs[leg], chunk: better}}
        assert _fused(fusion, raised)[chunk] >= _fused(fusion, legs)[chunk] - 1e-12


def test_queries_do_not_see_each_other(fusion: Fusion) -> None:
    several = [w for w in _windows(fusion, 5, 20) if list(w) == ["v", "b"]]
    together = frame(fusion, {n: hits(*(w[n] for w in several)) for n in ("v", "b")}, ("v",))
    for query, legs in enumerate(several):
        rows: Any = together.filter(query=query).select("chunk", "fused_score").iter_rows()
        assert _close(dict(rows), _fused(fusion, legs))
