"""How fast the inspector answers: a run over SciFact (5,183 chunks, 300 questions), in fresh processes.

Usage: python tests/bench/inspect_speed.py [--repeat 5]   (needs RUNNER_DATA or ../shared/data)

Each question is put in a process of its own, with the run's files dropped from the page cache where the
system lets us. Printed are seconds from the command line to the answer (libraries that only this answer
needs are imported in it), processor time beside them, and the seconds of the imports that every verb pays.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from runner import registry
from runner.config import Runtime
from runner.pipeline import run
from runner.session import Session

CONFIG: dict[str, Any] = {
    "dataset": {"name": "scifact"},
    "tokenizer": {"name": "words"},
    "strategy": {"name": "document"},
    "kg": {"name": "given"},
    "enrichment": {"name": "none"},
    "embedding": {"name": "hashing", "dimensions": 384},
    "retrieval": {"name": "hybrid", "legs": {"bm25": {"depth": 100}, "vector": {"depth": 100}}},
    "fusion": {"name": "rrf"},
    "reranker": {"name": "overlap"},
    "metrics": {"name": "rank", "measures": ["nDCG@10", "R@100"]},
    "top_k": 10,
}
ASKED = """
import json, sys, time
start = time.perf_counter()
from runner.verbs.inspect import inspect
words = json.loads(sys.argv[1])
ready, worked = time.perf_counter(), time.process_time()
text, value, code = inspect(words)
done = time.perf_counter()
print(json.dumps([ready - start, done - ready, time.process_time() - worked]))
"""


def cold(outputs: Path) -> None:
    """Ask the system to forget what it has read of these files."""
    for path in outputs.rglob("*"):
        if path.is_file():
            handle = os.open(path, os.O_RDONLY)
            os.fsync(handle)
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(handle)


def timed(words: list[str], outputs: Path, repeat: int) -> list[float]:
    """Medians of seconds: to start, to answer, and of processor time to answer."""
    given = json.dumps([*words, "--outputs", str(outputs)])
    found = []
    for _ in range(repeat):
        cold(outputs)
        done = subprocess.run(
            [sys.executable, "-c", ASKED, given], capture_output=True, text=True, check=True
        )
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return [statistics.median(column) for column in zip(*found, strict=True)]


def main() -> None:
    """Print a line for every view, as text and as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    repeat = parser.parse_args().repeat
    with tempfile.TemporaryDirectory() as temp:
        outputs = Path(temp) / "outputs"
        session = Session(Runtime(outputs=str(outputs), progress=False))
        a, b = (run(registry.parse_run({**CONFIG, **c})[0], session).run_key for c in ({}, {"top_k": 5}))
        views = {
            "chunks": ["chunks", "4983", "--boundaries", "--health", "--run", a],
            "query, stored": ["query", "1", "--explain", "--show-misses", "--run", a],
            "query, new text": ["query", "do vitamins help?", "--explain", "--show-misses", "--run", a],
            "neighbors": ["neighbors", "4983#0000", "--run", a],
            "diff, one question": ["diff", a, b, "1"],
            "diff, whole run": ["diff", a, b],
        }
        for name, words in views.items():
            for form in ([], ["--json"]):
                start, answer, worked = timed([*words, *form], outputs, repeat)
                kind = "JSON" if form else "text"
                print(
                    f"{name:<20} {kind}  start-up {start:.2f} s, answer {answer:.2f} s (CPU {worked:.2f} s)"
                )


if __name__ == "__main__":
    main()
