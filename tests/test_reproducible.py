"""The same request gives the same bytes: again, in a cold store or a warm one, after damage."""

from __future__ import annotations

import json
import logging
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from drawn import changes
from helpers import config, done, recorded, session, tiny

from runner import pipeline, record, registry
from runner.errors import RunnerError
from runner.runs import Run
from runner.store import MANIFEST
from runner.verbs import recompute

FILES = {*(f"{t}.parquet" for t in record.TABLES), "run.trec"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tiny(tmp_path / "data")


def test_the_same_config_twice_is_found(data: Path, tmp_path: Path) -> None:
    first = done(data, tmp_path / "out")
    before = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in first.path.iterdir()}
    again = pipeline.run(config(data), session(tmp_path / "out"))
    assert again.found
    assert again.run_key == first.key
    assert not any(again.counters.values())
    assert {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in first.path.iterdir()} == before
    assert set(recorded(first)) == FILES
    assert {p.name for p in before} == FILES | {"run.json", "config.yaml", MANIFEST}


@pytest.mark.parametrize("seed", range(6))
def test_a_warm_store_gives_the_bytes_of_a_cold_one(seed: int, data: Path, tmp_path: Path) -> None:
    """The same run alone, and after runs that filled the store with other chunkings, depths and vectors."""
    cold = done(data, tmp_path / "cold", **changes(seed))
    for other in random.Random(seed).sample(range(100, 200), 6):
        done(data, tmp_path / "warm", **changes(other))
    warm = done(data, tmp_path / "warm", **changes(seed))
    assert warm.key == cold.key
    assert recorded(warm) == recorded(cold)


