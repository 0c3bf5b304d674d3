"""What tests of comparisons start from: the tiny data set, and one run without and with neighbors."""

from __future__ import annotations

from pathlib import Path

import helpers
import pytest
from helpers import done

from runner.runs import Run


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    helpers.tiny(folder / "data")
    return folder


@pytest.fixture(scope="module")
def pair(at: Path) -> list[Run]:
    """The same run without and with a neighbor on either side."""
    return [done(at / "data", at / "out", neighbor_prev=n, neighbor_next=n) for n in (0, 1)]
