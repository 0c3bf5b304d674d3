"""An inspection of what is recorded loads no model, tracker or config library, and writes nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import helpers
import pytest

HEAVY = {"torch", "transformers", "sentence_transformers", "onnxruntime", "mlflow", "hydra", "omegaconf",
         "usearch", "huggingface_hub", "ir_measures"}  # fmt: skip
WORDS = [
    ["chunks", "birds", "--boundaries", "--health"],
    ["query", "finch magpie", "--explain", "--show-misses"],
    ["neighbors", "birds#0000"],
    ["diff", "latest", "latest"],
]
SCRIPT = """
import json, sys
from runner.cli import main
code = main(json.loads(sys.argv[1]))
print("\\n" + json.dumps([code, sorted({m.partition(".")[0] for m in sys.modules})]))
"""


@pytest.mark.parametrize("words", WORDS, ids=lambda w: w[0])
def test_nothing_heavy_is_loaded_and_nothing_is_written(tmp_path: Path, words: list[str]) -> None:
    run = helpers.done(helpers.tiny(tmp_path / "data"), tmp_path / "out")
    before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*")}
    given = ["inspect", *words, "--outputs", str(run.outputs)]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(given)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    code, loaded = json.loads(done.stdout.splitlines()[-1])
    assert code == 0, done
    assert not set(loaded) & HEAVY
    assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*")} == before
