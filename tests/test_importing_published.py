"""`data import` of real data sets: what comes out has the fingerprints of what their own loaders read."""

from __future__ import annotations

from typing import Any

import pytest
from command import Line

from runner.dataset.contract import Dataset, data_root
from runner.dataset.native import Native
from runner.dataset.stage import fingerprints
from runner.registry import as_contract, parse

_FOUND = data_root()
ROOT = _FOUND.resolve() if _FOUND else None
"""As it is before a test goes to a folder of its own."""
CASES: list[tuple[str, str, list[str], dict[str, Any]]] = [
    ("quotes", "chroma/questions_df.csv", [], {"name": "chroma", "path": "chroma"}),
    ("beir", "scifact/beir", [], {"name": "scifact", "path": "scifact/beir"}),
    ("squad", "xquad/xquad.en.json", [], {"name": "xquad", "path": "xquad", "language": "en"}),
    (
        "squad",
        "xquad/xquad.zh.json",
        ["--layout", "paragraphs", "--gold", "documents", "--unique-questions"],
        {
            "name": "xquad", "path": "xquad", "language": "zh",
            "layout": "paragraphs", "gold": "documents", "unique_questions": True,
        },
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "source", "options", "direct"), CASES, ids=lambda c: str(c)[:24])
def test_an_import_is_what_the_loader_reads(
    line: Line, kind: str, source: str, options: list[str], direct: dict[str, Any]
) -> None:
    if ROOT is None or not (ROOT / source).exists():
        pytest.skip(f"REAL DATA NOT IMPORTED: no {source} under RUNNER_DATA or ../shared/data")
    said = line("data", "import", kind, str(ROOT / source), "--to", "made", *options)
    assert said.code == 0, said.err
    loaded = as_contract(parse("dataset", {**direct, "path": str(ROOT / direct["path"])}), Dataset).load()
    back = Native(path=str(line.at / "made")).load()
    assert fingerprints(back) == fingerprints(loaded)
    checked = line("data", "check", "made")
    assert checked.code == 0, checked.out
