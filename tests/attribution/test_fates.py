"""Each of the twelve fates in a case small enough to be read: two documents, five chunks, one gold item."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from runner.attribution import Attributed, attribute
from runner.fates import STAGES
from runner.reached import Limits

CHUNKS = pl.DataFrame(
    {
        "doc_id": ["a", "a", "a", "a", "b"],
        "start": [0, 10, 20, 30, 0],
        "end": [10, 20, 30, 40, 10],
    }
)
"""Document a in four chunks of ten code points, document b in one."""
LIMITS = Limits(legs=["bm25", "vector"], top_k=2, pool=None, neighbors=(0, 0), similarity=None, lossy=False)
INSIDE = ("a", 12, 18)
"""Held by chunk 1 whole."""
ACROSS = ("a", 14, 24)
"""Six points of it in chunk 1, four in chunk 2."""
Row = dict[str, Any]


def hit(chunk: int, rank: int, **more: Any) -> Row:
    """A candidate that both legs had at `rank`, fused and final at it too."""
    row = {"chunk": chunk, "final_rank": rank, "fate": "hit"}
    return row | {f"{what}_rank": rank for what in ("bm25", "vector", "fused")} | more


def dropped(chunk: int, stage: str, value: float | None, limit: float | None, **more: Any) -> Row:
    """A candidate that a stage dropped; its ranks are in `more`."""
    said = {"drop_stage": stage, "drop_reason": f"by {stage}", "drop_value": value, "drop_limit": limit}
    return {"chunk": chunk, "fate": "dropped", **said, **more}


def cut(chunk: int, rank: int, **more: Any) -> Row:
    """A candidate whose final place `rank` is beyond top_k."""
    return dropped(chunk, "cut", rank, 2, **{"fused_rank": rank, **more})


def window(rows: list[Row], *, reranked: bool = False) -> pl.DataFrame:
    """The candidates of query 0; a leg gave what it ranked to the fusion, unless its norm says otherwise."""
    columns: dict[str, Any] = {"query": pl.Int64, "chunk": pl.Int64}
    for leg in ("bm25", "vector"):
        columns |= {f"{leg}_score": pl.Float64, f"{leg}_rank": pl.Int64, f"{leg}_norm": pl.Float64}
    columns |= {"fused_rank": pl.Int64, "final_rank": pl.Int64, "fate": pl.String}
    columns |= {"rerank_rank": pl.Int64} if reranked else {}
    columns |= {
        "drop_stage": pl.String,
        "drop_reason": pl.String,
        "drop_value": pl.Float64,
        "drop_limit": pl.Float64,
    }
    filled = []
    for row in rows:
        norms = {f"{n}_norm": 0.5 if row.get(f"{n}_rank") else None for n in ("bm25", "vector")}
        filled.append({"query": 0, **norms, **row})
    return pl.DataFrame(filled, schema=columns)


def attributed(
    item: tuple[str, int | None, int | None], rows: list[Row], context: list[int] | None = None, **limits: Any
) -> Attributed:
    """What becomes of one item."""
    doc_id, start, end = item
    schema = {"query": pl.Int64, "doc_id": pl.String, "start": pl.Int64, "end": pl.Int64, "grade": pl.Int64}
    gold = pl.DataFrame([(0, doc_id, start, end, 1)], schema=schema, orient="row")
    candidates = window(rows, reranked="pool" in limits)
    returned = [r["chunk"] for r in rows if "final_rank" in r] if context is None else context
    there = pl.DataFrame({"query": 0, "chunk": returned}, schema={"query": pl.Int64, "chunk": pl.Int64})
    return attribute(gold, CHUNKS, candidates, there, replace(LIMITS, **limits))


def one(*args: Any, **named: Any) -> Row:
    """The row of that item."""
    made = attributed(*args, **named)
    assert made.facts["n"] == 1
    (row,) = made.items.to_dicts()
    assert made.facts["stages"] == {s: int(s == row["stage"]) for s in STAGES}
    return row


def test_not_in_corpus() -> None:
    row = one(("c", 0, 5), [hit(0, 1)])
    assert (row["stage"], row["held"], row["covered"], row["chunk"]) == ("not_in_corpus", 0.0, 0.0, None)
    assert one(("c", None, None), [])["stage"] == "not_in_corpus"


def test_split_by_chunking() -> None:
    """Chunk 1 holds six of ten points and is a hit, chunk 2 the other four and is none."""
    row = one(ACROSS, [hit(1, 1), cut(2, 3, bm25_rank=9)])
    assert (row["stage"], row["held"], row["covered"]) == ("split_by_chunking", 6 / 10, 6 / 10)
    assert (row["chunk"], row["final_rank"]) == (1, 1)


def test_outside_window() -> None:
    row = one(INSIDE, [hit(0, 1), hit(2, 2)])
    assert (row["stage"], row["held"], row["covered"], row["chunk"]) == ("outside_window", 1.0, 0.0, 1)
    assert (row["bm25_rank"], row["fused_rank"], row["drop_value"]) == (None, None, None)


def test_filtered() -> None:
    row = one(INSIDE, [dropped(1, "filter", None, None, bm25_rank=1, bm25_norm=None)])
    assert (row["stage"], row["bm25_rank"], row["drop_reason"]) == ("filtered", 1, "by filter")


def test_below_similarity() -> None:
    row = one(
        INSIDE, [dropped(1, "threshold", 0.2, 0.4, vector_rank=7, vector_score=0.2, vector_norm=None)],
        similarity=0.4,
    )  # fmt: skip
    assert (row["stage"], row["drop_value"], row["drop_limit"]) == ("below_similarity", 0.2, 0.4)


def test_below_similarity_by_a_leg_that_withheld_it() -> None:
    """The vector leg had it first, but below the threshold; what was left of it came to place 3."""
    withheld = {"vector_rank": 1, "vector_score": 0.3, "vector_norm": None, "bm25_rank": 8}
    row = one(INSIDE, [hit(0, 1), hit(2, 2), cut(1, 3, **withheld)], similarity=0.4)
    assert (row["stage"], row["drop_reason"]) == ("below_similarity", "vector similarity below the threshold")
    assert (row["drop_value"], row["drop_limit"]) == (0.3, 0.4)


def test_below_score() -> None:
    row = one(INSIDE, [dropped(1, "threshold", 0.1, 0.5, fused_rank=4, bm25_rank=4)])
    assert (row["stage"], row["fused_rank"], row["drop_value"], row["drop_limit"]) == (
        "below_score",
        4,
        0.1,
        0.5,
    )


def test_fusion() -> None:
    """bm25 alone would have returned it: its second hit, and top_k is 2."""
    row = one(INSIDE, [hit(0, 1, bm25_rank=1), hit(2, 2, bm25_rank=3), cut(1, 3, bm25_rank=2)])
    assert (row["stage"], row["bm25_rank"], row["fused_rank"]) == ("fusion", 2, 3)
    assert one(INSIDE, [cut(1, 3, bm25_rank=3, vector_rank=3)])["stage"] == "top_k"


def test_fusion_counts_places_among_what_the_leg_gave() -> None:
    """Its third hit is the second that the filter lets through."""
    before = dropped(4, "filter", None, None, bm25_rank=1, bm25_norm=None)
    rows = [before, hit(0, 1, bm25_rank=2), hit(2, 2, bm25_rank=None), cut(1, 3, bm25_rank=3)]
    assert one(INSIDE, rows)["stage"] == "fusion"
    assert one(INSIDE, rows[1:])["stage"] == "top_k"  # without a filter a rank is a place


def test_beyond_pool() -> None:
    rows = [
        hit(0, 1, rerank_rank=1),
        hit(2, 2, rerank_rank=2),
        cut(3, 3, rerank_rank=3),
        cut(1, 4, bm25_rank=4),
    ]
    row = one(INSIDE, rows, pool=3)
    assert (row["stage"], row["fused_rank"], row["rerank_rank"]) == ("beyond_pool", 4, None)


def test_rerank() -> None:
    """The second of the fused order, the third of the reranker's."""
    rows = [
        hit(0, 1, rerank_rank=1),
        hit(2, 2, fused_rank=3, rerank_rank=2),
        cut(1, 3, fused_rank=2, bm25_rank=1, rerank_rank=3),
    ]
    row = one(INSIDE, rows, pool=3)
    assert (row["stage"], row["fused_rank"], row["rerank_rank"]) == ("rerank", 2, 3)
    assert (row["drop_value"], row["drop_limit"]) == (3, 2)


