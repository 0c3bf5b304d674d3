"""A real browser for tests: pages from disk, off the network, with all they say and ask for written down.

Chromium is found on the path or named by RUNNER_CHROMIUM; axe-core, a checker of accessibility, in
`node_modules/` of the project or named by RUNNER_AXE (its `axe.min.js`). What is not there skips the tests
that need it and says how to get it; with RUNNER_BROWSER=required they fail instead, so that a CI that should
have a browser notices.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from house.source import ROOT

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def absent(what: str, how: str) -> Any:
    """Skip, or fail where a browser is required."""
    said = f"{what} is not here: {how}"
    if os.environ.get("RUNNER_BROWSER") == "required":
        pytest.fail(said)
    pytest.skip(said)


def chromium() -> str:
    """The path of a Chromium."""
    named = os.environ.get("RUNNER_CHROMIUM")
    found = named or next((p for n in NAMES if (p := shutil.which(n))), None)
    return found or absent("Chromium", "install the package chromium, or set RUNNER_CHROMIUM")


def axe_source() -> str:
    """The text of axe-core."""
    path = Path(os.environ.get("RUNNER_AXE") or ROOT / "node_modules" / "axe-core" / "axe.min.js")
    if not path.is_file():
        absent("axe-core", "npm install --no-save axe-core, or set RUNNER_AXE to its axe.min.js")
    return path.read_text("utf-8")


@contextmanager
def running() -> Iterator[Any]:
    """A headless browser, or a skip."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        absent("Playwright", "pip install playwright")
    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page in the browser and what happened there."""

    page: Any
    console: list[str] = field(default_factory=list)
    """Messages, errors of scripts and refusals of the policy."""
    requests: list[str] = field(default_factory=list)
    """What was asked for, but for the page itself and `data:`."""
    dialogs: list[str] = field(default_factory=list)

    def quiet(self, folder: Path) -> None:
        """Nothing was said, nothing outside the folder was asked for, nothing popped up."""
        assert self.console == []
        assert self.dialogs == []
        assert [r for r in self.requests if not r.startswith(folder.resolve().as_uri())] == []

    def violations(self) -> list[str]:
        """What axe-core finds wrong, each as rule and place."""
        self.page.evaluate(axe_source())
        options = {
            "preload": False,
            "runOnly": {"type": "tag", "values": WCAG},
        }  # it would fetch the style sheet
        found = self.page.evaluate("options => axe.run(document, options)", options)
        broken = [(v["id"], n) for v in found["violations"] for n in v["nodes"]]
        return [f"{rule}: {node['target']} {node['html'][:200]}" for rule, node in broken]

    def wide(self) -> int:
        """Pixels by which the page is wider than the window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - innerWidth"))


@contextmanager
def opened(browser: Any, path: Path, at: str = "", **how: Any) -> Iterator[Opened]:
    """A page from disk, off the network.

    Args:
        browser: of `running`.
        path: of the page.
        at: the rest of its address: `#technical`.
        how: options of a Playwright context: viewport, color_scheme, java_script_enabled, forced_colors.
    """
    options = {"viewport": {"width": 1280, "height": 900}, "offline": True, **how}
    context = browser.new_context(**options)
    page = context.new_page()
    seen = Opened(page)
    page.on("console", lambda m: seen.console.append(f"{m.type}: {m.text}"))
    page.on("pageerror", lambda e: seen.console.append(f"error: {e}"))
    page.on("request", lambda r: None if r.url.startswith("data:") else seen.requests.append(r.url))
    page.on("dialog", lambda d: (seen.dialogs.append(d.message), d.dismiss()))
    try:
        page.goto(path.resolve().as_uri() + at)
        yield seen
    finally:
        context.close()
