"""Mutation check: a stage of the pipeline is damaged on purpose, and the attribution moves to that stage."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from dataset.native_folders import Rows
from helpers import done, tiny

from runner import expansion, order, rescoring, selection
from runner.config import Threshold
from runner.dataset import stage as dataset_stage
from runner.fates import STAGES
from runner.fusion import stage as fusion_stage
from runner.reranker import stage as reranker_stage
from runner.retrieval import stage as retrieval_stage
from runner.strategy import fixed_size

WORDS = 12 * 40
"""Twelve documents of forty words, all different; a chunk has four of them."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each of 60 questions asks for the two words within a chunk and mentions a word of nine others.

    A quarter names one of the two, a quarter both, a quarter two words of the chunk before, a quarter none.
    """
    draw = random.Random(3)
    words = [f"word{i:03d}" for i in range(WORDS)]
    documents: Rows = [
        {"doc_id": f"d{d:02d}", "text": " ".join(words[d * 40 : d * 40 + 40]), "metadata": {"half": d % 2}}
        for d in range(12)
    ]
    queries: Rows = []
    gold: Rows = []
    for q in range(60):
        chunk = draw.choice([c for c in range(WORDS // 4) if c % 10])
        pair = words[chunk * 4 + 1 : chunk * 4 + 3]
        others = [words[c * 4] for c in draw.sample([c for c in range(WORDS // 4) if c != chunk], 9)]
        named = [pair[:1], pair, words[chunk * 4 - 3 : chunk * 4 - 1], []][q % 4]
        queries.append({"query_id": f"q{q:02d}", "text": " ".join([*named, *others])})
        gold.append({"query_id": f"q{q:02d}", "doc_id": f"d{chunk // 10:02d}", "quote": " ".join(pair)})
    return tiny(tmp_path_factory.mktemp("damage") / "data", documents=documents, queries=queries, gold=gold)


BASE: dict[str, Any] = {
    "retrieval": {"name": "hybrid", "legs": {"bm25": {"depth": 20}, "vector": {"depth": 20}}},
    "embedding__dimensions": 256,
    "fusion": "rrf",
    "top_k": 4,
}
Patch = pytest.MonkeyPatch


def _reversed(frame: pl.DataFrame, score: str) -> pl.DataFrame:
    return frame.with_columns(-pl.col(score))


def _fusion(patch: Patch) -> None:
    fuse = fusion_stage.fuse

    def damaged(*args: Any) -> pl.DataFrame:
        return order.ranked(_reversed(fuse(*args), "fused_score"), "fused_score", "fused_rank")

    patch.setattr(fusion_stage, "fuse", damaged)


def _reranker(patch: Patch) -> None:
    rescored = rescoring.rescored

    def damaged(*args: Any) -> rescoring.Rescored:
        made = rescored(*args)
        return replace(made, scores=_reversed(made.scores, "rerank_score"))

    patch.setattr(rescoring, "rescored", damaged)


def _pool(patch: Patch) -> None:
    pool = reranker_stage.pool

    def damaged(frame: pl.DataFrame, reranker: Any) -> pl.DataFrame:
        return pool(frame, reranker.model_copy(update={"pool": 1}))

    patch.setattr(reranker_stage, "pool", damaged)


def _legs(patch: Patch) -> None:
    """Half of the window, the worse one: a leg goes from a depth of 20 to 10 and loses its best."""
    search = retrieval_stage.search

    def damaged(*args: Any) -> retrieval_stage.LegHits:
        made = search(*args)
        half = made.frame.filter(pl.col("rank") > 10).with_columns(pl.col("rank") - 10)
        return replace(made, frame=half)

    patch.setattr(retrieval_stage, "search", damaged)


def _similarity(patch: Patch) -> None:
    by = selection.by_similarity
    patch.setattr(
        selection, "by_similarity", lambda f, leg, t: by(f, leg, Threshold(similarity=t.similarity + 0.65))
    )


def _score(patch: Patch) -> None:
    by = selection.by_score
    patch.setattr(selection, "by_score", lambda f, t: by(f, Threshold(score=t.score + 0.9)))


def _filter(patch: Patch) -> None:
    mask = dataset_stage.filter_mask
    patch.setattr(dataset_stage, "filter_mask", lambda *args: mask(*args) & False)


def _cut(patch: Patch) -> None:
    cut = selection.cut
    patch.setattr(selection, "cut", lambda f, score, rank, top_k: cut(f, score, rank, top_k - 3))


def _expansion(patch: Patch) -> None:
    """Off by one: the neighbor after the last is one too few."""
    windows = expansion.windows
    patch.setattr(expansion, "windows", lambda r, c, prev, following: windows(r, c, prev, following - 1))


def _chunker(patch: Patch) -> None:
    """Pieces of two words instead of four: the pair that a question asks for lies in two of them."""
    spans = fixed_size.FixedSize.spans

    def damaged(self: Any, text: str, tokens: Any) -> Sequence[tuple[int, int]]:
        return spans(self.model_copy(update={"size": 2}), text, tokens)

    patch.setattr(fixed_size.FixedSize, "spans", damaged)


def _corpus(patch: Patch) -> None:
    """The strategy loses the second half of every text, and the span law does not look."""
    spans = fixed_size.FixedSize.spans

    def damaged(self: Any, text: str, tokens: Any) -> Sequence[tuple[int, int]]:
        return [s for s in spans(self, text, tokens) if s[1] < len(text) / 2]

    patch.setattr(fixed_size.FixedSize, "spans", damaged)
    patch.setattr("runner.strategy.stage._no_gap", lambda *args: None)


RERANKED = {"reranker": {"name": "overlap", "pool": 15, "on_error": "raise"}}
CASES: dict[str, tuple[Callable[[Patch], None], dict[str, Any]]] = {
    "not_in_corpus": (_corpus, {}),
    "split_by_chunking": (_chunker, {}),
    "outside_window": (_legs, {}),
    "filtered": (_filter, {"filter": {"half": 0}}),
    "below_similarity": (_similarity, {"retrieval": "vector", "threshold": {"similarity": 0.1}}),
    "below_score": (_score, {"fusion": "bonus", "threshold": {"score": 0.3}}),
    "fusion": (_fusion, {}),
    "beyond_pool": (_pool, {**RERANKED, "fusion": {"name": "bonus", "weight": 0.0}, "top_k": 1}),
    "rerank": (_reranker, RERANKED),
    "top_k": (_cut, {}),
}


@pytest.mark.parametrize("stage", CASES)
def test_damage_is_attributed_to_the_stage_that_has_it(
    stage: str, data: Path, tmp_path: Path, monkeypatch: Patch
) -> None:
    damage, changes = CASES[stage]
    sound = done(data, tmp_path / "sound", **{**BASE, **changes})
    damage(monkeypatch)
    broken = done(data, tmp_path / "broken", **{**BASE, **changes})
    before, after = (r.meta["attribution"]["stages"] for r in (sound, broken))
    assert sum(before.values()) == sum(after.values()) == 60
    grown = {s: after[s] - before[s] for s in STAGES}
    assert max(grown, key=lambda s: grown[s]) == stage, grown
    assert grown[stage] >= 7
    assert broken.meta["attribution"]["ceilings"]["cut"] == after["found"] <= before["found"]


def test_a_window_that_is_off_by_one_recovers_less(data: Path, tmp_path: Path, monkeypatch: Patch) -> None:
    """What only the last neighbor brought goes back to the stage that had lost it before the expansion."""
    changes = {**BASE, "top_k": 2, "neighbor_next": 1, "neighbor_prev": 0}
    sound = done(data, tmp_path / "sound", **changes)
    plain = done(data, tmp_path / "plain", **{**changes, "neighbor_next": 0})
    _expansion(monkeypatch)
    broken = done(data, tmp_path / "broken", **changes)
    stages = [r.table("attribution")["stage"].to_list() for r in (sound, plain, broken)]
    recovered = [i for i, s in enumerate(stages[0]) if s == "expansion_recovered"]
    assert recovered
    assert stages[2] == stages[1]
    assert [i for i, (a, b) in enumerate(zip(stages[0], stages[2], strict=True)) if a != b] == recovered
    assert [r.meta["attribution"]["ceilings"]["expansion"] for r in (sound, broken)] == [
        60 - sum(s not in ("found", "expansion_recovered") for s in stages[0]),
        60 - sum(s != "found" for s in stages[1]),
    ]


def test_expansion_off_by_one_loses_what_only_a_window_holds(tmp_path: Path, monkeypatch: Patch) -> None:
    """The gold lies across two chunks, the first is a hit: without its next no chunk holds it."""
    text = " ".join(f"w{i}" for i in range(8))
    folder = tiny(
        tmp_path / "data",
        documents=[{"doc_id": "a", "text": text}],
        queries=[{"query_id": "q", "text": "w0"}],
        gold=[{"query_id": "q", "doc_id": "a", "quote": "w3 w4"}],
    )
    changes: dict[str, Any] = {"retrieval": "bm25", "neighbor_next": 1}
    sound = done(folder, tmp_path / "sound", **changes)
    assert sound.table("attribution")["stage"].to_list() == ["expansion_recovered"]
    _expansion(monkeypatch)
    broken = done(folder, tmp_path / "broken", **changes)
    assert broken.table("attribution")["stage"].to_list() == ["split_by_chunking"]