def test_top_k() -> None:
    row = one(INSIDE, [hit(0, 1), hit(2, 2), cut(1, 3, bm25_rank=3)])
    assert (row["stage"], row["drop_value"], row["drop_limit"]) == ("top_k", 3, 2)


def test_expansion_recovered() -> None:
    row = one(INSIDE, [hit(0, 1)], context=[0, 1], neighbors=(0, 1))
    assert (row["stage"], row["covered"], row["covered_expanded"]) == ("expansion_recovered", 0.0, 1.0)


def test_a_window_can_carry_what_no_chunk_holds() -> None:
    """Chunk 1 with its next holds all of it: as a hit it brings it, else its own rank says what lost it."""
    row = one(ACROSS, [hit(1, 1)], context=[1, 2], neighbors=(0, 1))
    assert (row["stage"], row["held"], row["covered"]) == ("expansion_recovered", 1.0, 6 / 10)
    row = one(ACROSS, [hit(0, 1), hit(4, 2), cut(1, 3, bm25_rank=3)], context=[0, 1, 4], neighbors=(0, 1))
    assert (row["stage"], row["chunk"], row["covered_expanded"]) == ("top_k", 1, 6 / 10)


def test_found() -> None:
    row = one(INSIDE, [hit(1, 1)])
    assert (row["stage"], row["covered"], row["chunk"], row["final_rank"]) == ("found", 1.0, 1, 1)


