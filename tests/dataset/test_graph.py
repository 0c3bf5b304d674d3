"""What a native data set brings beside documents: situating texts and a graph, each refusal with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from dataset.native_folders import Rows, folder, lines, load, refusal

from runner.dataset import stage
from runner.dataset.contract import Corpus
from runner.dataset.guide import Guide
from runner.dataset.native import Native
from runner.kg import stage as kg_stage
from runner.kg.contract import Graph

TEXT = "Acme 😀 buys Beta."
MENTIONS: Rows = [
    {"mention_id": "m2", "doc_id": "a", "start": 12, "end": 16, "entity_type": "ORG", "text": "Beta"},
    {"mention_id": "m1", "doc_id": "a", "start": 0, "end": 4, "entity_type": "ORG", "confidence": 0.5},
    {"mention_id": "m3", "doc_id": "a", "entity_type": "ORG", "text": "Beta"},
]
NODES: Rows = [
    {"node_id": "n1", "label": "Acme", "type": "ORG", "mention_ids": ["m1"], "confidence": 1},
    {"node_id": "n2", "label": "Beta", "type": "ORG", "mention_ids": ["m3"]},
]
EVIDENCE = [{"doc_id": "a", "start": 7, "end": 11}, {"doc_id": "a", "start": 0, "end": 17}]
EDGES: Rows = [{"source": "n1", "label": "buys", "target": "n2", "confidence": 0.25, "evidence": EVIDENCE}]


def with_graph(
    at: Path, mentions: Rows = MENTIONS, nodes: Rows = NODES, edges: Rows = EDGES, **files: bytes
) -> Path:
    documents = [{"doc_id": "a", "text": TEXT}, {"doc_id": "b", "text": "three"}]
    gold = [{"query_id": "q1", "doc_id": "a", "quote": "buys"}]
    parts = {"kg__mentions.jsonl": mentions, "kg__nodes.jsonl": nodes, "kg__edges.jsonl": edges}
    files = {**{name: lines(rows) for name, rows in parts.items()}, **files}
    return folder(at, documents=documents, gold=gold, **files)


def graph_of(corpus: Corpus) -> Graph:
    assert corpus.mentions is not None
    assert corpus.nodes is not None
    assert corpus.edges is not None
    return Graph(corpus.mentions, corpus.nodes, corpus.edges)


def test_a_graph_in_lines(tmp_path: Path) -> None:
    assert TEXT[12:16] == "Beta"  # the smiley is one code point
    graph = graph_of(load(with_graph(tmp_path)))
    assert graph.mentions.rows() == [
        ("m1", "a", 0, 4, "ORG", 0.5, "n1"),
        ("m2", "a", 12, 16, "ORG", 1.0, None),  # no node lists it
        ("m3", "a", None, None, "ORG", 1.0, "n2"),  # somewhere in the document
    ]
    assert graph.nodes.rows() == [("n1", "Acme", "ORG", 1.0), ("n2", "Beta", "ORG", 1.0)]
    said = '[{"doc_id":"a","end":17,"start":0},{"doc_id":"a","end":11,"start":7}]'
    assert graph.edges.rows() == [("n1", "buys", "n2", 0.25, said)]


def test_order_of_lines_and_form_of_files_change_no_fingerprint(tmp_path: Path) -> None:
    first = load(with_graph(tmp_path / "lines"))
    other = with_graph(tmp_path / "other", MENTIONS[::-1], NODES[::-1], EDGES)
    for part, rows in (("mentions", MENTIONS), ("nodes", NODES), ("edges", EDGES)):
        (other / "kg" / f"{part}.jsonl").unlink()
        pl.DataFrame(rows, strict=False).write_parquet(other / "kg" / f"{part}.parquet")
    assert stage.fingerprints(load(other)) == stage.fingerprints(first)


def test_the_stage_of_the_graph_accepts_what_a_data_set_brings(tmp_path: Path) -> None:
    corpus = load(with_graph(tmp_path))
    assert kg_stage.facts(kg_stage.checked(graph_of(corpus), corpus.documents, "given")) == {
        "mentions": 3, "nodes": 2, "edges": 1,
    }  # fmt: skip


def test_the_key_sees_the_files_of_the_graph(tmp_path: Path) -> None:
    at = with_graph(tmp_path)
    dataset = Native(path=str(at))
    before = stage.source_key(dataset)
    assert [p.relative_to(at).as_posix() for p in dataset.sources()][3:] == [
        "kg/mentions.jsonl", "kg/nodes.jsonl", "kg/edges.jsonl",
    ]  # fmt: skip
    (at / "kg" / "edges.jsonl").write_bytes(b"")
    assert stage.source_key(dataset) != before


def mention(**changes: Any) -> Rows:
    return [
        *MENTIONS,
        {"mention_id": "m9", "doc_id": "a", "start": 0, "end": 4, "entity_type": "ORG"} | changes,
    ]


def node(**changes: Any) -> Rows:
    return [*NODES, {"node_id": "n9", "label": "L", "type": "T"} | changes]


def edge(**changes: Any) -> Rows:
    return [*EDGES, {"source": "n2", "label": "is", "target": "n1"} | changes]


@pytest.mark.parametrize(
    ("part", "rows", "kind", "reason"),
    [
        ("mentions", mention(mention_id="m1"), "duplicate mention_id", "mention_id 'm1' is taken, see "),
        ("mentions", mention(mention_id=" "), "blank mention_id", "`mention_id` is blank"),
        ("mentions", mention(doc_id="z"), "unknown document", "names document 'z', which there is not"),
        ("mentions", mention(end=18), "span out of range", "span [0, 18) is not within the 17 code points"),
        ("mentions", mention(end=0), "span out of range", "span [0, 0) is not within"),
        ("mentions", mention(end=None), "half a span", "a span needs both `start` and `end`"),
        ("mentions", mention(text="Acne"), "wrong text", "[0, 4) of 'a' is 'Acme', not 'Acne'"),
        ("mentions", mention(start=None, end=None, text="Gamma"), "wrong text", "'a' does not name 'Gamma'"),
        ("mentions", mention(confidence=1.5), "confidence out of range", "confidence 1.5 is not within"),
        ("mentions", mention(confidence=-1), "confidence out of range", "confidence -1 is not within [0, 1]"),
        ("mentions", mention(confidence="1"), "wrong type of confidence", "`confidence` must be a number"),
        ("mentions", mention(confidence=True), "wrong type of confidence", "`confidence` must be a number"),
        ("mentions", mention(entity_type="\n"), "blank entity_type", "`entity_type` is blank"),
        ("mentions", mention(entity_type=None), "missing entity_type", "has no `entity_type`"),
        ("mentions", mention(node_id="n1"), "unknown field", "unknown field `node_id`"),
        ("nodes", node(node_id="n1"), "duplicate node_id", "node_id 'n1' is taken, see "),
        ("nodes", node(label=""), "blank label", "`label` is blank"),
        ("nodes", node(mention_ids="m2"), "wrong type of mention_ids", "`mention_ids` must be a list"),
        ("nodes", node(mention_ids=[2]), "wrong type of mention_ids", "`mention_ids` must be text"),
        ("nodes", node(mention_ids=["m7"]), "unknown mention", "names mention 'm7', which there is not"),
        ("nodes", node(mention_ids=["m1"]), "mention in two nodes", "'m1' is a member of 'n1' already"),
        ("nodes", node(mention_ids=["m2", "m2"]), "mention in two nodes", "'m2' is a member of 'n9' already"),
        ("nodes", node(labels="x"), "unknown field", "unknown field `labels`; did you mean 'label'?"),
        ("edges", edge(source="n7"), "unknown node", "names node 'n7', which there is not"),
        ("edges", edge(target="n7"), "unknown node", "names node 'n7', which there is not"),
        ("edges", edge(source="n1", label="buys", target="n2"), "duplicate edge", "edge n1 —buys→ n2 is"),
        ("edges", edge(label=" "), "blank label", "`label` is blank"),
        ("edges", edge(confidence=2), "confidence out of range", "confidence 2 is not within [0, 1]"),
        ("edges", edge(evidence=[EVIDENCE[0] | {"end": 99}]), "span out of range", "span [7, 99)"),
        ("edges", edge(evidence=[EVIDENCE[0] | {"doc_id": "z"}]), "unknown document", "names document 'z'"),
        ("edges", edge(evidence=[{"doc_id": "a", "start": 0}]), "missing end", "has no `end`"),
        ("edges", edge(evidence=["a"]), "not an object", "expected an object, found text"),
        ("edges", edge(evidence=[{**EVIDENCE[0], "text": "x"}]), "unknown field", "unknown field `text`"),
    ],
)  # fmt: skip
def test_a_bad_row_is_refused_with_its_line_or_counted(
    tmp_path: Path, part: str, rows: Rows, kind: str, reason: str
) -> None:
    at = with_graph(tmp_path, **{part: rows})
    message = refusal(at)
    assert f"{at}/kg/{part}.jsonl:{len(rows)}: " in message
    assert reason in message
    corpus = load(at, "skip")
    assert corpus.rejected == {kind: 1}
    stays = kind in {"unknown mention", "mention in two nodes"} or reason == "`mention_ids` must be text"
    height = getattr(corpus, part).height
    assert height == len(rows) - (not stays), "of a node, only the member that cannot be one is left out"


def test_a_confidence_that_is_no_number_of_this_world(tmp_path: Path) -> None:
    at = with_graph(tmp_path)
    (at / "kg" / "mentions.jsonl").unlink()
    pl.DataFrame(mention(confidence=float("nan"))).write_parquet(at / "kg" / "mentions.parquet")
    assert "mentions.parquet:row 4: confidence nan is not within [0, 1]" in refusal(at)
    in_lines = {"kg__mentions.jsonl": b'{"confidence": NaN}\n'}
    assert "mentions.jsonl:1: NaN is not JSON" in refusal(with_graph(tmp_path / "lines", **in_lines))


@pytest.mark.parametrize("part", ["mentions", "nodes", "edges"])
def test_a_graph_is_all_three_files_or_none(tmp_path: Path, part: str) -> None:
    at = with_graph(tmp_path)
    (at / "kg" / f"{part}.jsonl").unlink()
    assert f"has no kg/{part}.jsonl or kg/{part}.parquet" in refusal(at)


def test_a_folder_without_a_graph_brings_none(tmp_path: Path) -> None:
    corpus = load(folder(tmp_path))
    assert (corpus.mentions, corpus.nodes, corpus.edges, corpus.situating) == (None, None, None, None)
    assert set(stage.fingerprints(corpus)) == {"documents", "queries", "judgments"}


def test_situating_texts(tmp_path: Path) -> None:
    rows = [{"doc_id": "a", "text": "of one", "start": 4, "end": 7}, {"doc_id": "a", "text": "all"}]
    corpus = load(folder(tmp_path, **{"situating.jsonl": lines(rows)}))
    assert corpus.situating is not None
    assert corpus.situating.rows() == [("a", "all", None, None), ("a", "of one", 4, 7)]
    bad = [
        {"doc_id": "a", "text": "other", "start": 4, "end": 7}, {"doc_id": "b", "text": " "},
        {"doc_id": "c", "text": "x"}, {"doc_id": "b", "text": "x", "start": 1}, {"doc_id": "b", "txt": "x"},
    ]  # fmt: skip
    at = folder(tmp_path, **{"situating.jsonl": lines([*rows, *bad])})
    message = refusal(at)
    for place, reason in [
        (3, "this part of 'a' has a situating text already"),
        (4, "the situating text of 'b' is blank"),
        (5, "names document 'c', which there is not"),
        (6, "a span needs both `start` and `end`"),
        (7, "unknown field `txt`; did you mean 'text'?"),
    ]:
        assert f"situating.jsonl:{place}: {reason}" in message
    assert sum(load(at, "skip").rejected.values()) == len(bad)


def test_the_guide_brings_its_graph() -> None:
    corpus = Guide().load()
    graph = kg_stage.checked(graph_of(corpus), corpus.documents, "given")
    assert kg_stage.facts(graph) == {"mentions": 1124, "nodes": 109, "edges": 187}
    assert graph.mentions["node_id"].null_count() == 0
    first = graph.edges.row(0, named=True)
    (place,) = json.loads(first["evidence"])
    texts = dict(corpus.documents.select("doc_id", "text").iter_rows())
    assert "badge" in texts[place["doc_id"]][place["start"] : place["end"]].lower()
    assert stage.counts(corpus)["edges"] == 187
