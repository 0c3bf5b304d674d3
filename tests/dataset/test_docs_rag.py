"""`docs_rag`: the counts of its SOURCE.md, what a text is made of, and the figures of BM25."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import helpers
import pytest
from dataset.real import real

from runner import pipeline, registry
from runner.dataset.docs_rag import DocsRag
from runner.errors import DataError
from runner.runs import Run

CHUNK = {"chunk_link": "l#a", "chunk_heading": "A", "text": "A\n\nbody", "summary": "About a."}


def write(at: Path, chunks: Any, questions: Any) -> Path:
    for name, body in (("anthropic_summary_indexed_docs", chunks), ("docs_evaluation_dataset", questions)):
        (at / f"{name}.json").write_text(json.dumps(body), encoding="utf-8")
    return at


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("text", "A\n\nbody"),
        ("heading_text", "A\nA\n\nbody"),
        ("heading_summary_text", "A\nAbout a.\nA\n\nbody"),
        ("heading_text_summary", "A\nA\n\nbody\nAbout a."),
    ],
)
def test_what_a_document_is_made_of(tmp_path: Path, text: Any, right: str) -> None:
    write(tmp_path, [CHUNK], [{"id": "q", "question": "?", "correct_chunks": ["l#a"]}])
    corpus = DocsRag(path=str(tmp_path), text=text).load()
    assert corpus.documents.rows() == [("l#a", right, "A", "{}")]
    assert corpus.situating is not None
    assert corpus.situating.rows() == [("l#a", "About a.", None, None)]
    assert corpus.judgments.rows() == [("q", "l#a", None, None, 1)]
    assert corpus.given is None


def test_what_is_wrong_has_its_place(tmp_path: Path) -> None:
    write(tmp_path, [CHUNK, {"chunk_link": "b"}], [{"id": "q", "question": "?", "correct_chunks": ["c", 1]}])
    with pytest.raises(DataError) as caught:
        DocsRag(path=str(tmp_path)).load()
    message = str(caught.value)
    assert "chunk 2: has no `chunk_heading`" in message
    assert "question 1: judges document 'c', which there is not" in message
    assert "question 1: `correct_chunks` must be text, found a whole number (1)" in message
    write(tmp_path, {}, [])
    with pytest.raises(DataError, match="expected a list"):
        DocsRag(path=str(tmp_path)).load()


def test_counts_of_the_source() -> None:
    real("docs_rag")
    corpus = DocsRag(text="text").load()
    assert (len(corpus.documents), len(corpus.queries), len(corpus.judgments)) == (232, 100, 192)
    assert corpus.documents["text"].str.len_chars().sum() == 858_446
    sizes = corpus.judgments.group_by("query_id").len()["len"].value_counts().sort("len").rows()
    assert sizes == [(1, 17), (2, 75), (3, 7), (4, 1)]


def test_the_figures_of_bm25(tmp_path: Path) -> None:
    """P .3933, R .6333, F1 of the means .4853, MRR .7733, k = 3, heading + text."""
    real("docs_rag")
    raw = helpers.raw(tmp_path, strategy="document", retrieval="bm25", dataset="docs_rag", top_k=3)
    raw["metrics"] = {"name": "rank", "measures": ["P@3", "R@3", "RR@3"]}
    done = pipeline.run(registry.parse_run(raw)[0], helpers.session(tmp_path / "outputs"))
    p, r, rr = (m["mean"] for m in Run(tmp_path / "outputs", done.run_key).measures)
    assert [round(v, 4) for v in (p, r, 2 * p * r / (p + r), rr)] == [0.3933, 0.6333, 0.4853, 0.7733]
