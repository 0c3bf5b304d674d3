"""A header within its budget: whole pieces are left out, from the weakest up, until the line fits."""

from __future__ import annotations

import polars as pl

from runner.enrichment.contract import line
from runner.tokenizer.contract import Tokens

ENTITY, TRIPLE = 0, 1


def within(pieces: pl.DataFrame, limit: int | None, tokens: Tokens) -> pl.DataFrame:
    """The first pieces of each chunk of which the line has at most `limit` tokens.

    How many fit is told by their tokens, each counted once with its separator; then every line is counted,
    and gives up its last piece until it fits, for a tokenizer may join what stands side by side.

    Args:
        pieces: `chunk, kind, nth, text`, sorted by the first three: entities, then triples, best first.
        limit: tokens of the line; None: as many as there are.
        tokens: what counts.
    """
    if limit is None or pieces.is_empty():
        return pieces
    distinct = pieces.select("kind", "text").unique(maintain_order=True)
    own = pl.Series("tokens", tokens.counts(distinct["text"].to_list()), pl.Int64)
    comma, semicolon, bar = tokens.counts([",", ";", "|"]).tolist()
    sized = pieces.join(distinct.with_columns(own), on=["kind", "text"], how="left", maintain_order="left")
    first = pl.col("kind") != pl.col("kind").shift(1).over("chunk")
    before = (
        pl.when(first.is_null()).then(0).when(first).then(bar)
        .when(pl.col("kind") == ENTITY).then(comma).otherwise(semicolon)
    )  # fmt: skip
    kept = sized.filter((pl.col("tokens") + before).cum_sum().over("chunk") <= limit).drop("tokens")
    unsure = kept
    while unsure.height:
        lines = rendered(unsure)
        counts = pl.Series(tokens.counts(lines["text"].to_list()), dtype=pl.Int64)
        over = unsure.filter(pl.col("chunk").is_in(lines["chunk"].filter(counts > limit).implode()))
        last = pl.int_range(pl.len()).over("chunk") == pl.len().over("chunk") - 1
        unsure = over.filter(~last)
        kept = kept.join(over.filter(last), on=["chunk", "kind", "nth"], how="anti", maintain_order="left")
    return kept


def lists(pieces: pl.DataFrame, kind: int, column: str, values: str = "text") -> pl.DataFrame:
    """`chunk` and, as a list, the `values` of its pieces of that kind."""
    found = pieces.filter(pl.col("kind") == kind).group_by("chunk", maintain_order=True)
    return found.agg(pl.col(values).alias(column))


def rendered(pieces: pl.DataFrame) -> pl.DataFrame:
    """`chunk, text`: the line that the pieces of each chunk make."""
    frame = pieces.select("chunk").unique(maintain_order=True)
    for kind, column in ((ENTITY, "entities"), (TRIPLE, "neighbor_triples")):
        frame = frame.join(lists(pieces, kind, column), on="chunk", how="left", maintain_order="left")
    return frame.select("chunk", line(frame.columns).alias("text"))
