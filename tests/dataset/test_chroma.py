"""Chroma's five texts: exact spans from a made-up copy, and the real data as SOURCE.md counts them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from runner.dataset.chroma import CORPORA, Chroma
from runner.dataset.contract import locate
from runner.errors import DataError, RequestError


def reference(content: str, start: int, end: int) -> dict[str, Any]:
    return {"content": content, "start_index": start, "end_index": end}


def folder(at: Path, *rows: tuple[str, Any, str]) -> Path:
    for name in CORPORA:
        (at / f"{name}.md").write_bytes(f"½ the {name}\r\nends".encode())
    with (at / "questions_df.csv").open("w", newline="", encoding="utf-8") as f:
        writer = csv.writer(f)
        writer.writerow(["question", "references", "corpus_id"])
        writer.writerows((q, json.dumps(r), c) for q, r, c in rows)
    return at


def test_spans_are_code_points_of_the_bytes_as_they_are(tmp_path: Path) -> None:
    two = [reference("the", 2, 5), reference("ends", 15, 19)]
    rows = [("What,\nthen?", two, "finance"), ("Who?", [], "pubmed"), ("Why?", two[:1], "finance")]
    corpus = Chroma(path=str(folder(tmp_path, *rows))).load()
    assert corpus.documents.rows()[1] == ("finance", "½ the finance\r\nends", "", "{}")
    assert corpus.queries.rows() == [
        ("finance-001", "What,\nthen?", "[]"), ("finance-002", "Why?", "[]"), ("pubmed-001", "Who?", "[]"),
    ]  # fmt: skip
    assert corpus.judgments.rows() == [
        ("finance-001", "finance", 2, 5, 1),
        ("finance-001", "finance", 15, 19, 1),
        ("finance-002", "finance", 2, 5, 1),
    ]


def test_wrong_references_are_refused_with_their_line(tmp_path: Path) -> None:
    bad = [reference("the", 3, 6), reference("the", 2, 5), 7]
    at = folder(tmp_path, ("Fine?", [], "pubmed"), ("Who?", bad, "finance"), ("Where?", [], "mars"))
    with pytest.raises(DataError) as caught:
        Chroma(path=str(at)).load()
    message = str(caught.value)
    assert f"{at}/questions_df.csv:3: [3, 6) of 'finance' is not what `content` says" in message
    assert f"{at}/questions_df.csv:3: expected an object, found a whole number (7)" in message
    assert f"{at}/questions_df.csv:4: `corpus_id` is 'mars', which is none of chatlogs" in message
    corpus = Chroma(path=str(at), on_bad="skip").load()
    assert corpus.judgments.rows() == [("finance-001", "finance", 2, 5, 1)]
    assert corpus.rejected == {"not an object": 1, "unknown document": 1, "wrong span": 1}


def test_odd_folders(tmp_path: Path) -> None:
    at = folder(tmp_path)
    (at / "questions_df.csv").write_text("question,corpus\n")
    with pytest.raises(DataError, match="expected the columns corpus_id, question, references"):
        Chroma(path=str(at)).load()
    (at / "finance.md").unlink()
    with pytest.raises(DataError, match=r"has no finance\.md"):
        Chroma(path=str(at)).load()


def test_the_real_data_as_published() -> None:
    try:
        locate("chroma")
    except RequestError as e:
        pytest.skip(f"real data needed: {e}")
    corpus = Chroma().load()
    assert dict(corpus.documents.select("doc_id", pl.col("text").str.len_chars()).iter_rows()) == {
        "chatlogs": 40_000,
        "finance": 737_905,
        "pubmed": 500_000,
        "state_of_the_union": 48_051,
        "wikitexts": 118_372,
    }
    assert (len(corpus.queries), len(corpus.judgments)) == (472, 790)
    assert corpus.rejected == {}
    per_query = corpus.judgments.group_by("query_id").len()["len"]
    assert dict(per_query.value_counts().iter_rows()) == {1: 284, 2: 94, 3: 64, 4: 24, 5: 6}
    length = corpus.judgments.select(pl.col("end") - pl.col("start"))["end"]
    assert round(float(length.sum()) / 790, 1) == 166.7
    assert round(float(length.sum()) / 472, 1) == 279.0
    per_corpus = corpus.queries.group_by(pl.col("query_id").str.replace(r"-\d+$", "")).len()
    assert dict(per_corpus.iter_rows()) == {
        "wikitexts": 144, "pubmed": 99, "finance": 97, "state_of_the_union": 76, "chatlogs": 56,
    }  # fmt: skip
