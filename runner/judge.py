"""The judge: which families apply, their values in one table, and what a reader must know beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from runner.errors import ComponentError, DataError
from runner.measure_names import BUDGETS
from runner.metrics._spans import ints
from runner.metrics._units import units_of
from runner.metrics.contract import Family, Judged, Measure, family_of, parse_measure


@dataclass(frozen=True, slots=True)
class Judgement:
    """Values and counts of one run. Counts of hits are over the judged queries."""

    values: pl.DataFrame
    """`query, measure, value`, by query, then in the order asked; each judged query has each measure."""
    summary: list[dict[str, Any]]
    """Per measure `measure, mean, std` (population) and `n`, the number of judged queries."""
    notes: list[str]
    """What was left out, what limits a value, what the unit is; one sentence each."""
    unit: str
    """What rank measures count: `chunk` or `document (MaxP)`."""
    n_queries: int
    """Queries with a positive judgment: all of them, and no others, are in every mean."""
    excluded: int
    """Queries without a positive judgment."""
    unanswered: int
    """Judged queries without any hit; they score 0."""
    hits: int
    holes: int
    """Hits that nobody judged: their document, or any span they share a code point with."""
    repeats: int
    """Hits on a document that an earlier hit had found already; rank measures do not see them."""


def judge(measures: Sequence[str], judged: Judged) -> Judgement:
    """The values of `measures` (names, each once) on `judged`.

    Raises:
        ValueError: a name is no measure of any family.
        DataError: the judgments mix spans and whole documents.
        ComponentError: a family broke its contract.
    """
    if judged.spans and judged.judgments["start"].null_count():
        raise DataError("judgments: some are spans and some whole documents; give a data set of one kind")
    asked = [(m, family_of(m)) for m in map(parse_measure, measures)]
    apply = [(m, f) for m, f in asked if judged.spans or not f.needs_spans(m)]
    queries = judged.judged_queries()
    values = _values(apply, judged, len(queries))
    unit = "chunk" if judged.spans else "document (MaxP)"
    hits = _hits(judged, queries)
    return Judgement(
        values=values,
        summary=_summary(values, [m.text for m, _ in apply]) if len(queries) else [],
        notes=_notes(asked, judged, unit, len(queries), hits["repeats"]),
        unit=unit,
        n_queries=len(queries),
        excluded=judged.n_queries - len(queries),
        **hits,
    )


def curve(judged: Judged) -> pl.DataFrame:
    """`query, measure, value` of `SpanR` at each budget; no row where gold is of whole documents."""
    measures = [parse_measure(f"SpanR@{b}t") for b in BUDGETS] if judged.spans else []
    return _values([(m, family_of(m)) for m in measures], judged, len(judged.judged_queries()))


def beside(judgement: Judgement, measure: str, recorded: Mapping[int, float]) -> Judgement:
    """`judgement` with one more measure, last: what an earlier stage recorded for each query."""
    judged = judgement.values["query"].unique(maintain_order=True)
    rows = pl.DataFrame(
        {
            "query": judged,
            "measure": pl.repeat(measure, len(judged), dtype=pl.String, eager=True),
            "value": pl.Series([recorded[q] for q in judged], dtype=pl.Float64),
        }
    )
    values = pl.concat([judgement.values, rows]).sort("query", maintain_order=True)
    more = _summary(rows, [measure]) if len(judged) else []
    return replace(judgement, values=values, summary=judgement.summary + more)


def _values(apply: list[tuple[Measure, Family]], judged: Judged, n_queries: int) -> pl.DataFrame:
    """One frame of all families, checked and sorted."""
    by_family: dict[str, tuple[Family, list[Measure]]] = {}
    for measure, family in apply:
        by_family.setdefault(family.name, (family, []))[1].append(measure)
    frames = [_checked(family, some, judged, n_queries) for family, some in by_family.values()]
    if not frames:
        return pl.DataFrame(
            schema={"query": judged.judgments.schema["query"], "measure": pl.String, "value": pl.Float64}
        )
    order = pl.Enum([m.text for m, _ in apply])
    return (
        pl.concat(frames)
        .sort("query", pl.col("measure").cast(order), maintain_order=True)
        .select("query", pl.col("measure").cast(pl.String), "value")
    )


def _checked(family: Family, measures: list[Measure], judged: Judged, n_queries: int) -> pl.DataFrame:
    """What `family` gives, once it is sure that no query and no number is missing."""
    frame = family.values(measures, judged)
    whole = frame.select("query", "measure").is_unique().all() and frame.height == n_queries * len(measures)
    if not whole or not frame["value"].is_finite().all() or frame["value"].null_count():
        raise ComponentError(
            f"metrics.{family.name}: expected one finite value for each of {n_queries} judged queries and "
            f"{len(measures)} measures, got {frame.height} rows"
        )
    return frame


def _summary(values: pl.DataFrame, names: list[str]) -> list[dict[str, Any]]:
    table = values["value"].to_numpy().reshape(-1, len(names)) if names else np.empty((0, 0))
    return [
        {"measure": name, "mean": float(column.mean()), "std": float(column.std()), "n": len(column)}
        for name, column in zip(names, table.T, strict=True)
    ]


def _hits(judged: Judged, queries: np.typing.NDArray[np.int64]) -> dict[str, int]:
    """Counts over the hits of the judged queries."""
    units = units_of(judged)
    frame = judged.ranking.frame
    query, unit = ints(frame["query"]), units.of_chunk[ints(frame["chunk"])]
    wanted = np.zeros(judged.n_queries, np.bool_)
    wanted[queries] = True
    counted = wanted[query]
    repeats = 0
    if units.several:
        keys = pl.Series(query[counted] * len(units.of_chunk) + unit[counted])
        repeats = len(keys) - keys.n_unique()
    return {
        "unanswered": int(np.count_nonzero(np.bincount(query, minlength=judged.n_queries)[queries] == 0)),
        "hits": int(np.count_nonzero(counted)),
        "holes": int(np.count_nonzero(units.find(query, unit)[counted] < 0)),
        "repeats": repeats,
    }


def _notes(
    asked: list[tuple[Measure, Family]], judged: Judged, unit: str, n_queries: int, repeats: int
) -> list[str]:
    notes = []
    if not n_queries:
        notes.append("no query has a positive judgment: there is nothing to measure")
    for m, family in asked:
        if family.needs_spans(m) and not judged.spans:
            notes.append(f"{m.text} needs span judgments; the data set has document judgments: left out")
        elif judged.top_k is not None and m.cutoff is not None and m.cutoff > judged.top_k:
            notes.append(f"{m.text} sees at most top_k = {judged.top_k} hits")
    if any(f.name == "rank" for _, f in asked):
        more = "relevant where it shares text with a gold span; compare within one chunking only"
        if not judged.spans:
            more = f"each at its best chunk's rank; {repeats} further hits on the same document left out"
        notes.append(f"rank measures: the unit is the {unit}, {more}")
    return notes
