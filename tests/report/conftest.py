"""Two sweeps that the tests of the report read and never change; a browser, and the gallery open in it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from report import gallery
from report.browser import Opened, opened, running
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


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium, or a skip that says how to get one."""
    with running() as found:
        yield found


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the gallery, beside its assets and as one file."""
    folder = tmp_path_factory.mktemp("site")
    gallery.write(folder)
    gallery.write(folder, inside=True)
    return folder


@pytest.fixture
def seen(browser: Any, site: Path) -> Iterator[Opened]:
    """The technical view of the gallery, which must stay quiet whatever a test does there."""
    with opened(browser, site / "x" / "gallery.html", "#technical") as found:
        yield found
        found.quiet(site)
