"""What a comparison says, as MLflow shows it: descriptions, curves by budget, the table and the charts."""

from __future__ import annotations

import io
import re
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from tracking.deliveries import (
    CELLS,
    NOTHING,
    artifact,
    compared,
    copied,
    files,
    record,
    steps,
    swept,
    tracked,
)

from runner.comparison.record import read
from runner.config import Tracking
from runner.measure_names import BUDGETS
from runner.report.wording import outcome
from runner.runs import Experiment
from runner.sweep import Cell
from runner.tracking import charts, deliver, verdicts
from runner.tracking.verdicts import Verdicts

CHARTS = ["charts/gold_by_budget.svg", "charts/quality_by_tokens.svg"]
ROW = {
    "constructed": "", "verdict": "better", "difference": 0.1, "needed": None, "low": 0.01, "high": 0.19,
    "level": 0.95, "measure": "SpanR@5",
}  # fmt: skip


@pytest.fixture
def judged(experiment: Experiment) -> Experiment:
    return compared(experiment)


def note(run: object) -> str:
    return str(run.data.tags["mlflow.note.content"])  # type: ignore[attr-defined]


def plain(text: str) -> str:
    """A description without its escapes."""
    return re.sub(r"\\(.)", r"\1", text)


def test_the_curve_is_one_metric_with_a_step_per_budget(experiment: Experiment) -> None:
    deliver(experiment, Tracking(traces=0))
    runs = tracked(experiment)
    for cell, run in experiment.runs.items():
        rows = run.table("curve")
        expected = {b: rows.filter(pl.col("measure") == f"SpanR@{b}t")["value"].mean() for b in BUDGETS}
        assert steps(experiment, runs[str(cell)], "SpanR_by_tokens") == pytest.approx(expected)


def test_gold_without_spans_has_no_curve(experiment: Experiment) -> None:
    run = experiment.runs[0]
    (run.path / "curve.parquet").unlink()
    assert "3 runs" in deliver(experiment, Tracking(traces=0))
    runs = tracked(experiment)
    assert "SpanR_by_tokens" not in runs["0"].data.metrics
    assert "SpanR_by_tokens" in runs["1"].data.metrics


def test_the_parent_says_the_answer_who_is_first_and_what_to_beware_of(judged: Experiment) -> None:
    deliver(judged, Tracking(traces=0))
    said = plain(note(tracked(judged)["parent"]))
    recorded = read(judged)
    assert recorded is not None
    (group,) = recorded[0]["groups"]
    assert said.startswith(f"**{group['answer']['sentence']}**")
    assert group["who"]
    assert all(f"- {who}" in said for who in group["who"])
    (warning,) = group["warnings"]
    assert f"- **{warning['head']}** {warning['body']}" in said
    assert said.index("Neighbor Expansion differs") < said.index("| cell | what |")


def test_a_child_says_its_difference_to_the_baseline(judged: Experiment) -> None:
    deliver(judged, Tracking(traces=0))
    runs = tracked(judged)
    base, last = plain(note(runs["0"])), plain(note(runs["2"]))
    assert "The baseline that the other cells are compared with." in base
    assert "Against the baseline neighbor_prev=0 neighbor_next=0, over the same questions:" in last
    found = Verdicts(judged)
    rows = found.main(judged.runs[2].key)
    assert [r["measure"] for r in rows] == found.groups[0]["main"]
    for row in rows:
        line = next(x for x in last.splitlines() if x.startswith(f"| {row['measure']} | ") and "std" not in x)
        assert verdicts.ends(row) in line
        assert outcome(row).words in line
    assert "Neighbor Expansion differs" in last
    assert runs["0"].data.tags["runner.verdict"] == "baseline"
    assert runs["2"].data.tags["runner.verdict"].startswith(f"{rows[0]['measure']}: ")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "better"),
        ({"verdict": "undecided", "needed": 2871}, "undecided; about 2,900 questions would decide"),
        ({"verdict": "undecided"}, "undecided"),
        ({"verdict": "cost"}, "costs more"),
        ({"verdict": "cost", "difference": -3.0}, "cheaper"),
        ({"verdict": "cost", "difference": 0.0}, "costs the same"),
        ({"constructed": "the same hits"}, "by construction: the same hits"),
    ],
)
def test_a_verdict_in_words(changes: dict[str, object], said: str) -> None:
    assert outcome({**ROW, **changes}).words == said


def test_an_interval_says_its_level() -> None:
    assert verdicts.ends(ROW) == "+0.010 to +0.190 (95%)"
    assert verdicts.ends({**ROW, "low": None}) == "–"


