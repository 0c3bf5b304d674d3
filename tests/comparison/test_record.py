"""The comparison record: values by hand, the statistics asked directly, equal by construction, blocked."""

from __future__ import annotations

import json
from pathlib import Path

import helpers
import numpy as np
import polars as pl
import pytest
from comparison.sweeps import swept
from helpers import done
from report.javascript import evaluate

from runner.cli import main
from runner.comparison import comparability, record, said, standing
from runner.comparison.comparability import by_construction, differences
from runner.comparison.paired import budget_of, paired
from runner.comparison.scores import scores
from runner.runs import Run
from runner.statistics.contrasts import contrasts


def test_a_row_is_the_mean_over_questions_and_the_statistics_of_the_differences(pair: list[Run]) -> None:
    found = scores(pair)
    rows = paired(found, [(1, 0)])
    for place, measure in enumerate(found.measures):
        mine = next(r for r in rows if r.measure == measure)
        tables = [pl.concat([r.table("measures"), r.table("curve")]) for r in pair]
        means = [t.filter(pl.col("measure") == measure)["value"].mean() for t in tables]
        assert (mine.baseline_mean, mine.candidate_mean) == pytest.approx(tuple(means))
        assert mine.difference == pytest.approx(means[1] - means[0])
        assert mine.wins + mine.ties + mine.losses == mine.n == len(found.queries)
        delta = (found.values[:, 1, place] - found.values[:, 0, place])[:, None]
        (direct,) = contrasts(delta, found.seed, clusters=found.clusters, margins=0.01)
        assert (mine.p, mine.effect) == (direct.p, direct.effect)


def test_runs_that_differ_in_neighbors_only_are_equal_by_construction(pair: list[Run]) -> None:
    a, b = pair
    assert by_construction(b, a, "SpanR@3") == "same hits: expansion leaves ranks alone"
    assert by_construction(b, a, "SpanR@3+") == "expansion only adds"
    assert by_construction(a, b, "SpanR@3+") == "a narrower window only takes away"
    assert by_construction(b, a, "SpanR@500t") == ""  # neighbors displace hits there
    assert by_construction(b, a, "Tokens@3+") == ""
    assert by_construction(a, a, "SpanR@3") == ""
    rows = {r.measure: r for r in paired(scores(pair), [(1, 0)])}
    assert rows["SpanR@3"].difference == 0
    assert rows["SpanR@3+"].difference >= 0
    assert rows["Tokens@3+"].verdict == "cost"


def test_windows_that_do_not_contain_each_other_decide_nothing(at: Path) -> None:
    before = done(at / "data", at / "out", neighbor_prev=1)
    after = done(at / "data", at / "out", neighbor_next=1)
    assert by_construction(before, after, "SpanR@3+") == ""


def test_soft_warnings_are_there_also_when_the_axis_was_declared(pair: list[Run]) -> None:
    found = {d.what: d for d in differences(pair, ["neighbor_prev", "neighbor_next"])}
    assert found["Neighbor Expansion"].level == "warns"
    assert found["Neighbor Expansion"].values == ("±0/0", "±1/1")
    heads = [n.head for n in said.warnings(pair, {r.key: r.short for r in pair})]
    assert heads == ["Neighbor Expansion differs:"]
    assert said.warnings(pair[:1], {pair[0].key: "a"}) == []


def test_a_declared_axis_is_no_warning(at: Path) -> None:
    both = [done(at / "data", at / "out", top_k=k) for k in (2, 3)]
    levels = {d.what: d.level for d in differences(both, ["top_k"])}
    assert levels == {"top_k": "declared"}
    assert {d.what: d.level for d in differences(both)} == {"top_k": "warns"}


def test_budgets() -> None:
    assert [budget_of(m) for m in ("SpanR@1500t", "SpanR@5", "SpanR@5+", "SpanPΩ")] == [
        1500,
        None,
        None,
        None,
    ]


def test_the_record_of_a_sweep_is_the_same_bytes_twice(at: Path, capsys: pytest.CaptureFixture[str]) -> None:
    experiment = swept(at)
    shown = capsys.readouterr().out
    files = [experiment.path / "contrasts.parquet", experiment.path / "comparison.json"]
    before = [f.read_bytes() for f in files]
    assert [f.read_bytes() for f in files] == before
    body, frame = record.read(experiment) or ({}, pl.DataFrame())
    (group,) = body["groups"]
    assert group["answer"]["sentence"] in shown
    assert {r["label"] for r in group["runs"]} == {f"neighbor_next={n}" for n in (0, 1)}
    assert np.isclose(sum(group["first"][0]["shares"].values()), 1)
    assert frame.height == len(frame["measure"].unique())  # one comparison
    swept(at)
    assert [f.read_bytes() for f in files] == before


