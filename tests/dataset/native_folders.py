"""Small native folders for tests: two documents, two queries, one gold span, and whatever a test changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runner.dataset.contract import Corpus, OnBad
from runner.dataset.native import Native
from runner.errors import DataError

Rows = list[dict[str, Any]]
DOCUMENTS: Rows = [{"doc_id": "a", "text": "one two one"}, {"doc_id": "b", "text": "three"}]
QUERIES: Rows = [{"query_id": "q1", "text": "one?"}, {"query_id": "q2", "text": "nobody knows?"}]
GOLD: Rows = [{"query_id": "q1", "doc_id": "a", "start": 4, "end": 7}]


def lines(rows: Rows) -> bytes:
    return "".join(json.dumps(r) + "\n" for r in rows).encode()


def folder(
    at: Path,
    *,
    documents: Rows | None = DOCUMENTS,
    queries: Rows = QUERIES,
    gold: Rows = GOLD,
    **files: bytes,
) -> Path:
    """A native folder; `files` are further files, `__` standing for `/`."""
    at.mkdir(exist_ok=True)
    if documents is not None:
        (at / "documents.jsonl").write_bytes(lines(documents))
    (at / "queries.jsonl").write_bytes(lines(queries))
    (at / "gold.jsonl").write_bytes(lines(gold))
    for name, raw in files.items():
        path = at / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
    return at


def load(at: Path, on_bad: OnBad = "error") -> Corpus:
    return Native(path=str(at), on_bad=on_bad).load()


def spans(corpus: Corpus) -> list[tuple[int, int]]:
    return list(corpus.judgments.select("start", "end").iter_rows())


def refusal(at: Path) -> str:
    with pytest.raises(DataError) as caught:
        load(at)
    return str(caught.value)
