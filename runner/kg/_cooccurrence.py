"""Edges by co-occurrence: two nodes named in one sentence more often than chance, weighted by NPMI."""

from __future__ import annotations

import polars as pl

from runner import tables
from runner.keys import canonical
from runner.records import Edge

LABEL = "co-occurs with"
CROWD = 50
"""A sentence that names more nodes than this is a list or a table, and relates no two of them."""


def edges(named: pl.DataFrame, sentences: int, least: int) -> pl.DataFrame:
    """The edges (columns of `records.Edge`) between nodes that share a sentence.

    `source` is the lesser id. The confidence is the normalised pointwise mutual information (Bouma,
    Normalized (pointwise) mutual information in collocation extraction, GSCL 2009)

        npmi(x, y) = ln(p(x, y) / (p(x) p(y))) / -ln p(x, y)

    with p as the share of all sentences: 1 for two that only occur together, 0 for what chance gives, and 1
    by its limit where both stand in every sentence. Clipped to [0, 1] and rounded to six places; what comes
    to 0 is no edge. The evidence is every sentence that names both.

    Args:
        named: one row per node in a sentence: `sentence` (number), `node_id`, `doc_id`, `start`, `end`.
        sentences: how many there are, with those that name nothing.
        least: sentences that two nodes must share.
    """
    rows = named.unique(["sentence", "node_id"]).filter(pl.len().over("sentence") <= CROWD)
    total = named.group_by("node_id").agg(pl.col("sentence").n_unique().alias("n"))
    place = pl.struct("doc_id", "start", "end").alias("place")
    left = rows.select("sentence", place, pl.col("node_id").alias("source"))
    right = rows.select("sentence", pl.col("node_id").alias("target"))
    pairs = left.join(right, on="sentence").filter(pl.col("source") < pl.col("target"))
    counted = pairs.group_by("source", "target").agg(pl.len().alias("both"), pl.col("place"))
    counted = counted.filter(pl.col("both") >= least)
    for end in ("source", "target"):
        counted = counted.join(total.rename({"node_id": end, "n": f"n_{end}"}), on=end)
    both = pl.col("both").cast(pl.Float64)
    mutual = (both * sentences / (pl.col("n_source").cast(pl.Float64) * pl.col("n_target"))).log()
    npmi = pl.when(both < sentences).then(mutual / (sentences / both).log()).otherwise(1.0)
    kept = counted.with_columns(npmi.clip(0, 1).round(6).alias("confidence")).filter(pl.col("confidence") > 0)
    evidence = [canonical(_sorted(places)) for places in kept["place"].to_list()]
    made = kept.with_columns(pl.lit(LABEL).alias("label"), pl.Series("evidence", evidence, pl.String))
    return tables.conform(made.select(list(tables.schema(Edge))), Edge).sort("source", "target")


def _sorted(places: list[dict[str, object]]) -> list[dict[str, object]]:
    return sorted(places, key=lambda p: (p["doc_id"], p["start"]))
