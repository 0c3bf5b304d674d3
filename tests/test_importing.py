"""`data import`: what every kind makes of a tiny source."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from command import Line
from importing_cases import BEIR, SGML, TOPICS, gold, imported, lines, put, queries, refused_again, texts

from runner.dataset.native import Native


def test_beir(line: Line) -> None:
    put(line.at, **BEIR)
    corpus = imported(line, "beir", "b", "--licence", "CC BY 4.0")
    assert texts(corpus) == {"d1": "Tea green\u2028leaf", "d2": "milk"}
    assert queries(corpus) == {"q1": "tea?"}
    assert gold(corpus) == [("q1", "d1", None, None, 2), ("q1", "d2", None, None, 0)]
    assert corpus.documents.rows()[1][3] == '{"x":1}'
    note = Path("made/SOURCE.md").read_text("utf-8")
    assert "- kind: beir" in note
    assert "- licence: CC BY 4.0" in note
    assert re.search(r"- date: \d{4}-\d\d-\d\d\n", note)
    assert "- left out: query not judged in split test: 1" in note
    for name in ("corpus.jsonl", "qrels/test.tsv"):
        digest = hashlib.sha256((line.at / "b" / name).read_bytes()).hexdigest()
        assert re.search(rf"\| {re.escape(name)} \| \d+ \| {digest} \|", note)
    assert str(line.at) not in note
    assert "--split: " in refused_again(line, "beir", "b", "--split", "dev")


def test_trec_sgml(line: Line) -> None:
    put(line.at, t__topics_dot_txt=TOPICS, t__qrels_dot_txt="7 0 D-1 1\n7 0 D-2 -1\n",
        t__documents__a_dot_gz=gzip.compress(SGML.encode()))  # fmt: skip
    corpus = imported(line, "trec", "t")
    assert texts(corpus) == {"D-1": "Black tea It takes a < b, and milk.", "D-2": "water\nice"}
    assert queries(corpus) == {"7": "tea & milk", "8": "nobody asked"}
    assert gold(corpus) == [("7", "D-1", None, None, 1), ("7", "D-2", None, None, -1)]


def test_trec_tsv_jsonl_and_named_files(line: Line) -> None:
    docs = lines({"id": "1", "contents": "black tea", "title": "T"}, {"docno": 2, "text": "milk"})
    put(line.at, t__asked="1\twhat tea?\n2\twhat milk?\n", t__judged="1\t0\t1\t1\n", t__d_dot_jsonl=docs)
    named = ["--topics", "asked", "--qrels=judged", "--documents", "d.jsonl", "--title", "separate"]
    corpus = imported(line, "trec", "t", *named)
    assert texts(corpus) == {"1": "black tea", "2": "milk"}
    assert queries(corpus) == {"1": "what tea?", "2": "what milk?"}
    assert "--topics: t has no topics.txt or" in refused_again(line, "trec", "t")


def test_trec_parts_of_a_topic(line: Line) -> None:
    put(line.at, t__topics_dot_txt=TOPICS.partition("\n\n")[0], t__qrels="7 0 D-1 1\n", t__docs__d=SGML)
    assert queries(imported(line, "trec", "t", "--field", "title+desc")) == {
        "7": "tea & milk Which tea takes milk?"
    }
    xml = '<topics><topic number="7"><query>tea</query></topic></topics>'
    put(line.at, u__topics_dot_xml=xml, u__qrels="7 0 D-1 1\n", u__docs__d=SGML)
    said = line("data", "import", "trec", "u", "--to", "other")
    assert "u/topics.xml:1: topic 7 has no <title>; it has: query" in said.err
    assert line("data", "import", "trec", "u", "--to", "other", "--field", "query").code == 0


def _paragraph(context: str, name: str, asked: str, answer: str) -> dict[str, Any]:
    answers = [{"text": answer, "answer_start": context.index(answer)}]
    return {"context": context, "qas": [{"id": name, "question": asked, "answers": answers}]}


PARAGRAPHS = [_paragraph("Tea is hot.", "q", "hot?", "Tea"), _paragraph("Ice is cold.", "r", "cold?", "Ice")]
SQUAD = {"data": [{"title": "A", "paragraphs": PARAGRAPHS}]}


def test_squad(line: Line) -> None:
    put(line.at, s_dot_json=json.dumps(SQUAD))
    corpus = imported(line, "squad", "s.json")
    assert texts(corpus) == {"A": "Tea is hot.\n\nIce is cold."}
    assert gold(corpus) == [("q", "A", 0, 3, 1), ("r", "A", 13, 16, 1)]
    other = line(
        "data", "import", "squad", "s.json", "--to", "p", "--layout", "paragraphs", "--unique-questions"
    )
    assert other.code == 0
    assert list(texts(Native(path=str(line.at / "p")).load())) == ["A/001", "A/002"]


def test_quotes_with_offsets_and_without(line: Line) -> None:
    refs = [json.dumps([{"content": "tea", "start_index": 6, "end_index": 9}, "hot ☕"]), '["ice"]', "[]"]
    table = pl.DataFrame(
        {"question": ["hot?", "cold?", "?"], "references": refs, "corpus_id": ["a", "b.md", "a"]}
    )
    put(line.at, c__a_dot_md="# tea tea, hot ☕", c__b_dot_md="ice", c__README_dot_md="no document",
        c__q_dot_csv=table.write_csv())  # fmt: skip
    corpus = imported(line, "quotes", "c/q.csv")
    assert list(texts(corpus)) == ["a", "b"]
    assert queries(corpus) == {"a-001": "hot?", "a-002": "?", "b-001": "cold?"}
    assert gold(corpus) == [("a-001", "a", 6, 9, 1), ("a-001", "a", 11, 16, 1), ("b-001", "b", 0, 3, 1)]


def test_quotes_from_another_folder_with_other_columns(line: Line) -> None:
    put(
        line.at,
        d__deep__a_dot_txt="one two",
        d__z_dot_md="noise",
        q_dot_csv='id,ask,refs,file\nx,?,"[""two""]",deep/a\n',
    )
    columns = ["--question-column", "ask", "--references-column", "refs", "--document-column", "file"]
    corpus = imported(line, "quotes", "q.csv", "--documents", "d", *columns)
    assert list(texts(corpus)) == ["deep/a", "z"]
    assert gold(corpus) == [("x", "deep/a", 4, 7, 1)]


def test_a_folder_with_questions(line: Line) -> None:
    put(
        line.at, f__a_dot_md="# Tea\nhot", f__sub__b_dot_txt="ice", f__questions_dot_txt="hot?\r\n\n  cold?\n"
    )
    corpus = imported(line, "folder", "f")
    assert corpus.documents.select("doc_id", "title").rows() == [("a.md", "Tea"), ("sub/b.txt", "")]
    assert queries(corpus) == {"q001": "hot?", "q002": "cold?"}
    assert gold(corpus) == []
    asked = lines({"query_id": "x", "text": "?"}, {"question": "!", "tags": ["t"]})
    put(line.at, mine_dot_jsonl=asked)
    assert line("data", "import", "folder", "f", "--to", "g", "--questions", "mine.jsonl").code == 0
    assert queries(Native(path=str(line.at / "g")).load()) == {"x": "?", "q002": "!"}


def _parquet(at: Path, **columns: list[Any]) -> None:
    at.parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame({k.replace("0", "-"): v for k, v in columns.items()}).write_parquet(at)


@pytest.mark.parametrize("judged", ["qrels/test-00000-of-00001", "default/test", "data/test/0000"])
def test_hugging_face(line: Line, judged: str) -> None:
    _parquet(line.at / "h/corpus/corpus-00000-of-00002.parquet", _id=["1"], title=["Tea"], text=["hot"])
    _parquet(line.at / "h/corpus/corpus-00001-of-00002.parquet", _id=["2"], title=[None], text=["ice"])
    _parquet(line.at / "h/queries/queries-00000-of-00001.parquet", id=[7, 8], text=["tea? ", "unjudged"])
    _parquet(line.at / f"h/{judged}.parquet", query0id=[7, 7], corpus0id=["1", "2"], score=[1.0, 0.0])
    _parquet(
        line.at / f"h/{judged.replace('test', 'dev')}.parquet", query0id=[8], corpus0id=["1"], score=[1.0]
    )
    corpus = imported(line, "hf", "h")
    assert texts(corpus) == {"1": "Tea hot", "2": "ice"}
    assert queries(corpus) == {"7": "tea?"}
    assert gold(corpus) == [("7", "1", None, None, 1), ("7", "2", None, None, 0)]
    assert "--split: Valid: dev, test." in refused_again(line, "hf", "h", "--split", "train")
    assert "name it: --subset en" in refused_again(line, "hf", "h", "--subset", "de")
