"""`experiment=enrichment_ablation`: six headers, and to each data set the graph that it has."""

from __future__ import annotations

import pytest

from runner import compose
from runner.config import RunConfig
from runner.request import Request

PARTS = ["none", "title", "kg_header", "entities_only", "triples_only", "shuffled"]


def _cells(monkeypatch: pytest.MonkeyPatch, *words: str) -> list[RunConfig]:
    """The cells of a command line, which is stopped before any is run."""
    cells: list[RunConfig] = []

    def look(request: Request) -> None:
        cells.extend(c for _, c in request.cells or [] if isinstance(c, RunConfig))
        raise SystemExit(0)

    monkeypatch.chdir("/")
    monkeypatch.setattr(Request, "open", lambda self, folder: None)
    with pytest.raises(SystemExit):
        compose.launch(list(words), Request(look))
    return cells


def test_one_command_for_three_data_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = _cells(monkeypatch, "experiment=enrichment_ablation", "dataset=guide,redocred,twowiki")
    assert [(c.enrichment.name, c.dataset.name, c.kg.name) for c in cells] == [
        (part, dataset, kg)
        for part in PARTS
        for dataset, kg in (("guide", "given"), ("redocred", "given"), ("twowiki", "extract"))
    ]
    assert {c.retrieval.name for c in cells} == {"vector"}


def test_the_graph_that_is_asked_for_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [c.kg.name for c in _cells(monkeypatch, "dataset=twowiki", "kg=given")] == ["given"]
    assert [c.kg.name for c in _cells(monkeypatch, "dataset=guide", "kg=extract")] == ["extract"]
    assert [c.kg.name for c in _cells(monkeypatch, "-m", "dataset=twowiki", "kg=given,extract")] == [
        "given", "extract",
    ]  # fmt: skip
