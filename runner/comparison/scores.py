"""Scores: one value per question and run, aligned, and which questions belong together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from runner.errors import RequestError, StoreError
from runner.fates import FOUND
from runner.runs import Run
from runner.statistics.draws import seed_of
from runner.statistics.units import clusters_by

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scores:
    """The measures of comparable runs over the same questions."""

    runs: tuple[Run, ...]
    queries: tuple[str, ...]
    measures: tuple[str, ...]
    """As recorded by every run, in the order of the first, then `SpanR` at the budgets of the curve."""
    values: Floats
    """Shape (queries, runs, measures); NaN: no value."""
    tokens: Floats
    """Shape (queries, runs): tokens of the whole context."""
    chunk: Floats
    """Shape (runs,): tokens of the largest chunk of a context, a question on average."""
    documents: tuple[str, ...]
    """By question the document of its first gold item; the question itself where it has none."""
    clusters: npt.NDArray[np.int64] | None
    clustered: str
    """What was chosen for questions that share a document, and why."""
    seed: int

    def of(self, measure: str) -> Floats:
        """Shape (queries, runs)."""
        found: Floats = self.values[:, :, self.measures.index(measure)]
        return found


def scores(runs: Sequence[Run]) -> Scores:
    """The scores of `runs`, which have one data set; where a comparison is forced, over what all were asked.

    Raises:
        RequestError: they share no question.
        StoreError: a run was recorded before budgets or losing stages were.
    """
    frames = [_long(run) for run in runs]
    shared = [m for m in frames[0]["measure"].unique(maintain_order=True)
              if all(m in f["measure"] for f in frames)]  # fmt: skip
    queries = sorted(set.intersection(*(set(f["query_id"]) for f in frames)))
    if not queries and any(f.height for f in frames):
        raise RequestError("these runs share no question with gold: there is nothing to compare")
    place = {q: i for i, q in enumerate(queries)}
    column = {m: i for i, m in enumerate(shared)}
    values = np.full((len(queries), len(runs), len(shared)), np.nan)
    tokens, largest = (np.zeros((len(queries), len(runs))) for _ in range(2))
    for number, (run, frame) in enumerate(zip(runs, frames, strict=True)):
        rows = frame.filter(pl.col("measure").is_in(shared), pl.col("query_id").is_in(queries))
        at = [place[q] for q in rows["query_id"]], [column[m] for m in rows["measure"]]
        values[at[0], number, at[1]] = rows["value"].to_numpy()
        by_query = run.table("context").group_by("query_id")
        spent = by_query.agg(pl.col("tokens").sum(), pl.col("tokens").max().alias("most"))
        for query, n, most in spent.iter_rows():
            if query in place:
                tokens[place[query], number], largest[place[query], number] = n, most
    documents = tuple(_documents(runs[0], queries))
    clusters, said = clusters_by(documents)
    seed = seed_of(runs[0].meta["fingerprints"]["queries"])
    chunk = largest.mean(axis=0) if queries else largest.sum(axis=0)
    return Scores(
        tuple(runs), tuple(queries), tuple(shared), values, tokens, chunk, documents, clusters, said, seed
    )


def _long(run: Run) -> pl.DataFrame:
    try:
        return pl.concat([run.table("measures"), run.table("curve")]).select("query_id", "measure", "value")
    except StoreError as e:
        raise StoreError(f"run {run.short} cannot be compared: {e}; run the sweep again") from e


def lost_at(run: Run) -> dict[str, str]:
    """By question the stage that lost its first lost gold item; empty where all of it is in the context."""
    items = run.table("attribution").select("query_id", "stage")
    kept = pl.when(pl.col("stage").is_in(FOUND)).then(pl.lit("")).otherwise(pl.col("stage"))
    by_query = items.with_columns(kept.alias("stage")).group_by("query_id", maintain_order=True)
    return dict(by_query.agg(pl.col("stage").filter(pl.col("stage") != "").first().fill_null("")).iter_rows())


def _documents(run: Run, queries: Sequence[str]) -> list[str]:
    """The document of each question's first gold item; the question itself where it has none."""
    gold = run.table("attribution").sort("query_id", "doc_id")
    first = dict(gold.group_by("query_id", maintain_order=True).agg(pl.col("doc_id").first()).iter_rows())
    return [f"document {first[q]}" if q in first else f"question {q}" for q in queries]
