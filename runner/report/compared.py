"""One data set of an experiment as its page shows it: comparisons, facts, charts and losses of the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from markupsafe import Markup

from runner.comparison.comparability import KNOBS
from runner.report import badge, glossary, heat_map, numbers, topics
from runner.report.charts import curve, interval, scatter, waterfall
from runner.report.charts._svg import icon
from runner.report.wording import outcome
from runner.runs import Experiment, Run
from runner.text import thousandths

_OFF_WHEN_ZERO = ("filtered", "below_similarity", "below_score", "beyond_pool", "rerank", "fusion")


@dataclass(frozen=True, slots=True)
class Row:
    """A comparison as the table shows it."""

    run: str
    label: str
    measure: str
    mean: tuple[str, float]
    difference: tuple[str, float]
    ends: str
    drawn: Markup
    level: str
    p: str
    kind: str
    words: str


@dataclass(frozen=True, slots=True)
class Loss:
    """A stage of a waterfall."""

    stage: str
    items: int
    lost: str
    left: str
    bar: Markup


@dataclass(frozen=True, slots=True)
class Waterfall:
    """Where the gold of a run went."""

    label: str
    n: int
    rows: list[Loss]


@dataclass(frozen=True, slots=True)
class InWords:
    """A measure of the runs of the answer, for who decides."""

    measure: str
    says: str
    values: list[tuple[str, float | None, str]]
    """Per run what is shown, the mean (None: not measured) and its key."""


@dataclass(frozen=True, slots=True)
class Part:
    """One data set of the experiment."""

    body: Mapping[str, Any]
    labels: Mapping[str, str]
    badges: Mapping[str, list[badge.Shown]]
    main: list[Row]
    others: list[Row]
    chart: Markup | None
    key: list[tuple[Markup, str]]
    """The marks of the chart and the strategies they stand for; empty where there is one."""
    points: list[dict[str, Any]]
    budgets: Markup | None
    losses: list[Waterfall]
    facts: list[topics.Fact]
    shown: list[str]
    """Keys of the runs that the answer is about, the baseline first."""
    five: list[InWords]
    bought: list[str]
    surfaces: list[heat_map.Surface]


def part(experiment: Experiment, body: Mapping[str, Any], frame_: pl.DataFrame) -> Part:
    """What the page shows of a group of the record (`body`) and its rows of `contrasts.parquet`."""
    labels = {r["run"]: r["label"] for r in body["runs"]}
    runs = {k: Run(experiment.outputs, k) for k in labels}
    rows = frame_.filter(
        pl.col("candidate").is_in(list(labels)), pl.col("baseline") == body["baseline"]
    ).to_dicts()
    main = [r for m in body["main"] for r in rows if r["measure"] == m]
    others = [r for r in rows if r["measure"] not in body["main"]]
    candidate = body.get("answer", {}).get("candidate")
    strategies = list(dict.fromkeys(runs[f["run"]].config["strategy"]["name"] for f in body["front"]))
    shown = [body["baseline"], *([candidate] if candidate else [])]
    brief = {k: _short(v, runs[k]) for k, v in labels.items()}
    return Part(
        body=body,
        labels=labels,
        badges={k: badge.badges([badge.setting(r)]) for k, r in runs.items()},
        main=_rows(main, brief, body["margin"]),
        others=_rows(others, brief, body["margin"]),
        chart=quality(body, brief, runs, "Quality and cost"),
        key=[(icon(i), name) for i, name in enumerate(strategies) if len(strategies) > 1],
        points=list(body["front"]),
        budgets=_curve(rows, candidate, brief, body["baseline"]),
        losses=[
            _waterfall(brief[k], runs[k].meta["attribution"])
            for k in shown
            if runs[k].meta.get("attribution")
        ],
        facts=topics.facts(body, rows, list(runs.values())),
        shown=shown,
        five=_five([runs[k] for k in shown]),
        bought=topics.bought(body),
        surfaces=[heat_map.surface(s, body["margin"]) for s in body.get("surfaces", [])],
    )


def _five(runs: Sequence[Run]) -> list[InWords]:
    means = [{m["measure"]: m["mean"] for m in run.measures} for run in runs]
    return [
        InWords(c.measure, c.says, [
            (c.shown(mean[c.measure]) if c.measure in mean else numbers.MISSING, mean.get(c.measure), run.key)
            for mean, run in zip(means, runs, strict=True)
        ])
        for c in glossary.five(means[0])
    ]  # fmt: skip


def _rows(rows: Sequence[Mapping[str, Any]], labels: Mapping[str, str], margin: float) -> list[Row]:
    by_measure: dict[str, float] = {}
    for r in rows:
        if r["low"] is not None:
            most = interval.domain([(r["difference"], r["low"], r["high"])])
            by_measure[r["measure"]] = max(most, by_measure.get(r["measure"], 0.0))
    return [_row(r, labels, by_measure.get(r["measure"], 0.0), margin) for r in rows]


def _row(r: Mapping[str, Any], labels: Mapping[str, str], most: float, margin: float) -> Row:
    measure = r["measure"]
    said = outcome(r)
    drawn = Markup("")
    if r["low"] is not None and most > 0 and r["verdict"] != "cost":
        drawn = interval.cell(r["difference"], r["low"], r["high"], most=most, kind=said.kind, margin=margin)  # type: ignore[arg-type]
    return Row(
        run=r["candidate"],
        label=labels[r["candidate"]],
        measure=measure,
        mean=(numbers.measured(measure, r["candidate_mean"]), r["candidate_mean"]),
        difference=(numbers.difference(measure, r["difference"]), r["difference"]),
        ends=numbers.ends(measure, r["difference"], r["low"], r["high"]),
        drawn=drawn,
        level=numbers.level(r["level"]),
        p=numbers.p_value(r["p_corrected"]),
        kind=said.kind,
        words=said.words[0].upper() + said.words[1:],
    )


def _short(label: str, run: Run) -> str:
    """A label for a chart: the badge says what the neighbor knobs would."""
    words = [w for w in label.split(" ") if not w.startswith(KNOBS)]
    return " ".join([*words, run.badge.text]) if len(words) < len(label.split(" ")) else label


def quality(
    body: Mapping[str, Any], labels: Mapping[str, str], runs: Mapping[str, Run], table: str
) -> Markup | None:
    """Every run of a group of the record: the mean of the leading measure by the tokens it costs.

    Returns:
        None: there is one point. `table` is where the same values stand as text.
    """
    points = [
        scatter.Point(
            labels[f["run"]],
            runs[f["run"]].config["strategy"]["name"],
            f["tokens"],
            f["mean"],
            baseline=f["run"] == body["baseline"],
        )
        for f in body["front"]
        if f["run"] in runs
    ]
    if len(points) < 2:
        return None
    return scatter.scatter(
        points, name=quality_name(body), table=table,
        x_label="tokens of the context per question",
    )  # fmt: skip


def quality_name(body: Mapping[str, Any]) -> str:
    """The title of that chart."""
    return f"{body['main'][0]} by tokens of the context"


def _curve(
    rows: Sequence[Mapping[str, Any]], candidate: str | None, labels: Mapping[str, str], base: str
) -> Markup | None:
    mine = [r for r in rows if r["candidate"] == candidate and r["measure"].startswith("SpanR")]
    cut = sorted((r for r in mine if r["budget"]), key=lambda r: r["budget"])
    if candidate is None or len(cut) < 2:
        return None
    sides = ((labels[base], "baseline_mean"), (labels[candidate], "candidate_mean"))
    lines = [
        curve.Series(who, [(float(r["budget"]), r[column], None, None) for r in cut]) for who, column in sides
    ]
    return curve.curve(
        lines, name="Gold text in the context by token budget", table="Other measures", x_label="token budget"
    )


def _waterfall(label: str, facts: Mapping[str, Any]) -> Waterfall:
    stages, left, rows = facts["stages"], 1000, []
    for (stage, items), share in zip(stages.items(), thousandths(list(stages.values())), strict=True):
        if stage == "found" or (not items and stage in _OFF_WHEN_ZERO):
            continue
        # What expansion gave back was found neither among the hits nor lost before: it stands last.
        before, after = (left - share, left) if stage == "expansion_recovered" else (left, left - share)
        left = after
        bar = waterfall.bar(before / 1000, after / 1000)
        rows.append(
            Loss(stage, items, numbers.points((after - before) / 1000), numbers.share(after / 1000), bar)
        )
    return Waterfall(label, facts["n"], rows)
