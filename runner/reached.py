"""How far each carrier of a gold item came: what is recorded of it, what stopped it, which came furthest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt
import polars as pl

from runner.fates import Stage
from runner.order import Ints

Bools = npt.NDArray[np.bool_]
_OUTSIDE, _FILTERED, _UNLIKE, _BELOW, _BEYOND_POOL, _TOP_K, _WITHHELD, _FUSION, _RERANK, _HIT = range(10)
ORDER: tuple[Stage, ...] = (
    "outside_window", "filtered", "below_similarity", "below_score", "beyond_pool", "top_k",
    "below_similarity", "fusion", "rerank", "found",
)  # fmt: skip
"""How far a carrier came, ascending, as what that comes to; the second `below_similarity` is `_WITHHELD`."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What of a config decides who is a hit."""

    legs: Sequence[str]
    top_k: int
    pool: int | None
    """Candidates that the reranker sees; None: there is no reranker."""
    neighbors: tuple[int, int]
    similarity: float | None
    """The threshold on similarity."""
    lossy: bool
    """The chunking may leave out text that is not blank."""


def rows(frame: pl.DataFrame, query: Ints, chunk: Ints) -> Ints:
    """For each (query, chunk) its row in `frame`, or -1; shape of `query`."""
    keys, wanted = frame["query"].to_numpy() << 32 | frame["chunk"].to_numpy(), query << 32 | chunk
    if not len(keys):
        return np.full(len(wanted), -1, np.int64)
    order = None if (keys[1:] > keys[:-1]).all() else np.argsort(keys)
    at = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
    found = at if order is None else order[at]
    return np.where(keys[found] == wanted, found, -1)


def known(candidates: pl.DataFrame, column: str, at: Ints) -> Bools:
    """Whether a candidate has a value, for each of the rows `at`; -1: there is no such candidate."""
    if candidates.is_empty():
        return np.zeros(len(at), np.bool_)
    has: Bools = candidates[column].is_not_null().to_numpy()
    return (at >= 0) & has[at]


def progress(
    item: Ints, query: Ints, chunk: Ints, candidates: pl.DataFrame, unit: pl.Series | None, limits: Limits
) -> pl.DataFrame:
    """Per carrier `item, chunk, order` (an index into `ORDER`), `tie`, and its columns as a candidate.

    Args:
        item: what is carried, shape (n,); `query` and `chunk` alike.
        query: who asked.
        chunk: the carrier, as the row of a chunk.
        candidates: the window.
        unit: for each chunk row what it returns, where several return the same.
        limits: of the run.
    """
    at = rows(candidates, query, chunk)
    mine = pl.DataFrame({"item": item, "chunk": chunk, "row": at})
    index = mine.select(pl.when(pl.col("row") >= 0).then("row"))["row"]
    facts = _placed(candidates, unit, limits).select(pl.all().gather(index))
    facts = pl.concat([mine, facts], how="horizontal").with_columns(_order(limits).alias("order"))
    return facts.with_columns(_tie(limits).alias("tie"), *_withheld(limits))


def furthest(facts: pl.DataFrame) -> pl.DataFrame:
    """Of each item the carrier that came furthest: the best ranked of those, then the first in the corpus."""
    ranked = facts.sort("item", "order", "tie", "chunk", descending=[False, True, False, False])
    return ranked.unique("item", keep="first", maintain_order=True)


def _placed(candidates: pl.DataFrame, unit: pl.Series | None, limits: Limits) -> pl.DataFrame:
    """The candidates with `fused_place` and `<leg>_place`: ranks among what can still be returned.

    And with `reranked`: how many of its query a reranker saw; null: none, for it failed.
    """
    if unit is not None:
        candidates = candidates.with_columns(unit.gather(candidates["chunk"]).alias("unit"))
    lives = {"fused": "fused_rank"} | {leg: f"{leg}_norm" for leg in limits.legs}
    best = {}
    for what, live in lives.items():
        ranked = pl.when(pl.col(live).is_not_null()).then(pl.col(f"{what}_rank"))
        best[f"{what}_place"] = ranked if unit is None else ranked.min().over("query", "unit")
    out = candidates.with_columns(**best)  # a step of its own: windows within windows count otherwise
    moved = [what for what, live in lives.items() if unit is not None or _gaps(candidates, what, live)]
    places = [_dense(f"{what}_place", lives[what]) for what in moved]
    if limits.pool is not None:
        places.append(pl.col("rerank_rank").max().over("query").alias("reranked"))
    return out.with_columns(places).drop("query", "chunk", "unit", strict=False)