def test_compare_prints_the_record_and_refuses_other_data(
    at: Path, pair: list[Run], capsys: pytest.CaptureFixture[str]
) -> None:
    ask = ["--outputs", str(at / "out")]
    assert main(["compare", pair[0].key, pair[1].key, *ask]) == 0
    out = capsys.readouterr().out
    assert "Neighbor Expansion differs:" in out
    assert "by construction" in out
    helpers.tiny(
        at / "other", queries=helpers.QUERIES[:1], gold=[g for g in helpers.GOLD if g["query_id"] == "q1"]
    )
    other = done(at / "other", at / "out")
    assert main(["compare", pair[0].key, other.key, *ask]) == 2
    assert "no verdict: questions differs" in capsys.readouterr().err
    assert main(["compare", pair[0].key, other.key, "--force", *ask]) == 0
    forced = capsys.readouterr().out
    assert "FORCED: questions differs" in forced
    assert "nan" not in forced
    assert "none: forced" in forced
    assert "of 1 questions with gold" in forced  # what a run was not asked it neither answered nor lost
    assert main(["compare", pair[0].key, pair[0].short, *ask]) == 2
    assert main(["compare", pair[0].key, pair[1].key, "--margin", "two", *ask]) == 2
    assert main(["compare", pair[0].key, pair[1].key, "--measure", "", *ask]) == 2
    assert "--measure: names no measure, or an empty one" in capsys.readouterr().err
    assert main(["compare", pair[0].key, pair[1].key, "--baseline", other.key, *ask]) == 2
    assert "is none of the runs that are compared" in capsys.readouterr().err
    assert main(["compare", "latest", "--baseline", "\u00b2", *ask]) == 2


def test_a_run_that_reused_its_search_has_no_time_of_its_own(at: Path) -> None:
    fresh = done(at / "data", at / "timed")
    reused = done(at / "data", at / "timed", top_k=2)
    first, second = standing.front(scores([fresh, reused]), "SpanR@3")
    spent = sum(fresh.meta["seconds"][s] for s in ("retrieval", "fusion", "reranker", "cut", "expansion"))
    assert first["milliseconds"] == pytest.approx(spent * 1000 / len(scores([fresh]).queries))
    assert second["milliseconds"] is None
    assert fresh.meta["work"]["searches_run"] == reused.meta["work"]["searches_reused"] == 2


VERSIONS = [
    (["rank=1, span=1", "span=1"], False),
    (["rank=1", "span=1"], False),
    (["none", "span=1"], False),
    (["rank=1, span=1", "span=2"], True),
    (["span=1", "rank=1", "rank=2+ab, span=1"], True),
]


@pytest.mark.parametrize(("values", "differ"), VERSIONS)
def test_only_versions_of_shared_measures_must_agree(values: list[str], differ: bool) -> None:
    assert comparability._differ("versions of the measures", values) is differ


@pytest.mark.parametrize(("values", "differ"), VERSIONS)
def test_the_compare_page_says_the_same(values: list[str], differ: bool) -> None:
    called = f'differs("versions of the measures", {json.dumps(values)})'
    assert evaluate(called, ["compared"]) is differ


def test_runs_that_were_asked_for_other_measures_can_be_compared(at: Path) -> None:
    runs_ = [done(at / "data", at / "out", metrics__measures=m) for m in (["SpanR@3", "nDCG@3"], ["SpanR@3"])]
    assert record.blocking(runs_) == []


def test_all_pairs_answer_against_the_baseline_that_was_named(at: Path) -> None:
    several = [done(at / "data", at / "out", top_k=k) for k in (1, 2, 3)]
    labels = {r.key: str(i) for i, r in enumerate(several)}
    for baseline in range(3):
        alone = record.compared(several, labels, baseline=baseline)
        every = record.compared(several, labels, baseline=baseline, all_pairs=True)
        assert len({(r.candidate, r.baseline) for r in every.rows}) == 3
        for candidate in (i for i in range(3) if i != baseline):
            for measure in every.scores.measures:
                row, same = (g.row(several[candidate].key, measure) for g in (every, alone))
                assert row is not None
                assert same is not None
                assert (row.baseline, row.difference) == (several[baseline].key, same.difference)


def test_the_baseline_may_be_the_latest_run(at: Path, capsys: pytest.CaptureFixture[str]) -> None:
    older, newer = (done(at / "data", at / "aged", top_k=k) for k in (1, 2))
    ask = ["--baseline", "latest", "--json", "--outputs", str(at / "aged")]
    capsys.readouterr()
    assert main(["compare", older.key, newer.key, *ask]) == 0
    (group,) = json.loads(capsys.readouterr().out)
    assert group["baseline"] == newer.key


def test_undeclared_differences_are_printed_with_the_table(
    at: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pair_ = [done(at / "data", at / "out", top_k=k) for k in (1, 3)]
    capsys.readouterr()
    assert main(["compare", *(r.key for r in pair_), "--outputs", str(at / "out")]) == 0
    assert "warning: top_k differs: 1, 3\n" in capsys.readouterr().out
