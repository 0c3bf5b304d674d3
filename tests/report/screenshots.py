"""The screenshots of `docs/screenshots`, of the guide's example: python tests/report/screenshots.py.

Runs the sweep of the README in a temporary folder and photographs its pages in a headless Chromium.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))
from report.browser import running

from runner import cli

PLACE = Path(__file__).parent.parent.parent / "docs" / "screenshots"
SWEEP = ("-m", "strategy=fixed_size", "neighbor_prev=0,1,2", "neighbor_next=0,1", "experiment.name=guide",
         "tracking=off", "runtime.progress=false")  # fmt: skip


def shots(reports: Path) -> dict[str, tuple[Path, str, dict[str, Any]]]:
    """By name of the picture: the page, the rest of its address, options of the browser."""
    (page,) = reports.glob("guide-*/index.html")
    keys = [p.stem for p in sorted((reports / "data").glob("*.js"))][:3]
    question = sorted(p for p in (page.parent / "q").glob("*.html") if p.name != "index.html")[0]
    return {
        "list": (reports / "index.html", "", {"height": 420}),
        "managerial": (page, "", {"height": 1150}),
        "technical": (page, "#technical", {"height": 1150}),
        "question": (question, "", {"height": 1150}),
        "compare": (reports / "compare.html", f"#runs={','.join(keys)}", {"height": 1150}),
        "dark": (page, "", {"height": 700, "dark": True}),
    }


def main() -> None:
    """Run, photograph, write."""
    PLACE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), running() as browser:
        if cli.main(SWEEP) != 0:
            sys.exit("the sweep failed")
        for name, (path, at, how) in shots(Path(folder) / "reports").items():
            context = browser.new_context(
                viewport={"width": 1280, "height": how["height"]},
                color_scheme="dark" if how.get("dark") else "light",
                offline=True,
            )
            page = context.new_page()
            page.goto(path.resolve().as_uri() + at)
            page.wait_for_timeout(1500)
            page.screenshot(path=str(PLACE / f"{name}.png"))
            context.close()


if __name__ == "__main__":
    main()
