"""What tests of the export start from: the tiny data set with a graph, and exports read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import helpers
from dataset.native_folders import Rows, folder, lines

from runner.export import forms
from runner.export.corpus import Corpus
from runner.runs import Run

MENTIONS: Rows = [
    {"mention_id": "m1", "doc_id": "birds", "start": 0, "end": 5, "entity_type": "BIRD", "text": "heron"},
    {"mention_id": "m2", "doc_id": "metals", "start": 0, "end": 6, "entity_type": "METAL", "text": "copper"},
]
NODES: Rows = [
    {"node_id": "n1", "label": "Heron", "type": "BIRD", "mention_ids": ["m1"]},
    {"node_id": "n2", "label": "Copper", "type": "METAL", "mention_ids": ["m2"]},
]
EDGES: Rows = [{"source": "n1", "label": "shines like", "target": "n2"}]
HERON = {
    "entities": ["Heron"],
    "entity_types": ["BIRD"],
    "neighbor_triples": ["Heron —shines like→ Copper"],
    "kg_node_ids": ["n1"],
    "neighbor_node_ids": ["n2"],
    "situating_sentence": None,
    "model_id": None,
}
"""The header of birds#0000; metals#0000 has the like of it, no other chunk has one."""


def with_graph(at: Path) -> Path:
    """The tiny data set with a graph of two entities."""
    parts = {"mentions": MENTIONS, "nodes": NODES, "edges": EDGES}
    files = {f"kg__{name}.jsonl": lines(rows) for name, rows in parts.items()}
    return folder(at, documents=helpers.DOCUMENTS, queries=helpers.QUERIES, gold=helpers.GOLD, **files)


def json_lines(run: Run, at: Path) -> list[dict[str, Any]]:
    """The run's corpus as JSON lines, read by Python's own reader."""
    forms.jsonl(Corpus(run), at)
    return [json.loads(line) for line in at.read_text("utf-8").splitlines()]


def parquet(run: Run, at: Path, *, context_columns: bool = False) -> Path:
    """The run's corpus as Parquet."""
    forms.parquet(Corpus(run), at, context_columns=context_columns)
    return at
