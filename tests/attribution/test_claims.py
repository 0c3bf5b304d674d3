"""What a fate claims, tried out: the run with that one thing changed has the item in its context."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from attribution.questions import many
from drawn import changes
from helpers import choice, done

from runner.fates import FOUND
from runner.runs import Run

SEEDS = range(48)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One outputs folder for all configs."""
    at = tmp_path_factory.mktemp("claims")
    many(at / "data")
    return at


def _changes(seed: int) -> dict[str, Any]:
    """As `drawn`, without a threshold on the fused score; many with parents, many reranked."""
    draw = random.Random(seed)
    out = changes(seed)
    out["threshold"] = {**out["threshold"], "score": None}
    if seed % 4 == 1:
        out["retrieval"], out["filter"] = choice("retrieval", "vector"), {}
        out["reranker"] = {"name": "overlap", "pool": draw.randint(3, 8), "on_error": "raise"}
        out["threshold"]["similarity"] = None
    if seed % 3 == 0:
        out["strategy"] = {
            "name": "parent",
            "parent_unit": "window",
            "parent_size": draw.choice([4, 6]),
            "size": 2,
        }
    return out


def _stages(run: Run) -> list[str]:
    stages: list[str] = run.table("attribution")["stage"].to_list()
    return stages


def _alternatives(stage: str, run: Run, seed: int, place: Path) -> list[Run]:
    """The runs of which one has what `run` lost at `stage`."""
    mine = _changes(seed)

    def other(**more: Any) -> Run:
        return done(place / "data", place / "out", **{**mine, **more})

    if stage == "rerank":
        return [other(reranker="none")]
    if stage == "fusion":
        legs = mine["retrieval"]["legs"]
        alone = [{**choice("retrieval", n), "legs": {n: leg}} for n, leg in legs.items()]
        return [other(retrieval=leg, reranker="none") for leg in alone]
    if stage == "filtered":
        return [other(filter={}, threshold={"similarity": None, "score": None}, top_k=100)]
    if stage == "below_similarity":
        return [other(threshold={"similarity": None, "score": None}, top_k=100)]
    return [other(top_k=100)]


@pytest.mark.parametrize("seed", SEEDS)
def test_claims(seed: int, place: Path) -> None:
    run = done(place / "data", place / "out", **_changes(seed))
    stages = _stages(run)
    for stage in ("rerank", "fusion", "filtered", "below_similarity", "beyond_pool", "top_k"):
        lost = [i for i, s in enumerate(stages) if s == stage]
        if lost:
            others = [_stages(r) for r in _alternatives(stage, run, seed, place)]
            assert all(any(o[i] in FOUND for o in others) for i in lost), stage


@pytest.mark.parametrize("seed", SEEDS)
def test_top_k_says_how_much_larger(seed: int, place: Path) -> None:
    """With top_k at the place where the carrier came, the item is in the context."""
    run = done(place / "data", place / "out", **_changes(seed))
    lost = (
        run.table("attribution")
        .with_row_index("item")
        .filter(pl.col("stage").is_in(["top_k", "beyond_pool"]))
    )
    for place_of, items in lost.group_by("drop_value"):
        wider = _stages(done(place / "data", place / "out", **{**_changes(seed), "top_k": int(place_of[0])}))
        assert all(wider[i] in FOUND for i in items["item"])


def test_the_seeds_reach_every_claim(place: Path) -> None:
    runs = [done(place / "data", place / "out", **_changes(s)) for s in SEEDS]
    counts: Counter[str] = Counter()
    for run in runs:
        counts.update(run.meta["attribution"]["stages"])
    claims = ("rerank", "fusion", "filtered", "below_similarity", "beyond_pool", "top_k")
    assert min(counts[s] for s in claims) >= 9
    parents = Counter(s for r in runs if r.config["strategy"]["name"] == "parent" for s in _stages(r))
    assert min(parents[s] for s in ("rerank", "fusion", "top_k")) >= 4
