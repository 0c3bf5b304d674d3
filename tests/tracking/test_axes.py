"""Axes as short parameters: the same name in every cell, and never one that the config uses."""

from __future__ import annotations

from pathlib import Path

from tracking.deliveries import Asked, swept, tracked

from runner.config import Tracking
from runner.tracking import axes, deliver


def test_an_axis_is_called_by_its_shortest_ending() -> None:
    swept = [
        "strategy.size",
        "top_k",
        "retrieval.legs.bm25.depth",
        "retrieval.legs.vector.depth",
        "+fusion.name",
    ]
    assert axes.short(swept) == {
        "strategy.size": "size", "top_k": "top_k", "retrieval.legs.bm25.depth": "bm25.depth",
        "retrieval.legs.vector.depth": "vector.depth", "+fusion.name": "fusion",
    }  # fmt: skip


def test_the_knobs_of_the_window_are_one_parameter() -> None:
    assert axes.short(["neighbor_prev", "neighbor_next", "reranker.pool"]) == {"reranker.pool": "pool"}


def test_no_short_name_is_that_of_a_field_of_the_config() -> None:
    assert axes.short(["legs.fusion", "a.top_k", "a.neighbors", "a.overrides", "kg.kg"]) == {
        "legs.fusion": "legs.fusion", "a.top_k": "a.top_k", "a.neighbors": "a.neighbors",
        "a.overrides": "a.overrides", "kg.kg": "kg.kg",
    }  # fmt: skip


def test_what_took_effect_comes_before_what_was_asked() -> None:
    overrides = ["strategy.size=8", "+experiment=quick", "~filter"]
    swept = ["strategy.size", "+experiment", "embedding"]
    assert axes.values(swept, overrides, {"strategy.size": 4}) == {"size": 4, "experiment": "quick"}
    assert axes.values(swept, overrides, {}) == {"size": "8", "experiment": "quick"}


def test_an_axis_of_mappings_is_what_differs_below_it() -> None:
    swept = {
        "strategy": ["{size:200,overlap:0}", "{size:250,overlap:0}"],
        "++fusion.weights": ["{a:1}", "{a:2}"],
    }
    configs = [
        {
            "strategy": name,
            "strategy.size": size,
            "strategy.overlap": 0,
            "strategy.unit": unit,
            "fusion.weights.a": weight,
        }
        for name, size, unit, weight in (("fixed_size", 200, "tokens", 1), ("recursive", 250, None, 2))
    ]
    found = axes.varied(swept, configs)  # `unit` is of one strategy, and nobody swept it
    assert found == ["strategy.size", "fusion.weights.a"]
    assert axes.values(found, ["strategy={size:200,overlap:0}"], configs[0]) == {"size": 200, "a": 1}
    assert axes.varied({"top_k": ["1", "2"]}, configs) == ["top_k"]


def test_every_child_has_the_axes_as_short_parameters(tmp_path: Path) -> None:
    cells: Asked = [
        (["strategy.size=4", "neighbor_prev=1", "filter.lang=en"],
         {"strategy__size": 4, "neighbor_prev": 1, "filter": {"lang": "en"}}),
        (["strategy.size=2", "neighbor_prev=0", "filter.lang=de"],
         {"strategy__size": 2, "filter": {"lang": "de"}}),
    ]  # fmt: skip
    swept_axes = {"strategy.size": ["4", "2"], "neighbor_prev": ["1", "0"], "filter.lang": ["en", "de"]}
    experiment = swept(tmp_path, cells, "axes", swept_axes)
    assert deliver(experiment, Tracking(traces=0)).startswith("mlflow: 1 parent and 2 runs")
    runs = tracked(experiment)
    shown = [{k: runs[c].data.params[k] for k in ("size", "neighbors", "lang")} for c in "01"]
    assert shown == [
        {"size": "4", "neighbors": "±1/0", "lang": "en"},
        {"size": "2", "neighbors": "±0/0", "lang": "de"},
    ]
    assert runs["0"].data.params["strategy.size"] == "4", "the whole config is there as well"
