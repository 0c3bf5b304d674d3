"""The experiments without published figures run over any data set: gold spans or judged documents."""

from __future__ import annotations

from pathlib import Path

import helpers
import pytest
from command import Line

CELLS = {
    "chunking": (["strategy=fixed_size,sentence"], 2, 2),
    "hybrid": (["fusion=bonus,rrf"], 6, 4),  # a leg alone is one run, whatever the fusion
    "rerank": (["reranker=none,overlap", "top_k=3", "neighbor_next=1"], 2, 2),
}
"""What of the axes is run here, how many cells and runs that is; tests of each component have the rest."""


@pytest.fixture
def judged(tmp_path: Path) -> dict[str, Path]:
    """The tiny data set with spans as gold, and the same with whole documents."""
    whole = list({(g["query_id"], g["doc_id"]): 1 for g in helpers.GOLD})
    documents = [{"query_id": q, "doc_id": d} for q, d in whole]
    return {
        "spans": helpers.tiny(tmp_path / "spans"),
        "documents": helpers.tiny(tmp_path / "documents", gold=documents),
    }


@pytest.mark.parametrize("gold", ["spans", "documents"])
@pytest.mark.parametrize("name", CELLS)
def test_the_data_set_is_an_override(name: str, gold: str, judged: dict[str, Path], line: Line) -> None:
    axes, cells, runs = CELLS[name]
    fast = ["embedding=hashing", "tokenizer=words", "tracking=off", "dataset=native"]
    said = line(f"experiment={name}", *fast, f"dataset.path={judged[gold]}", *axes)
    assert said.code == 0, said.out + said.err
    assert line.experiments()[-1]["name"] == name
    assert (len(line.cells()), len(line.runs())) == (cells, runs)
    # Span measures ask for gold spans; of whole documents, rank measures and tokens are left.
    assert ("SpanR@" in said.out.split("note:")[0]) == (gold == "spans")
