"""The comparison record of an experiment: `contrasts.parquet` and `comparison.json`, read by every view."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from runner.comparison import flipping, standing, windows
from runner.comparison.comparability import Difference, differences
from runner.comparison.paired import MARGIN, Paired, paired
from runner.comparison.scores import Scores, scores
from runner.errors import RequestError
from runner.measure_names import budget_of, deciding, leading, on_curve
from runner.runs import Experiment, Run
from runner.store import publish_file
from runner.tables import schema

FORMAT = 1
FILLED = 0.99
"""Share of a budget that counts as all of it."""


@dataclass(frozen=True, slots=True)
class Group:
    """The runs of one data set, compared with each other."""

    runs: tuple[Run, ...]
    labels: dict[str, str]
    """By run key, as a person tells them apart."""
    scores: Scores
    rows: list[Paired]
    body: dict[str, Any] = field(default_factory=dict)
    """What `comparison.json` says of the group."""

    def row(self, candidate: str, measure: str) -> Paired | None:
        """The comparison of a run with the baseline in a measure."""
        asked = (candidate, self.body["baseline"], measure)
        return next((r for r in self.rows if (r.candidate, r.baseline, r.measure) == asked), None)


def compared(
    runs: Sequence[Run],
    labels: Mapping[str, str],
    axes: Mapping[str, Sequence[str]] | None = None,
    cells: Sequence[Mapping[str, str]] = (),
    *,
    baseline: int = 0,
    all_pairs: bool = False,
    margin: float = MARGIN,
) -> Group:
    """The comparison of runs over one data set, each with the `baseline` (its place), or all pairs.

    Args:
        runs: distinct; of one data set and gold.
        labels: by run key.
        axes: what the sweep declared to differ.
        cells: the axis values of each run, for main effects; empty: none.
        baseline: place of the run that the others are compared with.
        all_pairs: compare every run with every one before it.
        margin: the difference that does not matter.
    """
    found = scores(runs)
    others = [i for i in range(len(runs)) if i != baseline]
    pairs = [(a, baseline) for a in others]
    if all_pairs:
        pairs += [(a, b) for a in others for b in others if b < a]
    rows = paired(found, pairs, margin)
    main = _main(found)
    several = len(runs) > 1
    body = {
        "baseline": runs[baseline].key,
        "runs": [
            {"run": r.key, "label": labels[r.key], "axes": dict(chosen)}
            for r, chosen in zip(runs, cells or [{}] * len(runs), strict=True)
        ],
        "data": runs[0].data,
        "questions": len(found.queries),
        "margin": margin,
        "clusters": found.clustered,
        "main": main,
        "differences": [asdict(d) for d in differences(runs, axes or {})],
        "first": [standing.first(found, m) for m in main] if several else [],
        "effects": {m: standing.effects(found, cells, m, margin) for m in main} if several else {},
        "flips": flipping.flips(runs, pairs, cells),
        "surfaces": windows.surfaces(found, cells, _expanded(found, main), rows, margin),
        "front": standing.front(found, main[0]),
        "placebo": _placebo(runs, rows, main),
    }
    return Group(tuple(runs), dict(labels), found, rows, body)


def _main(found: Scores) -> list[str]:
    """The measure of the headline at equal top_k and, with gold spans, the one at equal tokens.

    Where a run adds neighbors, the expanded measure leads: it says what the model sees, and the tokens are
    those of what it sees.
    """
    lead = leading(found.measures)
    if lead is None:
        return [*deciding(found.measures), *found.measures][:1]
    if f"{lead}+" in found.measures and any(r.badge.prev or r.badge.following for r in found.runs):
        lead = f"{lead}+"
    budget = budget_for(found)
    return [lead] if budget is None else [lead, f"SpanR@{budget}t"]


def budget_for(found: Scores) -> int | None:
    """The budget of the curve at which runs are compared at equal tokens; None: they have no curve.

    The largest that every run fills, on average: above it contexts are not equal. One that holds the largest
    chunk of every run, on average, comes first: below it a context may be empty whatever was found.
    """
    budgets = sorted(budget_of(m) or 0 for m in found.measures if on_curve(m))
    holding = [b for b in budgets if b >= found.chunk.max()] or budgets[-1:]
    filled = [b for b in holding if b * FILLED <= found.tokens.mean(axis=0).min()] or holding[:1]
    return filled[-1] if filled else None


def _expanded(found: Scores, main: Sequence[str]) -> list[str]:
    """What windows change: the leading measure over what the model sees, and the one at equal tokens."""
    lead = main[0] if main[0].endswith("+") else f"{main[0]}+"
    return [m for m in (lead, *main[1:]) if m in found.measures]


def _placebo(runs: Sequence[Run], rows: Sequence[Paired], main: Sequence[str]) -> list[dict[str, str]]:
    """Gains of an enrichment that the shuffled placebo shows as well."""
    named = {r.key: r.config["enrichment"]["name"] for r in runs}
    better = {(r.candidate, r.measure) for r in rows if r.verdict == "better" and r.measure in main}
    shuffled = {m for k, m in better if named[k] == "shuffled"}
    return [{"run": k, "measure": m} for k, m in sorted(better)
            if m in shuffled and named[k] not in ("none", "shuffled")]  # fmt: skip


def blocking(runs: Sequence[Run]) -> list[Difference]:
    """What forbids a verdict between these runs."""
    return [d for d in differences(runs) if d.level == "blocks"]


def of_experiment(
    experiment: Experiment, *, baseline: int | None = None, all_pairs: bool = False, margin: float = MARGIN
) -> list[Group]:
    """The comparisons of a sweep, one for each data set in it, by its first cell or the cell `baseline`.

    Raises:
        RequestError: there is no run of that cell.
        StoreError: a run was recorded before there was anything to compare.
    """
    axes = experiment.body["axes"]
    by_data: dict[str, dict[str, tuple[int, Run, dict[str, str]]]] = {}
    for cell in experiment.cells:
        run = experiment.runs.get(cell["num"])
        if run is not None:
            prints = run.meta["fingerprints"]
            data = "/".join(prints[p] for p in ("documents", "queries", "judgments"))
            chosen = dict(o.partition("=")[::2] for o in cell["overrides"] if o.partition("=")[0] in axes)
            by_data.setdefault(data, {}).setdefault(run.key, (cell["num"], run, chosen))
    if baseline is not None and baseline not in experiment.runs:
        raise RequestError(
            f"cell {baseline} of {experiment.name} has no run; it has {len(experiment.cells)} cells"
        )
    out = []
    for found in by_data.values():
        cells = list(found.values())
        place = _likest(experiment, baseline, cells)
        labels = {r.key: " ".join(f"{k}={v}" for k, v in chosen.items()) or "the only cell"
                  for _, r, chosen in cells}  # fmt: skip
        grid = [chosen for _, _, chosen in cells]
        whole = len({tuple(g) for g in grid}) == 1
        runs = [r for _, r, _ in cells]
        out.append(compared(runs, labels, axes, grid if whole else (), baseline=place,
                            all_pairs=all_pairs, margin=margin))  # fmt: skip
    return out


def _likest(
    experiment: Experiment, baseline: int | None, cells: Sequence[tuple[int, Run, dict[str, str]]]
) -> int:
    """The place of the baseline among the cells of a data set; of another set, of the cell most like it."""
    if baseline is None:
        return 0
    key = experiment.runs[baseline].key
    asked = next(c["overrides"] for c in experiment.cells if c["num"] == baseline)
    alike = [(r.key == key, sum(f"{a}={v}" in asked for a, v in chosen.items())) for _, r, chosen in cells]
    return alike.index(max(alike))


def write(experiment: Experiment, groups: Sequence[Group]) -> Path:
    """Write both files into the experiment's folder; the same runs give the same bytes."""
    rows = [asdict(r) for g in groups for r in g.rows]
    frame = pl.DataFrame(rows, schema=schema(Paired))
    publish_file(experiment.path / "contrasts.parquet", lambda p: frame.write_parquet(p, statistics=False))
    body = {"format": FORMAT, "experiment": experiment.key, "groups": [g.body for g in groups]}
    text = json.dumps(body, indent=1, ensure_ascii=False, allow_nan=False)
    publish_file(experiment.path / "comparison.json", lambda p: p.write_text(text, "utf-8"))
    return experiment.path


def read(experiment: Experiment) -> tuple[dict[str, Any], pl.DataFrame] | None:
    """What `write` wrote; None: nothing was recorded, or in another format."""
    try:
        body = json.loads((experiment.path / "comparison.json").read_text("utf-8"))
        rows = pl.read_parquet(experiment.path / "contrasts.parquet")
    except (OSError, ValueError, pl.exceptions.PolarsError):
        return None
    known = isinstance(body, dict) and body.get("format") == FORMAT and rows.schema == schema(Paired)
    return (body, rows) if known else None
