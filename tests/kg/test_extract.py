"""`extract`: what is a name, where terms are introduced, what is the same, and how sure it is of that."""

from __future__ import annotations

from math import log

import pytest
from kg.texts import documents, named

from runner.kg import stage
from runner.kg.contract import Graph
from runner.kg.extract import Extract


def graph(*texts: str, titles: tuple[str, ...] = (), least: int = 1) -> Graph:
    frame = documents(*texts, titles=titles)
    return stage.checked(Extract(min_sentences=least).graph(frame, None), frame, "extract")


def names(*texts: str, titles: tuple[str, ...] = ()) -> list[str]:
    return [name for name, _ in named(graph(*texts, titles=titles), documents(*texts))]


def keys(*texts: str) -> list[str | None]:
    return [node for _, node in named(graph(*texts), documents(*texts))]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("we saw Ada Lovelace and Babbage there", ["Ada Lovelace", "Babbage"]),
        ("the Bank of England, the University of the West", ["Bank of England", "University of the West"]),
        ("it was World War II, then Apollo 11 flew", ["World War II", "Apollo 11"]),
        ("music by J. S. Bach", ["J. S. Bach"]),
        ("made by Iron & Wine with AT&T", ["Iron & Wine", "AT&T"]),
        ("an iPod and Zürich's Jean-Paul", ["iPod", "Zürich", "Jean-Paul"]),
        ("in the U.S. they use BM25 and LLMs", ["U.S.", "BM25", "LLMs"]),
        ("the town of Москва or Αθήνα", ["Москва", "Αθήνα"]),
        ("on Monday, 3 March 1963 and in May", []),
        ("nothing here, not even x and y or I", []),
        ("READ THIS FIRST", []),
        ("Übersetzen will gelernt sein, und sie übersetzen", []),
        ("北京の東京について AMA と Sky News は", ["AMA", "Sky News"]),
        ("use `top_k` and ``x`` or `a b`", ["top_k"]),
    ],
)
def test_what_is_a_name(text: str, want: list[str]) -> None:
    assert names(text) == want


def test_the_first_word_of_a_sentence_is_a_name_by_how_it_is_written_elsewhere() -> None:
    text = "Owls hunt. Many owls sleep. Rome fell; in Rome it rained. Zorba danced. However Rome stood."
    found = graph(text).mentions.select("start", "end", "confidence").rows()
    assert [(text[s:e], c) for s, e, c in found] == [
        ("Rome", 0.8), ("Rome", 0.8), ("Zorba", 0.4), ("Rome", 0.8),
    ]  # fmt: skip
    assert names("Former Rome fell. The former king of Rome.") == ["Rome", "Rome"], "what leads in is no part"
    assert names("- Pick one\n| Pick | Choose |\n\nyou pick and choose") == [], "lists and tables begin, too"


def test_a_title_that_the_text_begins_with_ends_there() -> None:
    text = "Changed It (song) Changed It is a song by Nicki Minaj."
    assert names(text, titles=("Changed It (song)",))[0] == "Changed It"
    assert names("Rome Rome is old and Rome is big.", titles=("Rome",)) == ["Rome", "Rome", "Rome"]
    assert names("Romero saw Rome.", titles=("Rome",)) == ["Romero", "Rome"], "a title ends at a word's end"
    assert names("Home Home is a film.", "no home is as big", titles=("Home",)) == ["Home", "Home"]
    long = "Effects of Sleep on the Memory of Young Owls in Rome"
    assert long not in names(f"{long} we show that", titles=(long,)), "a sentence is no name"


def test_terms_are_found_wherever_they_stand_once_they_are_introduced() -> None:
    text = "A cross-encoder is a model of both. This is a test.\n\nuse a Cross-Encoder or a cross-encoder"
    assert names(text) == ["cross-encoder", "Cross-Encoder", "cross-encoder"]
    assert keys(text) == ["cross-encoder"] * 3
    assert (
        names("what is called *late interaction* here, and late interaction there")
        == ["late interaction"] * 2
    )
    assert names("- **Pooling**: the mean.\n\nafter pooling") == ["Pooling", "pooling"]


def test_an_acronym_is_what_it_is_spelt_out_as() -> None:
    spelt = "we fuse by reciprocal rank fusion (RRF) here. RRF is robust."
    assert keys(spelt, "then RRF again") == ["reciprocal rank fusion"] * 4
    name = "reciprocal rank fusion"
    assert graph(spelt).nodes.rows() == [(name, name, "acronym", 0.9)], "two of its three mentions are one"


