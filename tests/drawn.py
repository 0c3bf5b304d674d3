"""Random but valid configs over the tiny data set: every stage on and off, small depths, ties."""

from __future__ import annotations

import random
from typing import Any

from helpers import choice


def changes(seed: int) -> dict[str, Any]:
    """Changes to `helpers.raw` that the seed decides."""
    draw = random.Random(seed)
    retrieval = draw.choice(["bm25", "vector", "hybrid", "hybrid", "hybrid"])
    fusion = draw.choice(["rrf", "bonus", "weighted"])
    out: dict[str, Any] = {
        "retrieval": choice("retrieval", retrieval),
        "fusion": choice("fusion", fusion),
        "strategy": draw.choice(
            [{"name": "fixed_size", "size": s, "overlap": o} for s, o in ((4, 0), (3, 1), (2, 0), (5, 4))]
            + [choice("strategy", "document")]
        ),
        "reranker": draw.choice(
            [choice("reranker", "none"), {"name": "overlap", "pool": draw.randint(1, 5), "on_error": "raise"}]
        ),
        "filter": draw.choice([{}, {}, {"lang": "en"}, {"year": ["2020"]}, {"kind": "wild", "lang": "en"}]),
        "top_k": draw.randint(1, 7),
        "neighbor_prev": draw.randint(0, 2),
        "neighbor_next": draw.randint(0, 2),
        "threshold": {
            "similarity": draw.choice([None, None, 0.0, 0.05, 0.3]),
            "score": draw.choice([None, None, 0.016, 0.3]) if fusion != "rrf" else draw.choice([None, 0.016]),
        },
    }
    for leg in out["retrieval"]["legs"].values():
        leg["depth"] = draw.choice([2, 4, 100])
    if fusion == "rrf":
        out["fusion"]["constant"] = draw.choice([0, 5, 60])
    if fusion == "weighted" and retrieval == "hybrid":
        out["fusion"]["weights"] = draw.choice([{}, {"bm25": 0.3, "vector": 0.9}])
    if fusion == "bonus":
        out["fusion"]["weight"] = draw.choice([0.3, 0.0, 1.0])
    return out
