"""Two sweeps that the tests of the report read and never change."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from report.pages import sweep


@pytest.fixture
def quiet() -> Iterator[None]:
    """Hydra's changes to logging undone."""
    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = before


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a mixed sweep, and a sweep over the neighbors of windows of 14 words."""
    home = tmp_path_factory.mktemp("report")
    root = logging.getLogger()
    before = root.handlers[:], root.level
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        assert sweep(home, "strategy=fixed_size,sentence", "neighbor_prev=0,1", name="mixed") == 0
        windows = ["strategy.size=14", "neighbor_prev=0,1", "neighbor_next=0,2"]
        assert sweep(home, *windows, name="windows") == 0
    root.handlers[:], root.level = before
    return home
