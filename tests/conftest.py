"""Fixtures for all tests: a command line in a fresh folder, where no model, tracker or terminal is needed."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import helpers
import pytest
from command import Line

from runner import store

os.environ["HF_HUB_OFFLINE"] = "1"  # read when a hub client is imported: no test asks the network


@pytest.fixture(scope="session", autouse=True)
def _no_waiting_for_the_disk() -> Iterator[None]:
    """The store does not fsync here: that is for a power cut, and `test_store` sees to it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "sync", lambda path: None)
        yield


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
