"""The fate of a gold item in words: which value missed which limit, and what the stage before had."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Row = Mapping[str, Any]

MEANING = {
    "not_in_corpus": "no chunk has any of it",
    "split_by_chunking": "no chunk or window holds it whole",
    "outside_window": "no leg had it among its first hits",
    "filtered": "the metadata filter dropped it",
    "below_similarity": "below threshold.similarity",
    "below_score": "below threshold.score",
    "fusion": "a leg alone would have returned it",
    "beyond_pool": "the reranker never saw it",
    "rerank": "the fused order would have returned it",
    "top_k": "ranked below top_k throughout",
    "expansion_recovered": "in the context thanks to the neighbors",
    "found": "in the hits",
}
"""What each stage means, in a few words."""


def sentence(row: Row, legs: Mapping[str, int | None], config: Row, expansion: Row) -> str:
    """Why an item has its stage.

    Args:
        row: of `attribution.parquet`.
        legs: the rank of its chunk in each leg.
        config: of the run.
        expansion: `prev` and `next` as they took effect.
    """
    return _SAID[row["stage"]](row, legs, config, expansion)


def _split(row: Row, legs: Row, config: Row, expansion: Row) -> str:
    window = f" (with ±{expansion['prev']}/{expansion['next']})" if expansion["applied"] else ""
    return (
        f"no chunk{window} holds it whole: at most {row['held']:.0%}, in {row['chunk_id']}; "
        f"the context has {row['covered_expanded']:.0%}"
    )


def _outside(row: Row, legs: Row, config: Row, expansion: Row) -> str:
    depths = ", ".join(f"{name} {leg['depth']}" for name, leg in config["retrieval"]["legs"].items())
    return f"{row['chunk_id']} holds it, and no leg had a chunk that does within its depth ({depths})"


def _ranks(row: Row, legs: Row) -> str:
    """What is known of the deciding chunk before it was lost."""
    said = [f"{leg} {rank}" for leg, rank in legs.items() if rank is not None]
    said += [
        f"{name} {row[f]}" for name, f in (("fused", "fused_rank"), ("reranked", "rerank_rank")) if row.get(f)
    ]
    return f"{row['chunk_id']} ({', '.join(said)})"


def _filtered(row: Row, legs: Row, config: Row, expansion: Row) -> str:
    return f"{_ranks(row, legs)}: {row['drop_reason']}"


def _below(row: Row, legs: Row, config: Row, expansion: Row) -> str:
    return f"{_ranks(row, legs)}: {row['drop_reason']}, {row['drop_value']:.4f} < {row['drop_limit']:.4f}"


def _cut(row: Row, legs: Row, config: Row, expansion: Row) -> str:
    return f"{_ranks(row, legs)}: place {row['drop_value']:.0f}, top_k {row['drop_limit']:.0f}"


def _pool(row: Row, legs: Row, config: Row, expansion: Row) -> str:
    return f"{_cut(row, legs, config, expansion)}; the reranker saw the first {config['reranker']['pool']}"


_SAID: dict[str, Callable[[Row, Row, Row, Row], str]] = {
    "not_in_corpus": lambda row, *_: f"document {row['doc_id']} is in the corpus, and no chunk has any of it",
    "split_by_chunking": _split,
    "outside_window": _outside,
    "filtered": _filtered,
    "below_similarity": _below,
    "below_score": _below,
    "fusion": _cut,
    "beyond_pool": _pool,
    "rerank": _cut,
    "top_k": _cut,
    "expansion_recovered": lambda row, *_: f"a neighbor brought it; the hits have {row['covered']:.0%} of it",
    "found": lambda row, legs, *_: (
        f"hit {row['final_rank']}: {_ranks(row, legs)}"
        if row["final_rank"] and row["held"] == 1
        else "several hits hold it together"
    ),
}
