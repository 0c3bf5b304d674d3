"""Tiny sources for the tests of imports, and what an import made of one, or said against it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from command import Line

from runner.dataset.contract import Corpus
from runner.dataset.native import Native

Gold = list[tuple[Any, ...]]


def put(at: Path, **files: str | bytes) -> Path:
    """Files under `at`; in a name `__` stands for `/` and `_dot_` for `.`."""
    for name, content in files.items():
        path = at / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return at


def lines(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(r) + "\n" for r in rows)


def imported(line: Line, kind: str, source: str, *options: str) -> Corpus:
    """What `data import` made of a source, read as a run would read it."""
    said = line("data", "import", kind, source, "--to", "made", *options)
    assert said.code == 0, said.err
    assert sorted(p.name for p in Path("made").iterdir()) == [
        "SOURCE.md", "documents.jsonl", "gold.jsonl", "queries.jsonl",
    ]  # fmt: skip
    return Native(path=str(Path("made").absolute())).load()


def refused(line: Line, code: int, kind: str, source: str, *options: str) -> str:
    said = line("data", "import", kind, source, "--to", "made", *options)
    assert (said.code, said.out) == (code, ""), said
    assert "Traceback" not in said.err
    assert not Path("made").exists()
    assert not list(Path.cwd().glob(".draft-*"))
    return said.err


def texts(corpus: Corpus) -> dict[str, str]:
    return dict(corpus.documents.select("doc_id", "text").iter_rows())


def queries(corpus: Corpus) -> dict[str, str]:
    return dict(corpus.queries.select("query_id", "text").iter_rows())


def gold(corpus: Corpus) -> Gold:
    return corpus.judgments.rows()


BEIR = {
    "b__corpus_dot_jsonl": lines(
        {"_id": "d1", "title": "Tea", "text": "green\u2028leaf"},
        {"_id": "d2", "text": "milk", "metadata": {"x": 1}},
    ),
    "b__queries_dot_jsonl": lines({"_id": "q1", "text": " tea? "}, {"_id": "q9", "text": "unjudged"}),
    "b__qrels__test_dot_tsv": "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n",
}

TOPICS = """<top>
<num> Number: 7
<title> Topic: tea &amp; milk
<desc> Description:
Which tea
takes milk?
</top>

<top><num>8</num><title>nobody asked</title><desc>x</desc></top>
"""
SGML = """<DOC>
<DOCNO> D-1 </DOCNO>
<HEADLINE>Black <b>tea</b></HEADLINE>
<TEXT>
It takes a &lt; b, and <P>milk.
</TEXT>
</DOC>
<DOC><DOCNO>D-2</DOCNO><TEXT>water</TEXT><TEXT>ice</TEXT></DOC>
"""


def refused_again(line: Line, *words: str) -> str:
    """A refusal where another import has made its folder already."""
    said = line("data", "import", *words, "--to", "other")
    assert said.code == 2
    assert not Path("other").exists()
    return said.err