def test_the_size_of_segments_moves_nothing(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = recorded(done(data, tmp_path / "a"))
    monkeypatch.setattr("runner.encoding._SLICE", 2)
    assert recorded(done(data, tmp_path / "b")) == right


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_recomputing_compares_equal(seed: int, data: Path, tmp_path: Path) -> None:
    run = done(data, tmp_path / "out", **changes(seed))
    rows = recompute.compare(run)
    assert [r["file"] for r in rows if not r["equal"]] == []
    assert {r["file"] for r in rows} >= FILES | {"run key", "key of chunks", "key of legs"}


def test_recomputing_names_what_differs(data: Path, tmp_path: Path) -> None:
    run = done(data, tmp_path / "out")
    (run.path / "context.parquet").write_bytes(b"other")
    with (data / "queries.jsonl").open("a") as f:
        f.write(json.dumps({"query_id": "q6", "text": "maple"}) + "\n")
    differ = {r["file"]: r["detail"] for r in recompute.compare(run) if not r["equal"]}
    assert {"run key", "key of legs", "context.parquet", "queries.parquet"} <= set(differ)
    assert "key of chunks" not in differ
    assert differ["run key"].startswith(f"recorded {run.key}, now ")


def _artifacts(outputs: Path, stage: str) -> list[Path]:
    return sorted(p.parent for p in (outputs / "store" / stage).rglob(MANIFEST))


@pytest.mark.parametrize("stage", ["corpus", "chunks", "vectors", "embedding", "index-bm25", "legs"])
@pytest.mark.parametrize("how", ["damaged", "gone"])
def test_what_is_damaged_or_gone_is_built_again_with_the_same_bytes(
    stage: str, how: str, data: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    out = tmp_path / "out"
    run = done(data, out)
    right = recorded(run)
    before = {f.name: f.read_bytes() for p in _artifacts(out, stage) for f in p.iterdir()}
    for folder in _artifacts(out, stage):
        if how == "gone":
            shutil.rmtree(folder)
            continue
        victim = max((f for f in folder.iterdir() if f.name != MANIFEST), key=lambda f: f.stat().st_size)
        body = bytearray(victim.read_bytes())
        body[len(body) // 2] ^= 0xFF
        victim.write_bytes(body)
    # Everything built from it goes too, so that it is asked for.
    shutil.rmtree(run.path)
    for later in {"chunks": ["embedding", "legs"], "vectors": ["legs"], "index-bm25": ["legs"]}.get(
        stage, []
    ):
        shutil.rmtree(out / "store" / later)
    with caplog.at_level(logging.WARNING):
        assert recorded(done(data, out)) == right
    assert ("set aside" in caplog.text) == (how == "damaged")
    assert {f.name: f.read_bytes() for p in _artifacts(out, stage) for f in p.iterdir()} == before


def test_a_damaged_run_is_named_set_aside_and_run_again(
    data: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run = done(data, tmp_path / "out")
    right = recorded(run)
    (run.path / "candidates.parquet").write_bytes(b"PAR1")
    with caplog.at_level(logging.WARNING):
        again = done(data, tmp_path / "out")
    assert "candidates.parquet: damaged" in caplog.text
    assert (again.key, recorded(again)) == (run.key, right)
    assert list((tmp_path / "out" / "store" / "damaged").glob("runs-*"))


def test_a60_resume_after_a_change_recomputes_what_moved_and_nothing_else(data: Path, tmp_path: Path) -> None:
    """Size 4, edited to 2, back to 4: each has its own run and bytes, and going back computes nothing."""
    out = tmp_path / "out"
    four = pipeline.run(config(data), session(out))
    right = recorded(Run(out, four.run_key))
    two = pipeline.run(config(data, strategy__size=2), session(out))
    assert two.run_key != four.run_key
    assert (two.counters["chunkings_built"], two.counters["texts_embedded"]) == (1, 12)  # questions are known
    back = pipeline.run(config(data), session(out))
    assert back.found
    assert not any(back.counters.values())
    assert recorded(Run(out, four.run_key)) == right


def test_a60_two_strategies_share_no_path(data: Path, tmp_path: Path) -> None:
    runs = [done(data, tmp_path / "out", strategy=s) for s in ("fixed_size", "sentence", "document")]
    assert len({r.meta["keys"]["chunks"] for r in runs}) == 3
    assert len({r.key for r in runs}) == 3
    for run in runs:
        assert recorded(run) == recorded(
            done(data, tmp_path / "alone", strategy=run.config["strategy"]["name"])
        )


def test_a60_a_raised_version_is_not_answered_with_old_outputs(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = done(data, tmp_path / "out")
    words = registry.component_class("strategy", "fixed_size")
    whole = words.spans  # type: ignore[attr-defined]
    monkeypatch.setattr(words, "version", 2)
    monkeypatch.setattr(words, "spans", lambda self, text, tokens: whole(self, text, tokens)[:1] or [])
    monkeypatch.setattr(words, "lossy", True)
    new = done(data, tmp_path / "out")
    assert new.key != old.key
    assert new.chunks.height == 3
    assert old.chunks.height == 6


def test_a_failed_run_leaves_no_run_and_can_be_taken_up(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RunnerError("the power went")

    with monkeypatch.context() as m:
        m.setattr("runner.conservation.candidates", fail)
        with pytest.raises(RunnerError, match="the power went"):
            done(data, tmp_path / "out")
    assert not list((tmp_path / "out" / "runs").glob("*"))
    taken_up = pipeline.run(config(data), session(tmp_path / "out"))
    assert not taken_up.found
    assert taken_up.counters["texts_embedded"] == taken_up.counters["searches_run"] == 0


def test_stored_vectors_are_the_encoders_bits(data: Path, tmp_path: Path) -> None:
    done(data, tmp_path / "out")
    encoder = config(data).embedding.load(1, "cpu")  # type: ignore[attr-defined]
    texts = [*Run(tmp_path / "out", done(data, tmp_path / "out").key).chunks["text"]]
    right = {v.tobytes() for v in encoder.encode(texts, lambda n: None).vectors}
    stored = [np.load(p / "vectors.npy") for p in _artifacts(tmp_path / "out", "vectors")]
    assert right <= {row.tobytes() for part in stored for row in part}
