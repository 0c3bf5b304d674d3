"""An old record is read as it was: the run folders kept in `tests/golden/kept` give the pages they gave.

`pages.json` beside them holds the digest of each page by template version. A change of a page that is meant
raises `frame.VERSION`, and the digests are written again: `python tests/report/test_golden.py`.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from runner import cli
from runner.named import open_experiment, run_keys
from runner.report import frame, site
from runner.runs import Run
from runner.store import check

GOLDEN = Path(__file__).parent.parent / "golden"
PAGES = GOLDEN / "pages.json"


def rendered(folder: Path) -> dict[str, str]:
    """SHA-256 of every page that the kept records give, rendered below `folder`."""
    outputs, reports = folder / "kept", folder / "reports"
    shutil.copytree(GOLDEN / "kept", outputs)
    found = open_experiment(outputs, "kept")
    site.render(found, reports, questions=30)
    site.single(found, reports, questions=30)
    pages = sorted(p for p in reports.rglob("*") if p.suffix in {".html", ".js", ".css"})
    return {p.relative_to(reports).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in pages}


def test_the_pages_of_this_template_version_have_their_bytes(tmp_path: Path) -> None:
    said = json.loads(PAGES.read_text("utf-8"))
    assert said["version"] == frame.VERSION, "write the digests again: python tests/report/test_golden.py"
    first, second = rendered(tmp_path / "one"), rendered(tmp_path / "two")
    assert first == second
    moved = [p for p in first | said["pages"] if first.get(p) != said["pages"].get(p)]
    assert moved == [], "a page changed: raise frame.VERSION if that is meant, and write the digests again"


def test_the_kept_folders_are_whole() -> None:
    keys = run_keys(GOLDEN / "kept")
    assert len(keys) == 2
    for key in keys:
        check(GOLDEN / "kept" / "runs" / key)
        assert Run(GOLDEN / "kept", key).meta["format"] == "runner/1"


@pytest.mark.parametrize(
    "words", [["ls"], ["show"], ["compare"], ["why"], ["inspect", "query", "q1"], ["report"], ["verify"]]
)
def test_every_view_reads_them(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(GOLDEN / "kept", tmp_path / "kept")
    assert cli.main([*words, "--outputs", str(tmp_path / "kept")]) == 0, capsys.readouterr().err


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        body = {"version": frame.VERSION, "pages": rendered(Path(made))}
    PAGES.write_text(json.dumps(body, indent=1) + "\n", "utf-8")
    sys.stdout.write(f"{len(body['pages'])} digests in {PAGES}\n")  # type: ignore[arg-type] # a dict
