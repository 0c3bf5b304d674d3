"""`data import`: what it refuses, and a folder that appears whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import Line
from importing_cases import BEIR, SGML, TOPICS, gold, imported, put, refused

WRONG = [
    (2, "beir", "nowhere", [], "SOURCE: 'nowhere' is not there"),
    (2, "bier", "b", [], "there is no kind 'bier'; did you mean 'beir'?"),
    (2, "beir", "b", ["--titel", "x"], "there is no option '--titel'; did you mean '--title'?"),
    (2, "beir", "b", ["--title", "drop"], "--title: 'drop' is no choice; Valid: prepend, separate."),
    (2, "beir", "b", ["--max-gib", "0"], "--max-gib: '0' is no whole number above 0"),
    (2, "beir", "b", ["--sha256", "0"], "--sha256: is the digest of an archive, SOURCE is a folder"),
    (2, "trec", "b", [], "--topics: b has no topics.txt"),
    (2, "trec", "s", [], "SOURCE: "),
    (2, "folder", "n", [], "--questions: n has no questions.txt"),
    (2, "quotes", "latin.csv", [], "has none of document, doc_id, corpus_id, source"),
    (2, "quotes", "b", [], "is a folder; this kind takes a .csv file"),
    (1, "quotes", "twice.csv", [], "twice.csv:2: the quote 'a' occurs 2 times in 'x'; say which"),
    (1, "trec", "l", [], "l/docs/d: not UTF-8 at byte 26 of the file"),
    (1, "trec", "o", [], "o/docs/d:2: <DOC> is not closed by </DOC>"),
    (1, "trec", "n", [], "n/topics.txt:1: expected an id, a tab and a text"),
]


@pytest.mark.parametrize(("code", "kind", "source", "options", "said"), WRONG)
def test_what_is_refused_leaves_nothing(
    line: Line, code: int, kind: str, source: str, options: list[str], said: str
) -> None:
    put(line.at, **BEIR, s="", x_dot_md="a a", latin_dot_csv="question,references\n",
        twice_dot_csv='question,references,document\n?,"[""a""]",x\n',
        **{f"{f}__qrels": "7 0 D-1 1\n" for f in "lon"}, **{f"{f}__topics_dot_txt": TOPICS for f in "lo"},
        n__topics_dot_txt="no tab\n", n__docs__d=SGML, o__docs__d="\n<DOC><DOCNO>1</DOCNO>\n",
        l__docs__d=b"<DOC><DOCNO>D-1</DOCNO>caf\xe9</DOC>")  # fmt: skip
    assert said in refused(line, code, kind, source, *options)


def test_bad_rows_are_left_out_when_that_is_asked_for(line: Line) -> None:
    put(line.at, **{**BEIR, "b__qrels__test_dot_tsv": "q1\td1\t1\nq1\tnope\t1\n"})
    err = refused(line, 1, "beir", "b")
    assert "b/qrels/test.tsv:2: judges document 'nope', which there is not" in err
    assert "or set --on-bad skip to leave these rows out" in err
    assert gold(imported(line, "beir", "b", "--on-bad", "skip")) == [("q1", "d1", None, None, 1)]
    assert "- left out: unknown document: 1" in Path("made/SOURCE.md").read_text("utf-8")


def test_an_existing_target_is_refused_and_kept(line: Line) -> None:
    put(line.at, **BEIR, made__mine="precious")
    said = line("data", "import", "beir", "b", "--to", "made")
    assert said.code == 2
    assert "--to: 'made' is there already" in said.err
    assert [p.read_text() for p in Path("made").iterdir()] == ["precious"]


def test_a_disk_that_refuses_leaves_nothing(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    put(line.at, **BEIR)

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    assert "made: could not be written (No space left on device); nothing was left" in refused(
        line, 1, "beir", "b"
    )


def test_words_that_are_missing(line: Line) -> None:
    for words in ([], ["beir"], ["beir", "b"], ["beir", "b", "c", "--to", "x"], ["beir", "b", "--to"]):
        said = line("data", "import", *words)
        assert said.code == 2
        assert "python -m runner data import" in said.err or "--to: needs a value" in said.err
