"""`redocred`: exact text and spans, the graph as annotated, questions by template, upstream's counts."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import helpers
import pytest
from dataset.native_folders import Rows
from dataset.real import real

from runner import pipeline, registry
from runner.dataset import stage
from runner.dataset._relations import RELATIONS
from runner.dataset.contract import locate
from runner.dataset.redocred import NOTES, Redocred
from runner.errors import DataError
from runner.kg import stage as kg_stage
from runner.kg.contract import Graph
from runner.runs import Run

ANN = {
    "title": "Ann",
    "sents": [["Ann", "Lee", "was", "born", "in", "Rome", "."], ["Lee", "died", "in", "Rome", "\xa0", "."]],
    "vertexSet": [
        [
            {"name": "Lee", "sent_id": 1, "pos": [0, 1], "type": "PER"},
            {"name": "Ann Lee", "sent_id": 0, "pos": [0, 2], "type": "PER"},
        ],
        [
            {"name": "Rome", "sent_id": 0, "pos": [5, 6], "type": "LOC"},
            {"name": "Rome", "sent_id": 1, "pos": [3, 4], "type": "LOC"},
        ],
    ],
    "labels": [
        {"r": "P19", "h": 0, "t": 1, "evidence": [0]},
        {"r": "P20", "h": 0, "t": 1, "evidence": [1, 0]},
        {"r": "P27", "h": 0, "t": 1, "evidence": []},
    ],
}
"""Ann Lee was born in Rome . Lee died in Rome \xa0 .

