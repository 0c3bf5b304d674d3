"""Gold of the native form: spans in code points, quotes and documents, with the values written out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from dataset.native_folders import GOLD, folder, load, refusal, spans

from runner.errors import DataError


def test_a08_no_normalisation(tmp_path: Path) -> None:
    text = "cafe\u0301 ½ oﬃce"
    gold = [{"query_id": "q1", "doc_id": "a", "quote": "oﬃce"}]
    corpus = load(folder(tmp_path, documents=[{"doc_id": "a", "text": text}], gold=gold))
    assert corpus.documents["text"].to_list() == [text]
    assert spans(corpus) == [(8, 12)]


def test_offsets_are_code_points_beyond_the_basic_plane(tmp_path: Path) -> None:
    gold = [{"query_id": "q1", "doc_id": "a", "quote": "x"}]
    assert spans(load(folder(tmp_path, documents=[{"doc_id": "a", "text": "😀😀x"}], gold=gold))) == [(2, 3)]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"doc_id": "zz", "start": 0, "end": 1}, "judges document 'zz', which there is not"),
        ({"query_id": "zz", "doc_id": "a", "start": 0, "end": 1}, "judges query 'zz', which there is not"),
        ({"doc_id": "a", "start": 0, "end": 12}, "span [0, 12) is not within the 11 code points of 'a'"),
        ({"doc_id": "a", "start": 3, "end": 3}, "span [3, 3) is not within"),
        ({"doc_id": "a", "start": -1, "end": 3}, "span [-1, 3) is not within"),
        ({"doc_id": "a", "start": 0}, "a span needs both"),
        ({"doc_id": "a", "start": 0.0, "end": 1}, "`start` must be a whole number, found a number (0.0)"),
        ({"doc_id": "a", "start": True, "end": 2}, "`start` must be a whole number, found true/false"),
        ({"doc_id": "a", "start": 0, "end": 1, "grade": "1"}, "`grade` must be a whole number"),
        ({"doc_id": "a", "start": 0, "end": 1, "grade": 2**40}, "beyond 32 bits"),
        ({"doc_id": "a", "start": 4, "end": 7}, "query 'q1' has this judgment already"),
        ({"doc_id": "a", "quote": "four"}, "the quote 'four' does not occur in 'a'"),
        ({"doc_id": "a", "quote": "One"}, "the quote 'One' does not occur in 'a'"),
        ({"doc_id": "a", "quote": " "}, "`quote` is blank"),
        ({"doc_id": "a", "quote": "one"}, "occurs 2 times in 'a'; say which: `occurrence` from 1 to 2, or"),
        (
            {"doc_id": "a", "quote": "one", "occurrence": 3},
            "occurs 2 times in 'a', so there is no occurrence 3",
        ),
        ({"doc_id": "a", "quote": "one", "occurrence": 0}, "there is no occurrence 0"),
        ({"doc_id": "a", "quote": "one", "occurrence": "first"}, '`occurrence` must be "all" or a number'),
        ({"doc_id": "a", "start": 0, "end": 3, "occurrence": 1}, "the `quote` it counts is not"),
        ({"doc_id": "a", "start": 1, "end": 4, "quote": "one"}, "[1, 4) of 'a' is not the quote 'one'"),
    ],
)
def test_bad_gold_is_refused_with_its_line(tmp_path: Path, row: dict[str, Any], reason: str) -> None:
    at = folder(tmp_path, gold=[*GOLD, {"query_id": "q1", **row}])
    assert f"{at}/gold.jsonl:2: " in refusal(at)
    assert reason in refusal(at)
    skipped = load(at, "skip")
    assert spans(skipped) == [(4, 7)]
    assert sum(skipped.rejected.values()) == 1


@pytest.mark.parametrize(
    ("more", "right"),
    [
        ({"occurrence": "all"}, [(0, 3), (8, 11)]),
        ({"occurrence": 1}, [(0, 3)]),
        ({"occurrence": 2}, [(8, 11)]),
        ({"start": 8, "end": 11}, [(8, 11)]),
    ],
)
def test_a_quote_that_occurs_twice(
    tmp_path: Path, more: dict[str, Any], right: list[tuple[int, int]]
) -> None:
    gold = [{"query_id": "q1", "doc_id": "a", "quote": "one", **more}]
    assert spans(load(folder(tmp_path, gold=gold))) == right


def test_overlapping_places_are_places(tmp_path: Path) -> None:
    gold = [{"query_id": "q1", "doc_id": "a", "quote": "aa", "occurrence": "all"}]
    at = folder(tmp_path, documents=[{"doc_id": "a", "text": "aaa"}], gold=gold)
    assert spans(load(at)) == [(0, 2), (1, 3)]


def test_document_judgments_and_grades(tmp_path: Path) -> None:
    gold = [{"query_id": "q1", "doc_id": "b", "grade": 2}, {"query_id": "q1", "doc_id": "a", "grade": 0}]
    corpus = load(folder(tmp_path, gold=gold))
    assert corpus.judgments.rows() == [("q1", "a", None, None, 0), ("q1", "b", None, None, 2)]
    assert corpus.judgments.schema["start"] == pl.Int64()


def test_spans_and_documents_do_not_mix(tmp_path: Path) -> None:
    at = folder(tmp_path, gold=[*GOLD, {"query_id": "q1", "doc_id": "b"}])
    assert "a document is judged at" in refusal(at)
    assert "gold.jsonl:2 and a span is judged at" in refusal(at)
    with pytest.raises(DataError, match="all of one form"):
        load(at, "skip")
