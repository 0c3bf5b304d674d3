"""Attribution recomputed the slow and plain way from the raw hits of the legs agrees on every gold item."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attribution import naive
from attribution.questions import many
from dataset.real import real
from drawn import changes
from helpers import done, session

from runner import registry
from runner.fates import STAGES
from runner.pipeline import run
from runner.runs import Run

SEEDS = range(60)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One outputs folder for all configs."""
    at = tmp_path_factory.mktemp("naive")
    many(at / "data")
    return at


@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_configs(seed: int, place: Path) -> None:
    made = done(place / "data", place / "out", **changes(seed))
    assert sum(naive.check(made).values()) == made.meta["attribution"]["n"] > 40


def test_the_seeds_reach_every_fate(place: Path) -> None:
    """But `not_in_corpus`, which a lossless strategy over documents with text cannot have."""
    runs = [done(place / "data", place / "out", **changes(s)) for s in SEEDS]
    reached = {stage for r in runs for stage, n in r.meta["attribution"]["stages"].items() if n}
    assert reached == set(STAGES) - {"not_in_corpus"}


BASE: dict[str, Any] = {
    "tokenizer": {"name": "words"},
    "kg": {"name": "given"},
    "enrichment": {"name": "none"},
    "embedding": {"name": "hashing"},
    "retrieval": {"name": "hybrid", "legs": {"bm25": {"depth": 30}, "vector": {"depth": 30}}},
    "reranker": {"name": "none"},
    "metrics": {"name": "rank", "measures": ["R@5"]},
    "fusion": {"name": "rrf", "constant": 60, "weights": {}},
    "top_k": 5,
}
REAL: dict[str, dict[str, Any]] = {
    "guide": {
        "dataset": {"name": "guide"},
        "strategy": {"name": "fixed_size", "size": 40},
        "neighbor_prev": 1,
        "neighbor_next": 1,
        "reranker": {"name": "overlap", "pool": 10, "on_error": "raise"},
    },
    "chroma": {
        "dataset": {"name": "chroma"},
        "strategy": {"name": "fixed_size", "size": 150, "overlap": 0},
        "neighbor_next": 1,
        "reranker": {"name": "overlap", "pool": 20, "on_error": "raise"},
    },
    "chroma by sentences": {
        "dataset": {"name": "chroma"},
        "strategy": {"name": "sentence"},
        "fusion": {"name": "bonus", "weight": 0.3},
        "threshold": {"similarity": 0.2},
    },
    "scifact": {
        "dataset": {"name": "scifact"},
        "strategy": {"name": "document"},
        "fusion": {"name": "bonus", "weight": 0.3},
        "threshold": {"similarity": 0.3, "score": 0.4},
    },
}


@pytest.mark.parametrize("case", REAL)
def test_real_data(case: str, tmp_path: Path) -> None:
    if case != "guide":
        real(case.split(maxsplit=1)[0])
    config = registry.parse_run({**BASE, **REAL[case]})[0]
    made = Run(tmp_path, run(config, session(tmp_path)).run_key)
    assert len(naive.check(made)) > 3
