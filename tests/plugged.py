"""Plugins for tests: a small strategy as a file of its own, and a process that is told where it lies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from command import FAST, Line

from runner import plugins, registry

HALVES = '''"""`halves`: a document in two, cut at the token in its middle."""

from typing import Literal

from runner.strategy.contract import Span, SpanStrategy
from runner.tokenizer.contract import Tokens


class Halves(SpanStrategy):
    name: Literal["halves"] = "halves"
    share: float = 0.5

    def spans(self, text: str, tokens: Tokens) -> list[Span]:
        starts = tokens.offsets(text)[:, 0].tolist()
        cut = starts[int(len(starts) * self.share)]
        return [(0, cut), (cut, len(text))]
'''
YAML = "# A document in two.\nname: halves\nshare: 0.5\n"
PLAIN = tuple(w for w in FAST if not w.startswith("strategy"))


def written(at: Path, files: dict[str, str]) -> Path:
    """The folder `at` with these files."""
    for name, body in files.items():
        path = at / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, "utf-8")
    return at


@contextmanager
def plugged(*folders: Path) -> Iterator[None]:
    """In this process, as if it had been started with RUNNER_PLUGINS naming these folders."""
    caches = (plugins.found, plugins._folders, registry.names, registry.component_class)

    def forget() -> None:
        for cache in caches:
            cache.cache_clear()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plugins, "_named", os.pathsep.join(map(str, folders)))
        forget()
        yield
    forget()


def process(at: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`python -m runner` in the folder `at` over its tiny data set `data`, its YAMLs in `mine`."""
    given = {k: v for k, v in os.environ.items() if k not in {"RUNNER_PLUGINS", "RUNNER_DATA"}}
    command = [sys.executable, "-m", "runner", *PLAIN, "dataset.path=data", *words, "--config-dir", "mine"]
    return subprocess.run(
        command, cwd=at, env=given | environment, capture_output=True, text=True, check=False
    )


def refused(line: Line, *words: str) -> str:
    """What is said of a request that is wrong."""
    said = line(*PLAIN, "dataset.path=data", *words)
    assert said.code == 2
    return said.err


def runs(at: Path) -> dict[str, dict[str, Any]]:
    """The `run.json` of every run recorded under `at`, by run key."""
    return {p.parent.name: json.loads(p.read_text("utf-8")) for p in at.glob("outputs/runs/*/run.json")}
