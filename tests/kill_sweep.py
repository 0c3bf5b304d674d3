"""Kill a sweep at random moments, start it again until it ends by itself, and compare every byte it recorded.

By hand: `python tests/kill_sweep.py --times 20 [--seed 0] [--embedding minilm] [OVERRIDE …]`; the suite runs
a short form (test_kill.py). Exit code 0: every round ended with the bytes of an undisturbed sweep.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

SWEEP = (
    "tokenizer=words", "tracking=off", "-m", "strategy=fixed_size,sentence,recursive",
    "retrieval=bm25,hybrid",
)  # fmt: skip
"""Six runs over the packaged guide: three chunkings, their indexes and embeddings, and all that follows."""


def start(at: Path, words: Sequence[str]) -> subprocess.Popen[bytes]:
    """The sweep as a process of its own group, so that its workers die with it."""
    at.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "runner", *words]
    return subprocess.Popen(
        command, cwd=at, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )


def finish(process: subprocess.Popen[bytes]) -> None:
    """Wait for its end, which must be a good one."""
    _, err = process.communicate()
    if process.returncode != 0:
        raise RuntimeError(f"the sweep ended with {process.returncode}: {err.decode(errors='replace')}")


def undisturbed(at: Path, words: Sequence[str]) -> float:
    """Run the sweep to its end; returns the seconds it took."""
    began = time.perf_counter()
    finish(start(at, words))
    return time.perf_counter() - began


def killed(at: Path, words: Sequence[str], moments: random.Random, seconds: float, most: int) -> int:
    """Kill the sweep at random moments of `seconds` until it ends by itself or was killed `most` times.

    Returns:
        How many times it was killed; at the end it has always finished.
    """
    kills = 0
    while kills < most:
        process = start(at, words)
        try:
            process.wait(moments.uniform(0.1, 1.0) * seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            kills += 1
        else:
            finish(process)
            return kills
    finish(start(at, words))
    return kills


def recorded(at: Path) -> dict[str, bytes]:
    """Every table and TREC file of every run under `at`, by `run/file`."""
    files = sorted(p for p in at.glob("outputs/runs/*/*") if p.suffix in {".parquet", ".trec"})
    return {f"{p.parent.name}/{p.name}": p.read_bytes() for p in files}


def differences(one: Path, other: Path) -> list[str]:
    """The recorded files that only one of two folders has, or that differ."""
    a, b = recorded(one), recorded(other)
    return sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))


def leftovers(at: Path) -> list[str]:
    """Drafts that are still there though nobody writes any more."""
    return [p.relative_to(at).as_posix() for p in at.rglob(".draft-*")]


def main() -> int:
    """Rounds of killing until it was done often enough."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20, help="kills in all (20)")
    parser.add_argument("--seed", type=int, default=0, help="of the random moments (0)")
    parser.add_argument("--embedding", default="hashing", help="hashing, or minilm for the real model")
    parser.add_argument("overrides", nargs="*", help="of the sweep; none: six runs over the guide")
    given = parser.parse_args()
    words = [f"embedding={given.embedding}", *(given.overrides or SWEEP)]
    moments = random.Random(given.seed)
    with tempfile.TemporaryDirectory(prefix="runner-kill-") as folder:
        calm = Path(folder) / "calm"
        seconds = undisturbed(calm, words)
        say(f"undisturbed: {seconds:.1f} s, {len(recorded(calm))} files")
        kills, rounds, bad = 0, 0, 0
        while kills < given.times:
            at = Path(folder) / f"round-{rounds}"
            now = killed(at, words, moments, seconds, given.times - kills)
            wrong = [*differences(calm, at), *leftovers(at)]
            say(f"round {rounds}: killed {now} times, {'same bytes' if not wrong else f'DIFFERS: {wrong}'}")
            kills, rounds, bad = kills + now, rounds + 1, bad + bool(wrong)
        say(f"{kills} kills in {rounds} rounds, {bad} rounds differ")
    return 1 if bad else 0


def say(text: str) -> None:
    """Print at once: a person is watching."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
