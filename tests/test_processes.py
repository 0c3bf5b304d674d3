"""Several processes: one config is run once, shared work done once, and no process setting moves a byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from helpers import done, raw, recorded, tiny

from runner.runs import Run


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tiny(tmp_path / "data")


_PROCESS = """
import json, sys, time
from pathlib import Path
from runner import pipeline, registry
from runner.config import Runtime
from runner.session import Session

raw, outputs, go, ready = json.loads(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])
config, _ = registry.parse_run(raw)
session = Session(Runtime(outputs=outputs, threads=1, progress=False))
ready.touch()
while not go.exists():
    time.sleep(0.002)
made = pipeline.run(config, session)
print(json.dumps([made.run_key, made.found, made.counters]))
"""


Said = tuple[str, bool, dict[str, int]]


def _together(tmp_path: Path, raws: list[dict[str, Any]], **settings: str) -> list[Said]:
    """Run the configs in a process each, at the same time, over one outputs folder."""
    go = tmp_path / "go"
    ready = [tmp_path / f"ready{i}" for i in range(len(raws))]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _PROCESS, json.dumps(r), str(tmp_path / "out"), str(go), str(mine)],
            stdout=subprocess.PIPE, text=True, env=os.environ | settings,
        )
        for r, mine in zip(raws, ready, strict=True)
    ]  # fmt: skip
    while not all(p.exists() for p in ready) and all(p.poll() is None for p in running):
        time.sleep(0.01)
    go.touch()
    return [tuple(json.loads(p.communicate(timeout=60)[0])) for p in running]


def test_two_processes_with_one_config_run_it_once(data: Path, tmp_path: Path) -> None:
    said = _together(tmp_path, [raw(data), raw(data)])
    assert len({key for key, _, _ in said}) == 1
    assert sorted(found for _, found, _ in said) == [False, True]
    assert sum(c["texts_embedded"] for _, _, c in said) == 11
    assert recorded(Run(tmp_path / "out", said[0][0])) == recorded(done(data, tmp_path / "alone"))


def test_two_processes_with_two_configs_share_what_they_share(data: Path, tmp_path: Path) -> None:
    said = _together(tmp_path, [raw(data), raw(data, top_k=2, retrieval__legs__bm25__k1=0.9)])
    assert [found for _, found, _ in said] == [False, False]
    totals = {k: sum(c[k] for _, _, c in said) for k in ("texts_embedded", "chunkings_built", "searches_run")}
    assert totals == {"texts_embedded": 11, "chunkings_built": 1, "searches_run": 3}
    assert recorded(Run(tmp_path / "out", said[0][0])) == recorded(done(data, tmp_path / "alone"))


@pytest.mark.parametrize(("seed", "threads"), [("0", "1"), ("7", "4")])
def test_hash_seed_and_threads_do_not_move_a_byte(
    seed: str, threads: str, data: Path, tmp_path: Path
) -> None:
    changes: dict[str, Any] = {
        "reranker": "overlap", "neighbor_next": 1, "filter": {"lang": "en"}, "threshold": {"similarity": 0.0},
    }  # fmt: skip
    settings = {"PYTHONHASHSEED": seed, "POLARS_MAX_THREADS": threads, "OMP_NUM_THREADS": threads}
    ((key, _, _),) = _together(tmp_path, [raw(data, **changes)], **settings)
    right = done(data, tmp_path / "alone", **changes)
    assert key == right.key
    assert recorded(Run(tmp_path / "out", key)) == recorded(right)
