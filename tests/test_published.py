"""The page of published figures: made by the gate from what is recorded, and never behind the packs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from house.source import CONF, ROOT

from runner import gate, published
from runner.errors import RequestError

PACKS = gate.packs(CONF / "expected")
PAGE = (ROOT / "docs" / "published.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")


def _record(outputs: Path, name: str, mean: float) -> None:
    """As much of a sweep of one cell as the gate reads."""
    measures = [{"measure": "R@5", "mean": mean, "std": 0.0, "n": 4}]
    meta = {"config": {"top_k": 5}, "measures": measures, "seconds": {"retrieval": 1.25, "measures": 0.25},
            "keys": {}, "stages": [], "expansion": {}, "created": ""}  # fmt: skip
    sweep = {"name": name, "cells": [{"num": 0, "run": name}]}
    for kind, file, body in (("runs", "run.json", meta), ("experiments", "experiment.json", sweep)):
        folder = outputs / kind / name
        folder.mkdir(parents=True)
        (folder / file).write_text(json.dumps(body), "utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two packs: `a` of two lines, `b` of one."""
    made = tmp_path / "expected"
    made.mkdir()
    for name, lines in (("a", (0.5, 0.6)), ("b", (0.7,))):
        expected = [{"measure": "R@5", "expected": e, "tolerance": 0.05, "source": "s|t"} for e in lines]
        pack = {"experiment": name, "about": f"Of {name}.", "lines": expected}
        (made / f"{name}.yaml").write_text(yaml.safe_dump(pack), "utf-8")
    return made


def test_all_packs_or_those_that_are_recorded(folder: Path, tmp_path: Path) -> None:
    outputs = tmp_path / "outputs"
    with pytest.raises(RequestError, match=r"no sweep of an expected pack is recorded in .*experiment=a"):
        gate.outcomes(folder, outputs)
    _record(outputs, "a", 0.52)
    found = gate.outcomes(folder, outputs)
    assert [(o.name, len(o.checked)) for o in found] == [("a", 2), ("b", 0)]
    # 0.52 is 0.02 above 0.5, and 0.08 below 0.6: within twice of 0.05
    assert published.summary(found).splitlines()[2:] == [
        "| `a` | 2 | 1 | 1 | 0 | R@5 -0.0800 (of 0.05) | 2 |",
        "| all | 2 | 1 | 1 | 0 | R@5 -0.0800 (of 0.05) | 2 |",
    ]
    page = published.page(found)
    assert "| OK | the only one | R@5 | – | 0.50000 | 0.52000 | +0.02000 | 1.5 | s\\|t |" in page
    assert page.endswith("## b\n\n`python -m runner experiment=b`: Of b.\n\nNot recorded.")
    text = published.text(found)
    assert "b: not recorded; python -m runner experiment=b" in text
    assert text.endswith("2 lines, 0 failed")


def test_a_figure_there_is_not_is_the_furthest(folder: Path, tmp_path: Path) -> None:
    _record(tmp_path, "b", 0.7)
    pack = gate.load_pack("b", folder)
    gone = pack.lines[0].model_copy(update={"measure": "R@10"})
    pack = pack.model_copy(update={"lines": [*pack.lines, gone]})
    found = gate.Outcome("b", pack, gate.check_pack(pack, gate.candidates(tmp_path, "latest", "b")))
    assert "| `b` | 2 | 1 | 0 | 1 | R@10: not run | 2 |" in published.summary([found])


def _rows(text: str) -> list[list[str]]:
    """The cells of every row of the Markdown tables in `text`, heads and rules left out."""
    lines = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| ---")]
    rows = [[c.strip() for c in line.strip("|").split(" | ")] for line in lines]
    return [r for r in rows if r not in (gate.HEAD, published.SUMMARY)]


@pytest.mark.parametrize("name", PACKS)
def test_the_page_has_every_line_of_the_packs(name: str) -> None:
    """And its arithmetic holds: a figure of the page is as far from the pack's as it says."""
    pack = gate.load_pack(name, CONF / "expected")
    section = PAGE.split(f"\n## {name}\n")[1].split("\n## ")[0]
    assert " ".join(pack.about.split()) in section
    rows = _rows(section)
    assert len(rows) == len(pack.lines)
    for line, row in zip(pack.lines, rows, strict=True):
        bare = gate.row(gate.Checked(line, None, None, "FAIL", None))
        assert [*row[1:5], row[8]] == [*bare[1:5], bare[8]], f"make the page again: {published.COMMAND}"
        ours, off = float(row[5].replace(",", "")), float(row[6])
        assert ours - line.expected == pytest.approx(off, abs=1.1e-5)
        verdicts = [v for v, n in (("OK", 1), ("close", 2)) if abs(off) <= n * line.tolerance + 1e-5]
        assert row[0] in verdicts[:1], "the pages show no figure that failed"


def test_the_readme_shows_the_summary_of_the_page() -> None:
    summary = PAGE.split("\n\n")[3]
    assert summary.startswith("| experiment | figures |")
    assert summary in README
    counts = {r[0].strip("`"): int(r[1]) for r in _rows(summary)}
    expected = {n: len(gate.load_pack(n, CONF / "expected").lines) for n in PACKS}
    assert counts == {**expected, "all": sum(expected.values())}
