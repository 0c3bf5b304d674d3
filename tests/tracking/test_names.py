"""Names and values stay legal, short and distinct (A56)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.tracking import names


@pytest.mark.parametrize(
    ("measure", "metric"),
    [
        ("nDCG@10", "ndcg_at_10"),
        ("SpanR@5", "spanr_at_5"),
        ("SpanR@5+", "spanr_at_5_expanded"),
        ("SpanR@1500t", "spanr_at_1500_tokens"),
        ("SpanR@1500t+", "spanr_at_1500_tokens_expanded"),
        ("ChromaPΩ", "chromapomega"),
        ("SpanPΩ", "spanpomega"),
        ("AP(rel=2)@100", "ap_rel_2_at_100"),
        ("RR@10", "rr_at_10"),
    ],
)
def test_a_measure_has_a_metric_name(measure: str, metric: str) -> None:
    assert names.metric(measure) == metric


def test_measures_that_would_share_a_name_do_not() -> None:
    named = names.metrics(["AP(rel=2)@10", "AP[rel=2]@10", "RR@10"])
    assert len(set(named.values())) == 3
    assert named["RR@10"] == "rr_at_10"
    assert all(n.startswith("ap_rel_2_at_10_") for m, n in named.items() if m != "RR@10")


def test_long_values_that_differ_in_the_last_character_stay_different() -> None:
    one, other = names.short("x" * 6000 + "1"), names.short("x" * 6000 + "2")
    assert one != other
    assert len(one) == len(other) == names.VALUE
    assert one.startswith("x" * 150)
    assert names.short("y" * names.VALUE) == "y" * names.VALUE


def test_a_long_key_is_shortened_the_same_way_every_time() -> None:
    one, other = names.key("k" * 250 + "1"), names.key("k" * 250 + "2")
    assert one != other
    assert len(one) == 250
    assert one == names.key("k" * 250 + "1")
    assert names.key("k" * 250) == "k" * 250


@settings(deadline=None)
@given(st.text(max_size=300))
def test_every_key_is_one_that_mlflow_takes(name: str) -> None:
    from mlflow.utils.validation import _validate_metric_name, _validate_param, _validate_tag

    key = names.key(name)
    _validate_metric_name(key)
    _validate_param(key, "value")
    _validate_tag(key, "value")


def test_what_is_no_finite_number_is_left_out() -> None:
    values = {"a": 1, "b": float("nan"), "c": float("inf"), "d": None, "e": "chunk", "f": True, "g": 0.5}
    assert names.finite(values) == {"a": 1.0, "g": 0.5}


def test_a_config_becomes_flat() -> None:
    config = {
        "strategy": {"name": "fixed_size", "size": 4},
        "legs": {"bm25": {"name": "bm25", "depth": 9}},
        "k": [],
    }
    assert names.flat(config) == {
        "strategy": "fixed_size",
        "strategy.size": 4,
        "legs.bm25": "bm25",
        "legs.bm25.depth": 9,
        "k": [],
    }