def test_several_hits_may_hold_it_together() -> None:
    row = one(ACROSS, [hit(1, 1), hit(2, 2)])
    assert (row["stage"], row["held"], row["covered"]) == ("found", 6 / 10, 1.0)


def test_a_document_is_held_by_any_chunk_of_it() -> None:
    assert one(("a", None, None), [hit(3, 1)])["stage"] == "found"
    row = one(("a", None, None), [hit(4, 1), cut(3, 5, bm25_rank=5), cut(1, 3, bm25_rank=4)])
    assert (row["stage"], row["chunk"], row["held"], row["covered"]) == ("top_k", 1, 1.0, 0.0)


def test_what_lies_in_no_chunk_counts_where_text_can_be_lost() -> None:
    """Points 40 to 50 are in no chunk: blank where the chunking is lossless, else lost."""
    past = ("a", 36, 50)
    assert one(past, [hit(3, 1)])["stage"] == "found"
    row = one(past, [hit(3, 1)], lossy=True)
    assert (row["stage"], row["held"]) == ("split_by_chunking", 4 / 14)
    assert one(("a", 40, 50), [hit(3, 1)])["stage"] == "not_in_corpus"


def test_the_carrier_that_came_furthest_decides() -> None:
    """Of document a one chunk is filtered, one cut, one below the score: the cut is the last of these."""
    rows = [
        hit(4, 1),
        dropped(0, "filter", None, None, bm25_rank=2, bm25_norm=None),
        cut(2, 2, bm25_rank=3),
        dropped(1, "threshold", 0.1, 0.5, fused_rank=3, bm25_rank=4),
    ]
    row = one(("a", None, None), rows, top_k=1)
    assert (row["stage"], row["chunk"]) == ("top_k", 2)


@pytest.mark.parametrize("pool", [None, 3])
def test_ceilings(pool: int | None) -> None:
    """Held by chunk 1, which bm25 has at 5 and the vector leg has not: in reach up to the window."""
    rows = [hit(0, 1), hit(2, 2), cut(1, 5, bm25_rank=5)]
    within = {"chunking": 1, "leg.bm25": 1, "leg.vector": 0, "window": 1, "cut": 0, "expansion": 0}
    said = attributed(INSIDE, rows, **({"pool": pool} if pool else {})).ceilings
    assert said == ({**within, "pool": 0} if pool else within)


def test_no_gold() -> None:
    gold = pl.DataFrame(schema={"query": pl.Int64, "doc_id": pl.String, "start": pl.Int64, "end": pl.Int64})
    made = attribute(gold, CHUNKS, window([hit(0, 1)]), pl.DataFrame({"query": [0], "chunk": [0]}), LIMITS)
    assert made.items.is_empty()
    assert made.facts["stages"] == dict.fromkeys(STAGES, 0)


def test_no_candidates() -> None:
    assert one(INSIDE, [])["stage"] == "outside_window"
