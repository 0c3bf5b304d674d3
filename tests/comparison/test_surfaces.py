"""What windows buy and which axis value turns which question: arithmetic written out, and a real sweep."""

from __future__ import annotations

from pathlib import Path

import helpers
import pytest

from runner.comparison import flipping, record, standing, windows
from runner.comparison.paired import paired
from runner.comparison.scores import Scores, scores

GRID = [{"neighbor_prev": str(p), "neighbor_next": str(n)} for p in (0, 1) for n in (0, 1)]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Scores:
    at = tmp_path_factory.mktemp("surface")
    data = helpers.tiny(at / "data")
    knobs = [{k: int(v) for k, v in c.items()} for c in GRID]
    return scores([helpers.done(data, at / "out", **k) for k in knobs])


def test_a_yield_is_the_difference_by_thousand_added_tokens(found: Scores) -> None:
    (surface,) = windows.surfaces(found, GRID, ["SpanR@3+"], [], 0.01)
    base, *others = surface["windows"]
    assert surface["base"] == [0, 0] == [base["prev"], base["next"]]
    assert "difference" not in base
    for w in others:
        assert w["difference"] == pytest.approx(w["mean"] - base["mean"])
        assert w["yield"] == pytest.approx(1000 * w["difference"] / (w["tokens"] - base["tokens"]))
        assert w["mean"] >= base["mean"], "expansion only adds"


def test_a_surface_says_what_the_table_says_where_both_have_the_comparison(found: Scores) -> None:
    rows = paired(found, [(i, 0) for i in (1, 2, 3)])
    (surface,) = windows.surfaces(found, GRID, ["SpanR@3+"], rows, 0.01)
    told = {r.candidate: r for r in rows if r.measure == "SpanR@3+"}
    for w in surface["windows"][1:]:
        assert (w["difference"], w["low"], w["high"]) == (
            told[w["run"]].difference, told[w["run"]].low, told[w["run"]].high,
        )  # fmt: skip


def test_at_a_budget_nothing_is_added_and_nothing_is_bought(found: Scores) -> None:
    (surface,) = windows.surfaces(found, GRID, ["SpanR@250t"], [], 0.01)
    assert all(w["yield"] is None for w in surface["windows"][1:])


def test_other_axes_have_a_surface_each_and_one_window_has_none(found: Scores) -> None:
    two = [{**c, "top_k": k} for c, k in zip(GRID, ("3", "3", "5", "5"), strict=True)]
    assert [s["rest"] for s in windows.surfaces(found, two, ["SpanR@3+"], [], 0.01)] == ["top_k=3", "top_k=5"]
    lonely = [{"neighbor_prev": "0", "top_k": str(i)} for i in range(4)]
    assert windows.surfaces(found, lonely, ["SpanR@3+"], [], 0.01) == []


def test_a_value_turns_the_questions_that_more_of_its_pairs_gain() -> None:
    cells = [{"a": a, "b": b} for a in ("0", "1") for b in ("x", "y")]  # 0x 0y 1x 1y
    lost = [
        {"q1": "top_k", "q2": "", "q3": "top_k", "q4": "top_k"},
        {"q1": "top_k", "q2": "", "q3": "", "q4": "top_k"},
        {"q1": "", "q2": "rerank", "q3": "", "q4": "top_k"},
        {"q1": "", "q2": "", "q3": "rerank", "q4": "top_k"},
    ]
    by_a, by_b = flipping.by_axis(lost, ["q1", "q2", "q3", "q4"], cells)
    assert (by_a["axis"], by_a["value"], by_a["reference"], by_a["pairs"]) == ("a", "1", "0", 2)
    assert by_a["gained_questions"] == [{"query": "q1", "times": 2}]
    assert by_a["lost_questions"] == [
        {"query": "q2", "times": 1}
    ]  # q3: gained with x, lost with y: not turned
    # b: y against x. Pair 0x-0y gains q3; pair 1x-1y gains q2 and loses q3.
    assert by_b["gained_questions"] == [{"query": "q2", "times": 1}]
    assert by_b["lost_questions"] == []


def test_cells_that_differ_in_two_axes_are_no_pair() -> None:
    cells = [{"a": "0", "b": "x"}, {"a": "1", "b": "y"}]
    assert flipping.by_axis([{}, {}], [], cells) == []


def test_the_record_lists_what_no_run_answers(tmp_path: Path) -> None:
    data = helpers.tiny(tmp_path / "data")
    runs = [helpers.done(data, tmp_path / "out", top_k=k) for k in (1, 2)]
    flips = record.compared(runs, {r.key: r.short for r in runs}).body["flips"]
    assert len(flips["never_questions"]) == flips["never"]
    assert len(flips["always_questions"]) == flips["always"]
    assert flips["axes"] == []


def test_the_front_is_over_what_every_run_knows(found: Scores) -> None:
    rows = standing.front(found, "SpanR@3+")
    assert rows[0]["over"] == ["SpanR@3+", "tokens"]  # the searches were reused: no seconds of their own
    best = max(rows, key=lambda r: (r["mean"], -r["tokens"]))
    assert best["front"]
    for r in rows:
        beaten = any(
            o["mean"] >= r["mean"] and o["tokens"] <= r["tokens"]
            and (o["mean"] > r["mean"] or o["tokens"] < r["tokens"])
            for o in rows
        )  # fmt: skip
        assert r["front"] is not beaten
