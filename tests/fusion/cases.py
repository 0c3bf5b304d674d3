"""Legs as plain lists for the tests of fusions: what each found, what the fusion makes of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import polars as pl

from runner import selection
from runner.fusion import stage
from runner.fusion.contract import Fusion
from runner.retrieval.stage import LegHits, window

Found = Mapping[int, float]
"""Score by chunk; ranked here by score, then by chunk."""


def hits(*queries: Found) -> LegHits:
    """A leg's hits, one mapping per query."""
    rows = [
        (q, c, s, r)
        for q, found in enumerate(queries)
        for r, (c, s) in enumerate(sorted(found.items(), key=lambda x: (-x[1], x[0])), 1)
    ]
    schema = {"query": pl.Int64, "chunk": pl.Int64, "score": pl.Float64, "rank": pl.Int64}
    return LegHits(pl.DataFrame(rows, schema=schema, orient="row"), {})


def frame(fusion: Fusion, legs: Mapping[str, LegHits], similar: Collection[str] = ("v",)) -> pl.DataFrame:
    """The fused window of the legs; those named in `similar` give similarities."""
    flags = {n: n in similar for n in legs}
    return stage.fuse(selection.opened(window(legs)), fusion, flags, set())


def scores(fusion: Fusion, similar: Collection[str] = ("v",), **legs: Found) -> dict[int, float]:
    """Fused score by chunk, best first, of one query."""
    got = frame(fusion, {n: hits(f) for n, f in legs.items()}, similar).sort("fused_rank")
    assert got["fused_rank"].to_list() == list(range(1, got.height + 1))
    return dict(got.select("chunk", "fused_score").iter_rows())


def normalized(
    fusion: Fusion, leg: str, similar: Collection[str] = ("v",), **legs: Found
) -> list[float | None]:
    """The leg's signals on the fusion's scale, by chunk."""
    got = frame(fusion, {n: hits(f) for n, f in legs.items()}, similar).sort("chunk")
    return got[f"{leg}_norm"].to_list()