The first sentence is [0, 27): 3+1+3+1+3+1+4+1+2+1+4+1+1 = 26 code points to the full stop at 25, so [0, 26);
the second begins behind one blank, at 27.
"""
TEXT = "Ann Lee was born in Rome . Lee died in Rome \xa0 ."
OTHER = {
    "title": "Bea",
    "sents": [["Ann", "Lee", "met", "Bea", "in", "Rome", "."]],  # 3+1+3+1+3+1+3+1+2+1+4+1+1 = 25
    "vertexSet": [
        [{"name": "Ann Lee", "sent_id": 0, "pos": [0, 2], "type": "PER"}],
        [{"name": "Rome", "sent_id": 0, "pos": [5, 6], "type": "LOC"}],
    ],
    "labels": [{"r": "P19", "h": 0, "t": 1, "evidence": [0]}],
}


def write(at: Path, *entries: Any) -> str:
    (at / "dev_revised.json").write_text(json.dumps(entries), encoding="utf-8")
    return str(at)


def query_id(relation: str, text: str) -> str:
    return f"{relation}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"


BORN, DIED = query_id("P19", "Where was Ann Lee born?"), query_id("P20", "Where did Ann Lee die?")


def test_tokens_are_joined_by_one_blank_and_spans_are_exact(tmp_path: Path) -> None:
    corpus = Redocred(path=write(tmp_path, ANN)).load()
    assert corpus.documents.rows() == [("Ann", TEXT, "Ann", "{}")]
    assert corpus.mentions is not None
    assert [(*r, TEXT[r[2] : r[3]]) for r in corpus.mentions.rows()] == [
        ("Ann#00.0", "Ann", 27, 30, "PER", 1.0, "Ann#00", "Lee"),
        ("Ann#00.1", "Ann", 0, 7, "PER", 1.0, "Ann#00", "Ann Lee"),
        ("Ann#01.0", "Ann", 20, 24, "LOC", 1.0, "Ann#01", "Rome"),
        ("Ann#01.1", "Ann", 39, 43, "LOC", 1.0, "Ann#01", "Rome"),
    ]


def test_an_entity_is_called_by_its_longest_mention_and_edges_have_words_and_evidence(tmp_path: Path) -> None:
    corpus = Redocred(path=write(tmp_path, ANN)).load()
    assert corpus.nodes is not None
    assert corpus.edges is not None
    assert corpus.nodes.rows() == [("Ann#00", "Ann Lee", "PER", 1.0), ("Ann#01", "Rome", "LOC", 1.0)]
    first = {"doc_id": "Ann", "start": 0, "end": 26}
    second = {"doc_id": "Ann", "start": 27, "end": 47}
    assert len(TEXT) == 47
    assert [(label, json.loads(e)) for _, label, _, _, e in corpus.edges.rows()] == [
        ("country of citizenship", []), ("place of birth", [first]), ("place of death", [first, second]),
    ]  # fmt: skip


def test_questions_come_from_triples_with_evidence(tmp_path: Path) -> None:
    corpus = Redocred(path=write(tmp_path, ANN)).load()
    assert sorted(corpus.queries.rows()) == sorted(
        [
            (BORN, "Where was Ann Lee born?", '["templated","place of birth"]'),
            (DIED, "Where did Ann Lee die?", '["templated","place of death"]'),
        ]
    )
    assert sorted(corpus.judgments.rows()) == sorted(
        [(BORN, "Ann", 0, 26, 1), (DIED, "Ann", 0, 26, 1), (DIED, "Ann", 27, 47, 1)]
    )
    assert corpus.notes == NOTES
    assert "templated" in NOTES[0]


def test_the_same_words_about_two_documents_are_one_question_and_its_gold_is_in_both(tmp_path: Path) -> None:
    corpus = Redocred(path=write(tmp_path, ANN, OTHER)).load()
    assert corpus.queries.height == 2
    gold = corpus.judgments.filter(query_id=BORN).select("doc_id", "start", "end").rows()
    assert gold == [("Ann", 0, 26), ("Bea", 0, 25)]
    assert corpus.nodes is not None
    assert corpus.nodes["label"].to_list() == ["Ann Lee", "Rome", "Ann Lee", "Rome"], "apart, by document"


def test_a_larger_number_of_questions_keeps_those_of_a_smaller_one(tmp_path: Path) -> None:
    path = write(tmp_path, ANN, OTHER)
    one = Redocred(path=path, questions=1).load()
    assert one.queries["query_id"].to_list() == [min((BORN, DIED), key=lambda q: q.partition("-")[2])]
    assert one.documents.height == 2
    assert one.edges is not None
    assert one.edges.height == 4


def broken(**changes: Any) -> Rows:
    return [{**OTHER, **changes}]


VERTEX = OTHER["vertexSet"]


@pytest.mark.parametrize(
    ("entries", "reason", "left"),
    [
        ([5], "document 1: has no `title`", 0),
        (broken(sents=["Ann"]), "document 1: expected a list of tokens, found text ('Ann')", 0),
        (broken(vertexSet=[[]]), "document 1, entity 0: expected a list of mentions", 0),
        (broken(vertexSet=[[{"type": "PER", "sent_id": 9, "pos": [0, 1]}]]), "names sentence 9 of 1", 0),
        (broken(vertexSet=[[{"type": "P", "sent_id": 0, "pos": [6, 8]}]]), "tokens 6 to 8 are not in", 0),
        (broken(vertexSet=[[{"type": "P", "sent_id": 0, "pos": [6]}]]), "`pos` must be two whole numbers", 0),
        (broken(labels=[{"r": "P0", "h": 0, "t": 1, "evidence": []}]), "there is no relation 'P0'", 2),
        (broken(labels=[{"r": "P19", "h": 7, "t": 1, "evidence": []}]), "names node 'Bea#07'", 2),
        (broken(labels=[{"r": "P19", "h": 0, "t": 1, "evidence": [3]}]), "names sentence 3 of 1", 2),
        (broken(labels=[*OTHER["labels"], *OTHER["labels"]]), "Bea#00 —place of birth→ Bea#01", 2),
    ],
)  # fmt: skip
def test_what_is_wrong_has_its_place(tmp_path: Path, entries: Rows, reason: str, left: int) -> None:
    path = write(tmp_path, *entries, {**ANN, "title": "Z"})
    with pytest.raises(DataError) as caught:
        Redocred(path=path).load()
    assert reason in str(caught.value)
    corpus = Redocred(path=path, on_bad="skip").load()
    assert corpus.rejected
    assert corpus.nodes is not None
    assert corpus.nodes.height == 2 + left


def test_every_relation_of_the_file_is_in_words() -> None:
    real("redocred")
    data = json.loads((locate("redocred") / "dev_revised.json").read_text("utf-8"))
    assert {triple["r"] for entry in data for triple in entry["labels"]} == set(RELATIONS)
    assert len(RELATIONS) == 95


def test_the_table_of_relations_is_sound() -> None:
    words = [relation.words for relation in RELATIONS.values()]
    questions = [relation.question for relation in RELATIONS.values()]
    assert len(set(words)) == len(words)
    assert len(set(questions)) == len(questions), "else two relations would ask the same"
    for name, (said, asked) in RELATIONS.items():
        assert re.fullmatch(r"P[1-9]\d*", name)
        assert said
        assert asked.count("{}") == 1
        assert asked.endswith("?")


def test_counts_of_the_source() -> None:
    """500 documents with 8.22 sentences, 19.37 entities and 34.57 triples each (17,284 triples)."""
    real("redocred")
    corpus = Redocred().load()
    assert corpus.mentions is not None
    assert corpus.nodes is not None
    assert corpus.edges is not None
    assert (corpus.documents.height, corpus.queries.height, corpus.edges.height) == (500, 500, 17_284)
    assert round(corpus.nodes.height / 500, 2) == 19.37
    assert round(corpus.edges.height / 500, 2) == 34.57
    graph = Graph(corpus.mentions, corpus.nodes, corpus.edges)
    assert kg_stage.facts(kg_stage.checked(graph, corpus.documents, "given"))["mentions"] == 13_189
    assert stage.counts(corpus)["queries without gold"] == 0


def test_spans_are_the_tokens_of_the_file() -> None:
    real("redocred")
    corpus = Redocred().load()
    assert corpus.mentions is not None
    texts = dict(corpus.documents.select("doc_id", "text").iter_rows())
    data = json.loads((locate("redocred") / "dev_revised.json").read_text("utf-8"))
    right = {
        f"{entry['title']}#{i:02d}.{n}": " ".join(entry["sents"][m["sent_id"]][slice(*m["pos"])])
        for entry in data
        for i, mentions in enumerate(entry["vertexSet"])
        for n, m in enumerate(mentions)
    }
    found = {m: texts[d][s:e] for m, d, s, e, *_ in corpus.mentions.iter_rows()}
    assert found == right


def test_a_run_warns_that_its_questions_are_templated(tmp_path: Path) -> None:
    path = write(tmp_path, ANN, OTHER)
    raw = helpers.raw(tmp_path, dataset="redocred", retrieval="bm25")
    raw["dataset"] = {"name": "redocred", "path": path}
    done = pipeline.run(registry.parse_run(raw)[0], helpers.session(tmp_path / "outputs"))
    meta = Run(tmp_path / "outputs", done.run_key).meta
    assert meta["warnings"][:1] == list(NOTES)
    assert meta["data"]["notes"] == list(NOTES)
