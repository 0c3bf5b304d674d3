"""Parents: where small chunks are searched, a hit returns (and costs) the larger span it belongs to."""

from __future__ import annotations

import polars as pl

from runner.order import Ranking


def has_parents(chunks: pl.DataFrame) -> bool:
    """Whether some chunk of the table stands for a larger span."""
    return "parent_start" in chunks.columns


def returned(chunks: pl.DataFrame) -> pl.DataFrame:
    """The chunk table with span and tokens of what each chunk returns: its parent's, else its own."""
    if not has_parents(chunks):
        return chunks
    return chunks.with_columns(pl.coalesce(f"parent_{c}", c).alias(c) for c in ("start", "end", "tokens"))


def units(chunks: pl.DataFrame) -> pl.Series:
    """For each chunk the row of the first that returns the same span; its own where it has no parent."""
    rows = returned(chunks).with_row_index("unit")
    return rows.select(pl.col("unit").min().over("doc_id", "start", "end").cast(pl.Int64))["unit"]


def judged(
    ranking: Ranking, expansion: pl.DataFrame, chunks: pl.DataFrame
) -> tuple[Ranking, pl.DataFrame, pl.DataFrame]:
    """Ranking, windows and chunk table with a row per returned span, so that a parent is one thing to judge.

    Else each of its chunks would be in the ideal, though only one can ever be a hit.
    """
    if not has_parents(chunks):
        return ranking, expansion, chunks
    unit = units(chunks)
    first = unit == pl.int_range(chunks.height, eager=True)
    whole = returned(chunks).filter(first)
    row = (first.cast(pl.Int64).cum_sum() - 1).gather(unit)

    def moved(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.with_columns(row.gather(frame["chunk"]).cast(frame.schema["chunk"]).alias("chunk"))

    return Ranking(moved(ranking.frame)), moved(expansion), whole
