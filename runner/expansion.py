"""Neighbor expansion: every hit's window in document order, and the flat context, each chunk once."""

from __future__ import annotations

import polars as pl

from runner.order import Ranking


def windows(ranking: Ranking, chunks: pl.DataFrame, prev: int, following: int) -> pl.DataFrame:
    """`query, hit_rank, offset, chunk, role`: every hit with its neighbors −prev … +following, in document order.

    Neighbors are chunks of the same document by `chunk_index`; those beyond an edge do not exist and are skipped.
    `role` says what a chunk is for the query: one that is a hit anywhere is a `hit` in every window.
    """
    n = chunks.height
    doc = chunks.select("doc_id").with_row_index("chunk").cast({"chunk": pl.Int64})
    hits = ranking.frame.select("query", pl.col("rank").cast(pl.Int64).alias("hit_rank"), "chunk")
    offsets = pl.DataFrame({"offset": list(range(-prev, following + 1))}, schema={"offset": pl.Int64})
    reached = (
        hits.lazy()
        .join(doc.lazy(), on="chunk", how="left")
        .join(offsets.lazy(), how="cross")
        .with_columns(chunk=pl.col("chunk") + pl.col("offset"))
        .filter(pl.col("chunk").is_between(0, n - 1))
        .join(doc.lazy(), on="chunk", how="left", suffix="_there")
        .filter(pl.col("doc_id") == pl.col("doc_id_there"))
    )
    is_hit = hits.lazy().select("query", "chunk", pl.lit("hit").alias("role"))
    return (
        reached.join(is_hit, on=["query", "chunk"], how="left")
        .select("query", "hit_rank", "offset", "chunk", pl.col("role").fill_null("neighbor"))
        .sort("query", "hit_rank", "offset")
        .collect()
    )


def context(expansion: pl.DataFrame, chunks: pl.DataFrame) -> pl.DataFrame:
    """`query, position, chunk, role, tokens`: the union of the windows, once each, in document order.

    Documents come in the order of their best hit, chunks by index within each; nothing is cut.
    """
    doc = chunks.lazy().select("doc_id", "tokens").with_row_index("chunk").cast({"chunk": pl.Int64})
    return (
        expansion.lazy()
        .join(doc, on="chunk", how="left")
        .with_columns(doc_rank=pl.col("hit_rank").filter(pl.col("offset") == 0).min().over("query", "doc_id"))
        .unique(["query", "chunk"], keep="any")
        .sort("query", "doc_rank", "chunk")
        .select(
            "query",
            pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query").alias("position"),
            "chunk", "role", "tokens",
        )
        .collect()
    )  # fmt: skip
