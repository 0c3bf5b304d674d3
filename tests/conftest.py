"""Fixtures for all tests: a command line in a fresh folder, where no model, tracker or terminal is needed."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import helpers
import pytest
from command import Line


@pytest.fixture
def line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Line]:
    """Fresh folder, tiny data set under `data`, Hydra's changes to logging undone afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RUNNER_DATA", raising=False)
    helpers.tiny(tmp_path / "data")
    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield Line(tmp_path, capsys)
    root.handlers[:], root.level = before