def test_an_acronym_of_two_meanings_is_resolved_only_where_a_document_says_which() -> None:
    texts = ("the central bank (CB), a CB", "a citizens band (CB), any CB", "the CB")
    assert keys(*texts) == ["central bank"] * 3 + ["citizens band"] * 3 + ["cb"]


@pytest.mark.parametrize("text", ["owls of the night (XYZ)", "it was (IT)", "so (see) there", "the UN (UN)"])
def test_brackets_that_spell_nothing_out(text: str) -> None:
    assert not [node for node in keys(text) if node and " " in node]


def test_names_of_one_entity_share_a_node() -> None:
    text = "in the U.S. and the US, at the Louvre or The Louvre, by Bach's, by BACH, by Bach"
    assert keys(text) == ["us", "us", "louvre", "louvre", "bach", "bach", "bach"]
    labels = {node: label for node, label, *_ in graph(text).nodes.rows()}
    assert labels == {"us": "U.S.", "louvre": "Louvre", "bach": "Bach"}  # most frequent, then by code point


def test_a_node_is_as_sure_as_its_surest_mention() -> None:
    made = graph("Zorba danced.", "and Zorba sang")
    assert made.mentions["confidence"].to_list() == [0.8, 0.8], "written large inside a sentence somewhere"
    made = graph("the NATO, the Treaty Organization (TO), any TO")
    assert sorted(made.mentions["confidence"].to_list()) == [0.8, 0.8, 0.9, 0.9]
    assert dict(made.nodes.select("node_id", "confidence").rows()) == {
        "nato": 0.8,
        "treaty organization": 0.9,
    }


FOUR = ("We saw Ann and Bob. Then Ann and Bob met Cid.", "So Ann met Cid. And Dan")
"""Four sentences: {Ann, Bob}, {Ann, Bob, Cid}, {Ann, Cid}, {Dan}."""


def test_npmi_by_hand() -> None:
    """p(Ann) = 3/4, p(Bob) = p(Cid) = 2/4; together Ann, Bob 2/4, Ann, Cid 2/4, Bob, Cid 1/4."""
    edges = {(s, t): c for s, _, t, c, _ in graph(*FOUR).edges.rows()}
    ann_bob = log((2 / 4) / ((3 / 4) * (2 / 4))) / -log(2 / 4)
    assert edges == {
        ("ann", "bob"): round(ann_bob, 6),
        ("ann", "cid"): round(ann_bob, 6),
        # Bob and Cid: ln((1/4) / (1/2 · 1/2)) = 0, no more than chance, so no edge
    }
    assert round(ann_bob, 6) == 0.415037


def test_an_edge_needs_its_sentences_and_lists_them() -> None:
    edges = graph(*FOUR, least=2).edges
    assert edges.select("source", "label", "target").rows() == [
        ("ann", "co-occurs with", "bob"), ("ann", "co-occurs with", "cid"),
    ]  # fmt: skip
    assert edges["evidence"][0] == '[{"doc_id":"d0","end":19,"start":0},{"doc_id":"d0","end":45,"start":20}]'
    assert FOUR[0][20:45] == "Then Ann and Bob met Cid."
    assert graph(*FOUR, least=3).edges.is_empty()


def test_two_that_stand_in_every_sentence_and_two_that_only_stand_together() -> None:
    assert graph("when Ann met Bob").edges["confidence"].to_list() == [1.0], "by the limit of the formula"
    edges = graph("When Ann met Bob. No rain.", "So Ann met Bob. Or snow.").edges
    assert edges["confidence"].to_list() == [1.0]  # ln((2/4) / (2/4 · 2/4)) / -ln(2/4) = 1


def test_a_list_of_names_relates_no_two_of_them() -> None:
    crowd = [f"N{i:02d}x" for i in range(51)]
    assert graph("see " + ", ".join(crowd)).edges.is_empty()
    assert graph("see " + ", ".join(crowd[:50])).edges.height == 50 * 49 // 2


def test_nothing_in_nothing_out() -> None:
    made = graph("no name at all")
    assert stage.facts(made) == {"mentions": 0, "nodes": 0, "edges": 0}
