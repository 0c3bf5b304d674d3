"""BEIR folders: titles, splits, forms of qrels; SciFact and 2WikiMultihopQA as their SOURCE.md count them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from runner.dataset.beir import Beir
from runner.dataset.contract import Corpus, OnBad, locate
from runner.dataset.scifact import Scifact
from runner.errors import DataError, RequestError

HEADER = "query-id\tcorpus-id\tscore\n"


def lines(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(r) + "\n" for r in rows).encode()


def folder(at: Path, qrels: str = HEADER + "q1\td1\t1\n") -> Path:
    (at / "qrels").mkdir()
    corpus = [
        {"_id": "d1", "title": "A title", "text": "a text", "metadata": {"url": "u", "deep": {"x": 1}}},
        {"_id": "d2", "title": "", "text": "no title", "extra": 1},
        {"_id": "d3", "title": "no text", "text": ""},
    ]
    (at / "corpus.jsonl").write_bytes(lines(*corpus))
    queries = [{"_id": "q1", "text": " first \n", "metadata": {}}, {"_id": "q2", "text": "second"}]
    (at / "queries.jsonl").write_bytes(lines(*queries))
    (at / "qrels" / "test.tsv").write_text(qrels)
    return at


def load(at: Path, on_bad: OnBad = "error") -> Corpus:
    return Beir(path=str(at), on_bad=on_bad).load()


def real(path: str) -> None:
    """Skip, saying how to mend it, where the real data are not there."""
    try:
        locate(path)
    except RequestError as e:
        pytest.skip(f"real data needed: {e}")


def test_title_is_prepended_and_queries_are_stripped(tmp_path: Path) -> None:
    corpus = load(folder(tmp_path))
    assert corpus.documents.rows() == [
        ("d1", "A title a text", "A title", '{"url":"u"}'),
        ("d2", "no title", "", "{}"),
        ("d3", "no text", "no text", "{}"),
    ]
    assert corpus.queries.rows() == [("q1", "first", "[]")]
    assert corpus.judgments.rows() == [("q1", "d1", None, None, 1)]
    assert corpus.rejected == {"query not judged in split test": 1}


def test_title_beside_the_text(tmp_path: Path) -> None:
    beside = Beir(path=str(folder(tmp_path)), title="separate", on_bad="skip").load()
    assert beside.documents.rows() == [
        ("d1", "a text", "A title", '{"url":"u"}'),
        ("d2", "no title", "", "{}"),
    ]
    assert beside.rejected == {"blank document": 1, "query not judged in split test": 1}


@pytest.mark.parametrize(
    "qrels",
    [
        HEADER + "q1\td1\t2\nq2\td2\t0\n",
        "q1\td1\t2\nq2\td2\t0\n",
        "q1\t0\td1\t2\r\nq2\t0\td2\t0\r\n\r\n",
        "q1 Q0 d1 2\nq2 Q0 d2 0",
        "\ufeff" + HEADER + "\nq2\td2\t0\nq1\td1\t2\n",
    ],
)
def test_forms_of_qrels(tmp_path: Path, qrels: str) -> None:
    corpus = load(folder(tmp_path, qrels))
    assert corpus.judgments.rows() == [("q1", "d1", None, None, 2), ("q2", "d2", None, None, 0)]
    assert corpus.rejected == {}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("q1\td9", "expected 3 columns (or TREC's 4), found 2"),
        ("q1\td2\thigh", "the grade must be a whole number"),
        ("q1\td2\t1.5", "the grade must be a whole number"),
        ("q1\td9\t1", "judges document 'd9', which there is not"),
        ("q9\td1\t1", "judges query 'q9', which there is not"),
        ("q1\td1\t1", "has this judgment already"),
    ],
)
def test_bad_qrels_are_refused_with_their_line(tmp_path: Path, line: str, reason: str) -> None:
    at = folder(tmp_path, HEADER + "q1\td1\t1\nq2\td1\t1\n" + line + "\n")
    with pytest.raises(DataError) as caught:
        load(at)
    assert f"qrels/test.tsv:4: {reason}" in str(caught.value).replace("query 'q1' has", "has")
    corpus = load(at, "skip")
    assert len(corpus.judgments) == 2
    assert sum(corpus.rejected.values()) == 1


def test_gzip_reads_as_plain(tmp_path: Path) -> None:
    at = folder(tmp_path)
    before = load(at)
    plain = at / "corpus.jsonl"
    (at / "corpus.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
    with pytest.raises(DataError, match=r"holds both corpus\.jsonl and corpus\.jsonl\.gz"):
        load(at)
    plain.unlink()
    assert load(at).documents.equals(before.documents)
    (at / "corpus.jsonl.gz").write_bytes(b"no gzip")
    with pytest.raises(DataError, match=r"corpus\.jsonl\.gz: cannot be read"):
        load(at)


def test_an_unknown_split_lists_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"did you mean 'test'\? Valid: test"):
        Beir(path=str(folder(tmp_path)), split="tset").load()


def test_a_split_without_judgments_is_no_data_set(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no judgment"):
        load(folder(tmp_path, HEADER))


def test_scifact_as_published() -> None:
    real("scifact/beir")
    corpus = Scifact().load()
    assert (len(corpus.documents), len(corpus.queries), len(corpus.judgments)) == (5183, 300, 339)
    assert corpus.rejected == {}
    assert corpus.queries["text"].str.len_chars().sum() == 27_104  # MTEB's descriptive statistics
    lengths = corpus.documents["text"].str.len_chars()
    assert (lengths.sum(), lengths.min(), lengths.max()) == (7_771_469, 221, 10_127)
    assert corpus.judgments["grade"].unique().to_list() == [1]


def test_twowiki_is_a_plain_beir_folder() -> None:
    real("twowiki/beir")
    corpus = Beir(path="twowiki/beir").load()
    assert (len(corpus.documents), len(corpus.queries), len(corpus.judgments)) == (6119, 101, 248)
