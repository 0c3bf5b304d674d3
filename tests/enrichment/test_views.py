"""The roll-up where people look: terminal, tracker, report."""

from __future__ import annotations

import json

import pytest
from command import Line
from enrichment.graphs import bring, graph

from runner.named import open_experiment
from runner.runs import Run
from runner.tracking import contents

GRAPH = graph(
    [("birds", 0, 5, "heron", 0.9), ("birds", 6, 13, "kestrel", 0.9), ("trees", 0, 5, "maple", 0.9)],
    [("heron", "Heron", 0.9), ("kestrel", "Kestrel", 0.9), ("maple", "Maple", 0.9)],
    [("heron", "hunts near", "kestrel", 0.9), ("heron", "is", "heron", 0.8), ("heron", "eyes", "maple", 0.7),
     ("heron", "shuns", "maple", 0.6)],
)  # fmt: skip
"""Two of six chunks have a header. The heron has four relations, of which it may contribute three:

    Heron, Kestrel | Heron —hunts near→ Kestrel; Heron —is→ Heron; Heron —eyes→ Maple
    Maple | Heron —eyes→ Maple; Heron —shuns→ Maple
"""
SAID = {
    "chunks": 6,
    "chunks_enriched": 2,
    "avg_neighbors_per_chunk": (3 + 1) / 2,
    "hub_entities_capped": 1,
    "avg_header_tokens": ((3 + 1 + 6 + 1 + 5 + 1 + 5) + (1 + 1 + 5 + 1 + 5)) / 2,
    "chunks_truncated_by_header": 0,
    "own_tokens_pushed_out": 0,
}


@pytest.fixture
def swept(line: Line) -> Line:
    """A sweep of two cells, without and with headers."""
    bring(GRAPH, line.at / "data")
    said = line.fast("-m", "enrichment=none,kg_header", "retrieval=vector")
    assert said.code == 0, said
    return line


def _run(line: Line, enrichment: str) -> Run:
    runs = open_experiment(line.outputs, "latest").runs.values()
    return next(r for r in runs if r.config["enrichment"]["name"] == enrichment)


def test_show(swept: Line) -> None:
    run = _run(swept, "kg_header")
    assert {k: run.meta["enrichment"][k] for k in SAID} == SAID
    said = swept("show", run.key).out
    for name, value in SAID.items():
        assert [str(value)] in [row.split()[1:] for row in said.splitlines() if row.startswith(f"{name} ")]
    assert json.loads(swept("show", run.key, "--json").out)["enrichment"] == run.meta["enrichment"]
    assert "chunks_enriched" not in swept("show", _run(swept, "none").key).out


def test_metrics_of_the_tracker(swept: Line) -> None:
    found = contents.metrics(_run(swept, "kg_header"))
    assert {k: found[f"enrichment/{k}"] for k in SAID} == SAID
    assert not [k for k in contents.metrics(_run(swept, "none")) if k.startswith("enrichment/")]


def test_the_report(swept: Line) -> None:
    (page,) = (p.read_text("utf-8") for p in (swept.at / "reports").glob("default-*/index.html"))
    table = page[page.index("Headers in the embedding input") :].split("</table>")[0]
    assert "Chunks with a header" in table
    assert table.count("<tr>") == 1 + 1  # the head, and the one cell with enrichment
    values = [part.split('"')[0] for part in table.split('data-value="')[1:]]
    shown = ("chunks_enriched", "avg_header_tokens", "avg_neighbors_per_chunk", "hub_entities_capped",
             "chunks_truncated_by_header", "own_tokens_pushed_out")  # fmt: skip
    assert values == [str(SAID[k]) for k in shown]


def test_the_report_of_a_sweep_without_enrichment_has_no_such_table(line: Line) -> None:
    assert line.fast("top_k=2").code == 0
    (page,) = (p.read_text("utf-8") for p in (line.at / "reports").glob("default-*/index.html"))
    assert "Headers in the embedding input" not in page
