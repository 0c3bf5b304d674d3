"""The command line of this process in a folder of its own: what was said, and what it left there."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from runner.cli import main

FAST = ("embedding=hashing", "tokenizer=words", "tracking=off", "dataset=native", "strategy.size=4")
"""Overrides under which nothing has to be loaded or delivered."""


@dataclass(frozen=True)
class Said:
    """What a command line came to."""

    code: int
    out: str
    err: str


class Line:
    """The command line of this process, in the folder `at`."""

    def __init__(self, at: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.at = at
        self.outputs = at / "outputs"
        self._capture = capture

    def __call__(self, *words: str) -> Said:
        self._capture.readouterr()
        code = main(list(words))
        said = self._capture.readouterr()
        return Said(code, said.out, said.err)

    def fast(self, *words: str) -> Said:
        """A run or sweep over the tiny data set."""
        return self(*FAST, "dataset.path=data", *words)

    def refusal(self, *words: str) -> str:
        """What is said of a request that is wrong: exit code 2, and nothing was started."""
        said = self.fast(*words)
        assert said.code == 2, said
        assert self.runs() == []
        assert not list(self.outputs.glob("sweeps/*")), "the folder of a sweep was left behind"
        return said.err

    def runs(self) -> list[str]:
        return sorted(p.name for p in self.outputs.glob("runs/*"))

    def experiments(self) -> list[dict[str, Any]]:
        """What was recorded of every sweep, oldest first."""
        found = sorted(self.outputs.glob("experiments/*/experiment.json"), key=lambda p: p.stat().st_mtime_ns)
        return [json.loads(p.read_text("utf-8")) for p in found]

    def cells(self) -> list[dict[str, Any]]:
        """The cells of the newest sweep."""
        found: list[dict[str, Any]] = self.experiments()[-1]["cells"]
        return found

    def bytes(self) -> dict[str, bytes]:
        """Every table and TREC file of every run, by `run/file`."""
        files = [p for p in self.outputs.glob("runs/*/*") if p.suffix in {".parquet", ".trec"}]
        return {f"{p.parent.name}/{p.name}": p.read_bytes() for p in sorted(files)}