def _gaps(candidates: pl.DataFrame, what: str, live: str) -> bool:
    """Whether some rank is of a row that can no longer be returned."""
    return candidates[f"{what}_rank"].null_count() != candidates[live].null_count()


def _dense(place: str, live: str) -> pl.Expr:
    counted = pl.col(place).rank("dense").over("query").cast(pl.Int64)
    return pl.when(pl.col(live).is_not_null()).then(counted).alias(place)


def _kept_back(limits: Limits) -> list[pl.Expr]:
    """For each leg, whether it had the carrier within top_k and a threshold withheld it from the fusion."""
    return [(pl.col(f"{leg}_rank") <= limits.top_k) & pl.col(f"{leg}_norm").is_null() for leg in limits.legs]


def _order(limits: Limits) -> pl.Expr:
    dropped, fused, kept = pl.col("drop_stage"), pl.col("fused_rank"), limits.top_k
    stops = [
        (pl.col("row") < 0, _OUTSIDE),
        (pl.col("final_rank").is_not_null(), _HIT),
        (dropped == "filter", _FILTERED),
        ((dropped == "threshold") & fused.is_null(), _UNLIKE),
        (dropped == "threshold", _BELOW),
        (pl.col("drop_value") <= kept, _TOP_K),  # no stage but the cut itself can have lost it
    ]
    if limits.pool is not None:
        stops.append((pl.col("fused_place") <= kept, _RERANK))
    stops.append((_least("place", limits) <= kept, _FUSION))
    if limits.similarity is not None:
        stops.append((pl.any_horizontal(_kept_back(limits)), _WITHHELD))
    if limits.pool is not None:
        stops.append((fused > pl.col("reranked").fill_null(limits.pool), _BEYOND_POOL))
    last = pl.lit(_TOP_K)
    return reduce(lambda other, stop: pl.when(stop[0]).then(stop[1]).otherwise(other), reversed(stops), last)


def _least(part: str, limits: Limits) -> pl.Expr:
    return pl.min_horizontal(f"{leg}_{part}" for leg in limits.legs)


def _tie(limits: Limits) -> pl.Expr:
    """The rank by which the carriers that came equally far are told apart."""
    order = pl.col("order")
    return (
        pl.when(order == _HIT)
        .then(pl.col("final_rank"))
        .when(order.is_in([_TOP_K, _BEYOND_POOL]))
        .then(pl.col("drop_value"))
        .when(order == _FUSION)
        .then(_least("place", limits))
        .when(order.is_in([_RERANK, _BELOW]))
        .then(pl.col("fused_rank"))
        .otherwise(_least("rank", limits))
    )


def _withheld(limits: Limits) -> list[pl.Expr]:
    """Reason, value and limit of a carrier that a threshold kept from the fusion of its leg, not its cut."""
    if limits.similarity is None:
        return []
    said = {
        "drop_reason": [pl.lit(f"{leg} similarity below the threshold") for leg in limits.legs],
        "drop_value": [pl.col(f"{leg}_score") for leg in limits.legs],
        "drop_limit": [pl.lit(limits.similarity)] * len(limits.legs),
    }
    return [
        pl.when(pl.col("order") == _WITHHELD)
        .then(pl.coalesce(pl.when(k).then(v) for k, v in zip(_kept_back(limits), values, strict=True)))
        .otherwise(pl.col(column))
        .alias(column)
        for column, values in said.items()
    ]
