"""Random configs: what a run records is what the slow and plain `reference` says it must."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
import reference
from drawn import changes
from helpers import done, tiny
from reference import Chunk, Row

from runner.dataset.stage import filter_mask
from runner.runs import Run

SEEDS = range(40)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One outputs folder for all configs, so that they share a store."""
    at = tmp_path_factory.mktemp("reference")
    tiny(at / "data")
    return at


def _chunks(run: Run, documents: pl.DataFrame) -> list[Chunk]:
    allowed = dict(zip(documents["doc_id"], filter_mask(documents, run.config["filter"]), strict=True))
    columns = run.chunks.select("chunk_id", "doc_id", "text", "tokens")
    return [Chunk(*row, allowed=allowed[row[1]]) for row in columns.iter_rows()]


def _legs(run: Run, query: int) -> dict[str, dict[int, float]]:
    """The hits of the legs as they lie in the store, for one query row."""
    folder = run.outputs / "store" / "legs"
    out = {}
    for leg in run.legs:
        hits = pl.read_parquet(folder / run.meta["keys"]["legs"][leg] / "hits.parquet").filter(query=query)
        out[leg] = dict(hits.select("chunk", "score").iter_rows())
    return out


def _near(value: float | None) -> Any:
    return None if value is None else pytest.approx(value, abs=1e-12)


def _expected(row: Row, chunks: list[Chunk], legs: list[str], config: dict[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {
        "chunk_id": chunks[row.chunk].chunk_id,
        "fused_score": _near(row.fused),
        "fused_rank": row.fused_rank,
        "final_score": _near(row.final_score),
        "final_rank": row.final_rank,
        "fate": "dropped" if row.final_rank is None else "hit",
    }
    stage, reason, value, limit = row.drop or (None, None, None, None)
    out |= {"drop_stage": stage, "drop_reason": reason, "drop_value": _near(value), "drop_limit": limit}
    for leg in legs:
        out |= {
            f"{leg}_score": row.score.get(leg),
            f"{leg}_rank": row.rank.get(leg),
            f"{leg}_norm": _near(row.norm.get(leg)),
        }
    if config["reranker"]["name"] != "none":
        out |= {"rerank_score": _near(row.rerank), "rerank_rank": row.rerank_rank}
    return out


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_is_what_the_reference_says(seed: int, place: Path) -> None:
    run = done(place / "data", place / "out", **changes(seed))
    documents = pl.read_parquet(place / "out/store/corpus" / run.meta["keys"]["corpus"] / "documents.parquet")
    chunks = _chunks(run, documents)
    ids = [c.chunk_id for c in chunks]
    knobs = (run.config["neighbor_prev"], run.config["neighbor_next"])
    prev, following = knobs if run.config["strategy"]["name"] == "fixed_size" else (0, 0)
    tables = {name: run.table(name) for name in ("candidates", "expansion", "context")}
    for i, (query_id, text) in enumerate(run.table("queries").select("query_id", "text").iter_rows()):
        rows = reference.candidates(run.config, _legs(run, i), chunks, text)
        mine = {name: t.filter(query_id=query_id).to_dicts() for name, t in tables.items()}
        right = [_expected(r, chunks, run.legs, run.config) for r in rows]
        assert [{k: c[k] for k in right[0]} for c in mine["candidates"]] == right
        hits = [r.chunk for r in rows if r.final_rank is not None]
        window = reference.windows(hits, chunks, prev, following)
        assert [(r["hit_rank"], r["offset"], r["chunk_id"], r["role"]) for r in mine["expansion"]] == [
            (rank, offset, ids[c], role) for rank, offset, c, role in window
        ]
        flat = reference.context(hits, window, chunks)
        assert [(r["position"], r["chunk_id"], r["role"], r["tokens"]) for r in mine["context"]] == [
            (p, ids[c], role, chunks[c].tokens) for p, (c, role) in enumerate(flat, 1)
        ]


def test_the_seeds_reach_every_stage(place: Path) -> None:
    """A guard for this file: what is drawn must exercise what it claims to."""
    runs = [done(place / "data", place / "out", **changes(s)) for s in SEEDS]
    stages = {s["stage"] for r in runs for s in r.meta["stages"]}
    assert {"filter", "threshold.similarity.vector", "threshold.score", "reranker", "cut"} <= stages
    formulas = {
        s["formula"].partition("(")[0][:3] for r in runs for s in r.meta["stages"] if s["stage"] == "fusion"
    }
    assert formulas == {"max", "sum", "ide"}
    drops = {
        (r[0], r[1])
        for run in runs
        for r in run.table("candidates").select("drop_stage", "drop_reason").unique().iter_rows()
    }
    assert len(drops) == 5