def test_the_summary_has_mean_difference_interval_and_verdict_per_cell(judged: Experiment) -> None:
    deliver(judged, Tracking(traces=0))
    parent = tracked(judged)["parent"]
    table = pl.read_csv(io.StringIO(artifact(judged, parent, "summary.csv")))
    recorded = read(judged)
    assert recorded is not None
    contrasts = recorded[1]
    assert table["cell"].unique().to_list() == [0, 1, 2]
    for row in contrasts.iter_rows(named=True):
        cell = next(c for c, r in judged.runs.items() if r.key == row["candidate"])
        (mine,) = table.filter(pl.col("cell") == cell, pl.col("measure") == row["measure"]).to_dicts()
        assert mine["mean"] == pytest.approx(row["candidate_mean"])
        for column in ("n", "baseline_mean", "difference", "low", "high", "level", "p_corrected"):
            assert mine[column] == (pytest.approx(row[column]) if row[column] is not None else None)
        assert mine["verdict"] == row["verdict"]
    first = table.filter(pl.col("cell") == 1).to_dicts()[0]
    assert (first["main"], first["measure"]) == (True, recorded[0]["groups"][0]["main"][0])
    assert set(table.filter(pl.col("cell") == 0)["verdict"]) == {"baseline"}


def test_a_cell_without_a_run_is_a_row_with_its_reason(original: Experiment, tmp_path: Path) -> None:
    copied(original, tmp_path)
    cells = [
        Cell(0, ["top_k=3"], "finished", original.runs[0].key),
        Cell(1, ["top_k=0"], "failed", reason='a,"b'),
    ]
    experiment = record(tmp_path, cells, "failing", {"top_k": ["3", "0"]})
    table = verdicts.summary(experiment, Verdicts(experiment))
    assert table.filter(pl.col("cell") == 1).select("what", "status", "note", "mean").row(0) == (
        "top_k=0", "failed", 'a,"b', None,
    )  # fmt: skip
    assert table.filter(pl.col("cell") == 0)["mean"].null_count() == 0
    assert table["verdict"].null_count() == table.height, "nothing was compared"


def test_the_charts_are_files_that_need_no_page(judged: Experiment) -> None:
    deliver(judged, Tracking(traces=0))
    parent = tracked(judged)["parent"]
    assert [f for f in files(judged, parent) if f.startswith("charts/")] == CHARTS
    for name in CHARTS:
        svg = artifact(judged, parent, name)
        root = ElementTree.fromstring(svg)  # noqa: S314 - our own file
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert "var(" not in svg, "few viewers know variables"
        assert root.get("viewBox", "").startswith("0 -24 640 "), "there is room for the title"
        said = [e.text for e in root if e.tag.endswith("text")]
        assert said[0] in {"SpanR@3+ by tokens of the context", "Gold text in the context by token budget"}
        assert "±0/0" in said, "a cell is called as in the list of runs"
        style = next(e.text for e in root if e.tag.endswith("style"))
        assert style
        used = {c for e in root.iter() for c in e.get("class", "").split()} - {"chart"}
        assert used
        assert not {c for c in used if not re.search(rf"\.{c}\b", style)}, "a class has no style"
        assert "script" not in svg


def test_a_chart_that_cannot_be_drawn_costs_itself_only(
    judged: Experiment, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("not finite")

    monkeypatch.setattr(charts, "charts", broken)
    assert "1 parent and 3 runs" in deliver(judged, Tracking(traces=0))
    assert "the charts of tiny were not drawn: ValueError: not finite" in caplog.text
    parent = tracked(judged)["parent"]
    assert parent.info.status == "FINISHED"
    assert "summary.csv" in files(judged, parent)
    assert deliver(judged, Tracking(traces=0)) == NOTHING


def test_two_data_sets_have_charts_of_their_own(judged: Experiment) -> None:
    found = Verdicts(judged)
    found.groups = [found.groups[0], found.groups[0]]
    assert sorted(charts.charts(judged, found)) == [
        "gold_by_budget-0.svg", "gold_by_budget-1.svg", "quality_by_tokens-0.svg", "quality_by_tokens-1.svg",
    ]  # fmt: skip


def test_one_cell_is_compared_with_nothing(experiment: Experiment) -> None:
    alone = compared(swept(experiment.outputs.parent, CELLS[:1], "alone"))
    assert "1 parent and 1 run" in deliver(alone, Tracking(traces=0))
    runs = tracked(alone)
    assert "runner.verdict" not in runs["0"].data.tags
    assert "baseline" not in note(runs["0"])
    assert artifact(alone, runs["parent"], "summary.csv").count("baseline") == 1, "in its head"
    assert [f for f in files(alone, runs["parent"]) if "charts/" in f] == ["charts/gold_by_budget.svg"]
