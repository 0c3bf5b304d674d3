"""`kg_header` by hand: which entities, which relations, in which order, and what a budget leaves."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from enrichment.graphs import DOC, graph, headers, material, texts

from runner.enrichment.entities_only import EntitiesOnly
from runner.enrichment.kg_header import KgHeader
from runner.enrichment.stage import facts
from runner.enrichment.triples_only import TriplesOnly
from runner.errors import ComponentError

CUTS = [("d", 0, 15), ("d", 16, 38)]
"""`Acme buys Beta.` and `Gamma sleeps in Delta.`"""
ACME, BETA, GAMMA, DELTA = ("d", 0, 4), ("d", 10, 14), ("d", 16, 21), ("d", 32, 37)
MENTIONS = [(*ACME, "a", 0.9), (*BETA, "b", 0.9), (*GAMMA, "g", 0.9), (*DELTA, "e", 0.9)]
NODES = [("a", "Acme", 0.9), ("b", "Beta", 0.8), ("g", "Gamma", 0.9), ("e", "Delta", 0.6)]
EDGES = [("a", "owns", "g", 0.9), ("b", "in", "e", 0.8), ("g", "follows", "b", 0.7)]


def _said(mentions: Any = MENTIONS, nodes: Any = NODES, edges: Any = EDGES, **caps: Any) -> dict[int, str]:
    given = material(CUTS, graph(mentions, nodes, edges), texts={"d": DOC})
    return texts(KgHeader(**caps), given)


def test_entities_then_relations_in_either_direction() -> None:
    assert _said() == {
        0: "Acme, Beta | Acme —owns→ Gamma; Beta —in→ Delta; Gamma —follows→ Beta",
        # An edge keeps its own direction, whichever end is in the chunk.
        1: "Gamma, Delta | Acme —owns→ Gamma; Beta —in→ Delta; Gamma —follows→ Beta",
    }


def test_the_columns_of_a_header() -> None:
    (row, _) = headers(KgHeader(), material(CUTS, graph(MENTIONS, NODES, EDGES))).iter_rows(named=True)
    assert row == {
        "chunk": 0, "chunk_id": "d#0000",
        "entities": ["Acme", "Beta"], "entity_types": ["type of a", "type of b"],
        "neighbor_triples": ["Acme —owns→ Gamma", "Beta —in→ Delta", "Gamma —follows→ Beta"],
        "kg_node_ids": ["a", "b"], "neighbor_node_ids": ["g", "e"],  # Gamma by two relations, once
        "situating_sentence": None, "model_id": None, "capped_node_ids": [],
        "text": "Acme, Beta | Acme —owns→ Gamma; Beta —in→ Delta; Gamma —follows→ Beta",
        "tokens": 21,  # 2 words, a comma, a bar; 3 times word —word→ word (5); 2 semicolons: 3 + 1 + 15 + 2
    }  # fmt: skip


def test_a_triple_reached_from_two_entities_counts_once_and_reaches_both() -> None:
    found = graph(MENTIONS, NODES, [("a", "buys", "b", 0.9), ("a", "owns", "g", 0.8)])
    (row, _) = headers(KgHeader(max_triples=2), material(CUTS, found)).iter_rows(named=True)
    assert row["neighbor_triples"] == ["Acme —buys→ Beta", "Acme —owns→ Gamma"]
    assert sorted(row["neighbor_node_ids"]) == ["a", "b", "g"]


@pytest.mark.parametrize(
    ("place", "right"),
    [
        ((0, 15), {0}),  # all of the first chunk
        ((14, 15), {0}),  # its last character
        ((14, 16), set()),  # over its end: in no chunk
        ((15, 16), set()),  # the blank between the two
        ((16, 17), {1}),  # the first character of the second
        ((37, 38), {1}),
        ((0, 38), set()),  # larger than any chunk
        ((None, None), {0, 1}),  # somewhere in the document
    ],
)
def test_a_mention_lies_wholly_inside_its_chunk(place: tuple[Any, Any], right: set[int]) -> None:
    assert _said(mentions=[("d", *place, "a", 0.9)], edges=[]) == dict.fromkeys(right, "Acme")


def test_a_mention_in_overlapping_chunks_counts_for_both_and_in_another_document_for_neither() -> None:
    cuts = [("c", 0, 20), ("d", 0, 10), ("d", 5, 15)]
    assert texts(KgHeader(), material(cuts, graph([("d", 6, 9, "a", 1)], NODES, []))) == {
        1: "Acme",
        2: "Acme",
    }


def test_gates_of_mention_node_and_relation_let_equals_through() -> None:
    mentions = [(*ACME, "a", 0.5), (*BETA, "b", 0.49), (*GAMMA, "g", 0.9), (*DELTA, "e", 0.9)]
    nodes = [("a", "Acme", 0.5), ("b", "Beta", 0.9), ("g", "Gamma", 0.49), ("e", "Delta", 0.6)]
    edges = [("a", "owns", "g", 0.5), ("a", "sees", "b", 0.49)]
    # Beta's mention and Gamma's node are unsure; a relation to Gamma stands, for it is sure itself.
    assert _said(mentions, nodes, edges) == {0: "Acme | Acme —owns→ Gamma", 1: "Delta"}


def test_without_a_sure_entity_there_is_no_header() -> None:
    assert _said(min_entity_confidence=0.95) == {}
    assert _said(mentions=[(*ACME, None, 0.9)]) == {}  # not resolved to any node


def test_order_of_entities_is_confidence_label_id() -> None:
    nodes = [("z", "Acme", 0.8), ("y", "Acme", 0.8), ("b", "Beta", 0.9), ("x", "AAA", 0.7)]
    mentions = [("d", i, i + 1, node, 0.9) for i, (node, *_) in enumerate(nodes)]
    (row,) = headers(KgHeader(), material(CUTS, graph(mentions, nodes, []))).iter_rows(named=True)
    assert row["kg_node_ids"] == ["b", "y", "z", "x"]


def test_order_of_triples_is_confidence_label_neighbor() -> None:
    nodes = [("a", "Acme", 0.9), *((n, n.upper(), 0.9) for n in ("m", "n", "o", "p"))]
    edges = [("a", "x", "p", 0.6), ("o", "x", "a", 0.6), ("a", "w", "n", 0.6), ("a", "z", "m", 0.8)]
    said = _said([(*ACME, "a", 0.9)], nodes, edges, max_neighbors_per_entity=4)
    assert said == {0: "Acme | Acme —z→ M; Acme —w→ N; O —x→ Acme; Acme —x→ P"}


def test_a_loop_is_one_relation_and_twins_of_an_edge_are_one_at_the_higher_confidence() -> None:
    edges = [("a", "is", "a", 0.9), ("a", "owns", "g", 0.5), ("a", "owns", "g", 0.7), ("a", "owns", "b", 0.6)]
    found = material(CUTS, graph([(*ACME, "a", 0.9)], NODES, edges))
    (row,) = headers(KgHeader(max_neighbors_per_entity=3), found).iter_rows(named=True)
    assert row["neighbor_triples"] == ["Acme —is→ Acme", "Acme —owns→ Gamma", "Acme —owns→ Beta"]
    assert row["capped_node_ids"] == []  # four edges, three relations


def test_the_budget_leaves_out_triples_from_the_weakest_up_then_entities() -> None:
    """Tokens: 21 in all, 15 without the last triple (`; Gamma —follows→ Beta` is 6), 9, 3, then 1."""
    found = material(CUTS, graph(MENTIONS, NODES, EDGES), texts={"d": DOC})
    whole = "Acme, Beta | Acme —owns→ Gamma; Beta —in→ Delta; Gamma —follows→ Beta"
    two, one, none = whole[:47], whole[:30], whole[:10]
    parts = {21: whole, 20: two, 15: two, 14: one, 9: one, 8: none, 3: none, 2: "Acme", 1: "Acme"}
    for budget, right in parts.items():
        (row, _) = headers(KgHeader(max_header_tokens=budget), found).iter_rows(named=True)
        assert (row["text"], row["tokens"] <= budget) == (right, True), budget
        assert row["kg_node_ids"] == ["a", "b"]  # keys stay: they are in no embedding input


def test_an_entity_too_long_for_the_budget_leaves_no_header() -> None:
    nodes = [("a", "a name of many words", 0.9)]
    assert _said([(*ACME, "a", 0.9)], nodes, [], max_header_tokens=4) == {}


def test_entities_and_triples_alone() -> None:
    found = material(CUTS, graph(MENTIONS, NODES, EDGES[:1]))
    assert texts(EntitiesOnly(), found) == {0: "Acme, Beta", 1: "Gamma, Delta"}
    assert texts(TriplesOnly(), found) == {0: "Acme —owns→ Gamma", 1: "Acme —owns→ Gamma"}
    (row, _) = headers(TriplesOnly(), found).iter_rows(named=True)
    assert (row["entities"], row["kg_node_ids"], row["neighbor_node_ids"]) == ([], ["a", "b"], ["g"])
    (row, _) = headers(EntitiesOnly(), found).iter_rows(named=True)
    assert (row["neighbor_triples"], row["kg_node_ids"], row["neighbor_node_ids"]) == ([], ["a", "b"], [])
    alone = material(CUTS, graph(MENTIONS, NODES, EDGES[1:2]))
    assert texts(TriplesOnly(), alone) == {0: "Beta —in→ Delta", 1: "Beta —in→ Delta"}
    assert texts(TriplesOnly(), material(CUTS, graph(MENTIONS, NODES, []))) == {}


def test_line_breaks_and_control_characters_of_labels_stay_out_of_the_line() -> None:
    assert _said([(*ACME, "a", 0.9)], [("a", "Ac\nme\u2028\x00 Inc", 0.9)], []) == {0: "Ac me Inc"}


def test_nothing_to_read() -> None:
    with pytest.raises(ComponentError, match="reads a knowledge graph, and was given none"):
        KgHeader().headers(material(CUTS))
    assert texts(KgHeader(), material(CUTS, graph([], [], []))) == {}
    assert texts(KgHeader(), material([], graph(MENTIONS, NODES, EDGES))) == {}


HUB_NODES = [("acme", "Acme", 1.0), *((f"n{i:03d}", f"Node {i}", 1.0) for i in range(500))]


def _hub(order: int) -> Any:
    """A43: 498 edges at 0.9, node 7 at 0.95, node 8 at 0.3; rows in some order."""
    odd = {7: 0.95, 8: 0.3}
    edges = [("acme", f"label {i % 2}", f"n{i:03d}", odd.get(i, 0.9)) for i in range(500)]
    random.Random(order).shuffle(edges)
    return material([("d", 0, 10)], graph([("d", 0, 4, "acme", 1.0)], HUB_NODES, edges))


@pytest.mark.parametrize("order", range(3))
def test_a43_a_hub_gives_its_best_three(order: int) -> None:
    """0.95 first; of those at 0.9 `label 0` before `label 1`, node 0 before node 2; the one at 0.3 never."""
    got = headers(KgHeader(max_neighbors_per_entity=3, max_triples=5), _hub(order))
    assert got["text"].to_list() == [
        "Acme | Acme —label 1→ Node 7; Acme —label 0→ Node 0; Acme —label 0→ Node 2"
    ]
    assert facts(got, 1)["hub_entities_capped"] == 1
    wide = headers(
        KgHeader(max_neighbors_per_entity=500, max_triples=500, max_header_tokens=None), _hub(order)
    )
    assert wide["neighbor_triples"].list.len().to_list() == [499]
    assert facts(wide, 1)["hub_entities_capped"] == 0


@pytest.mark.slow
def test_a43_the_header_has_the_same_bytes_for_every_hash_seed() -> None:
    script = (
        "import sys; from enrichment.test_kg_header import _hub, headers, KgHeader; import hashlib;"
        "got = headers(KgHeader(max_neighbors_per_entity=3, max_triples=5), _hub(int(sys.argv[1])));"
        "print(hashlib.sha256(got.write_ipc(None).getvalue()).hexdigest())"
    )
    said = set()
    for seed in (0, 1, 2):
        path = os.pathsep.join([str(Path(__file__).parents[1]), str(Path(__file__).parents[2])])
        env = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": path}
        done = subprocess.run(
            [sys.executable, "-c", script, str(seed)], env=env, capture_output=True, text=True, check=True
        )
        said.add(done.stdout)
    assert len(said) == 1
