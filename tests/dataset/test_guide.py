"""The packaged guide keeps its promises: size, exact gold, spread of questions, a graph that fits."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
GUIDE = HERE.parents[1] / "runner" / "dataset" / "guide"
GENERATOR = HERE / "build_guide_kg.py"

TAGS = {"lexical", "semantic", "two_spans", "long", "unanswerable", "plain"}
LONG = 250
"""Code points from which a quote is likely to cross a border of chunks of about 200 tokens."""

Row = dict[str, Any]


def rows(name: str) -> list[Row]:
    """Every line of a JSONL file of the guide."""
    text = (GUIDE / name).read_bytes().decode("utf-8")
    assert text.endswith("\n")
    return [json.loads(line) for line in text.split("\n")[:-1]]


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """Text of each page by document id, byte-exact."""
    folder = GUIDE / "pages"
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode("utf-8")
        for path in sorted(folder.rglob("*.md"))
    }


@pytest.fixture(scope="module")
def queries() -> list[Row]:
    """All questions."""
    return rows("queries.jsonl")


@pytest.fixture(scope="module")
def gold() -> list[Row]:
    """All gold quotes."""
    return rows("gold.jsonl")


@pytest.fixture(scope="module")
def nodes() -> list[Row]:
    """All entities of the knowledge graph."""
    return rows("kg/nodes.jsonl")


@pytest.fixture(scope="module")
def mentions() -> list[Row]:
    """All mentions of the knowledge graph."""
    return rows("kg/mentions.jsonl")


@pytest.fixture(scope="module")
def edges() -> list[Row]:
    """All relations of the knowledge graph."""
    return rows("kg/edges.jsonl")


def test_pages_number_and_size(pages: dict[str, str]) -> None:
    assert len(pages) >= 26
    assert 75_000 <= sum(map(len, pages.values())) <= 110_000
    for doc_id, text in pages.items():
        assert text.startswith("# "), f"{doc_id} has no title"
        assert "\r" not in text, f"{doc_id} has a carriage return"
        assert doc_id == doc_id.lower() and "_" not in doc_id and " " not in doc_id


def test_pages_exercise_offsets(pages: dict[str, str]) -> None:
    text = "".join(pages.values())
    assert all(sign in text for sign in "é→±≥🙂检П")
    assert sum(ord(sign) > 127 for sign in text) > 100
    assert any(line.startswith("# ") for block in text.split("```")[1::2] for line in block.splitlines())


def test_every_quote_occurs_exactly_once(pages: dict[str, str], gold: list[Row]) -> None:
    for row in gold:
        assert set(row) <= {"query_id", "doc_id", "quote", "grade"}
        assert row["quote"] == row["quote"].strip() != ""
        assert row.get("grade", 1) in (1, 2)
        text, quote = pages[row["doc_id"]], row["quote"]
        start = text.find(quote)
        assert start >= 0, f"{row['query_id']}: not in {row['doc_id']}: {quote!r}"
        assert text.find(quote, start + 1) < 0, f"{row['query_id']}: more than once: {quote!r}"


def test_ids_are_unique_and_resolve(queries: list[Row], gold: list[Row]) -> None:
    ids = [row["query_id"] for row in queries]
    assert len(ids) == len(set(ids)) == len({row["text"] for row in queries})
    assert {row["query_id"] for row in gold} <= set(ids)
    judged = [(row["query_id"], row["doc_id"], row["quote"]) for row in gold]
    assert len(judged) == len(set(judged))


def test_answerable_and_unanswerable(queries: list[Row], gold: list[Row]) -> None:
    answered = {row["query_id"] for row in gold}
    without = {row["query_id"] for row in queries} - answered
    assert len(answered) >= 100
    assert len(queries) >= 112
    assert without == {row["query_id"] for row in queries if "unanswerable" in row["tags"]}
    assert len(without) == 5


def test_tags(queries: list[Row], gold: list[Row]) -> None:
    tags = Counter(tag for row in queries for tag in row["tags"])
    assert set(tags) == TAGS
    for tag, least in {"lexical": 15, "semantic": 15, "two_spans": 12, "long": 12}.items():
        assert tags[tag] >= least, f"{tag}: {tags[tag]}"
    for query in queries:
        quotes = [row["quote"] for row in gold if row["query_id"] == query["query_id"]]
        assert ("two_spans" in query["tags"]) == (len(quotes) == 2), query["query_id"]
        assert ("long" in query["tags"]) == any(len(quote) >= LONG for quote in quotes), query["query_id"]


def test_every_page_has_two_questions(pages: dict[str, str], gold: list[Row]) -> None:
    asked = Counter(doc_id for doc_id, _ in {(row["doc_id"], row["query_id"]) for row in gold})
    assert {doc_id for doc_id in pages if asked[doc_id] < 2} == set()


def test_mentions_equal_their_text(pages: dict[str, str], mentions: list[Row]) -> None:
    assert len({row["mention_id"] for row in mentions}) == len(mentions)
    last: dict[str, int] = {}
    for row in mentions:
        assert pages[row["doc_id"]][row["start"] : row["end"]] == row["text"] != ""
        assert row["start"] >= last.get(row["doc_id"], 0), "mentions overlap or are out of order"
        last[row["doc_id"]] = row["end"]


def test_nodes_resolve(nodes: list[Row], mentions: list[Row]) -> None:
    assert 60 <= len(nodes) <= 110
    assert len({row["node_id"] for row in nodes}) == len(nodes)
    types = {row["mention_id"]: row["entity_type"] for row in mentions}
    listed = [(mention_id, row["type"]) for row in nodes for mention_id in row["mention_ids"]]
    assert all(row["mention_ids"] for row in nodes)
    assert len(listed) == len(types) and dict(listed) == types, "each mention belongs to exactly one node"


def test_edges_resolve(pages: dict[str, str], nodes: list[Row], edges: list[Row]) -> None:
    known = {row["node_id"] for row in nodes}
    assert len(edges) >= 120
    assert len({(row["source"], row["label"], row["target"]) for row in edges}) == len(edges)
    for row in edges:
        assert {row["source"], row["target"]} <= known and row["source"] != row["target"]
        assert row["label"] and row["evidence"]
        for place in row["evidence"]:
            assert 0 <= place["start"] < place["end"] <= len(pages[place["doc_id"]])
            words = pages[place["doc_id"]][place["start"] : place["end"]]
            assert words == words.strip() and "\n" not in words


def test_graph_has_a_hub(edges: list[Row]) -> None:
    degree = Counter(end for row in edges for end in (row["source"], row["target"]))
    assert degree.most_common(1)[0][1] >= 20


def test_confidences(nodes: list[Row], mentions: list[Row], edges: list[Row]) -> None:
    assert all(0 < row["confidence"] <= 1 for row in [*nodes, *mentions, *edges])
    given = [row["confidence"] for row in edges]
    assert min(given) < 0.5 and max(given) > 0.95 and len(set(given)) > 20


def test_graph_rebuilds_byte_identical(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-B", str(GENERATOR), str(tmp_path)], check=True, capture_output=True)
    for name in ("mentions.jsonl", "nodes.jsonl", "edges.jsonl"):
        assert (tmp_path / name).read_bytes() == (GUIDE / "kg" / name).read_bytes(), (
            f"{name} is stale: rebuild it"
        )
