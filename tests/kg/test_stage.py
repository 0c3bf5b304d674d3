"""The books of the graph: what a component may not give, each fault named; rows in one order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from kg.texts import documents

from runner import tables
from runner.errors import ComponentError
from runner.kg import stage
from runner.kg.contract import Graph
from runner.kg.given import Given
from runner.records import Edge, Mention, Node

TEXTS = documents("Ann met Bob")
MENTIONS = [
    ("m2", "d0", 8, 11, "P", 1.0, "b"),
    ("m1", "d0", 0, 3, "P", 0.5, "a"),
    ("m3", "d0", None, None, "P", 1.0, None),
]
NODES = [("b", "Bob", "P", 1.0), ("a", "Ann", "P", 0.0)]
EDGES = [("b", "met", "a", 1.0, "[]"), ("a", "met", "b", 1.0, "[]")]


def rows(record: type, *given: tuple[Any, ...]) -> pl.DataFrame:
    return pl.DataFrame(list(given), tables.schema(record), orient="row")


SOUND = Graph(rows(Mention, *MENTIONS), rows(Node, *NODES), rows(Edge, *EDGES))


def test_a_sound_graph_comes_out_sorted() -> None:
    made = stage.checked(SOUND, TEXTS, "toy")
    assert made.mentions["mention_id"].to_list() == ["m1", "m2", "m3"]
    assert made.nodes["node_id"].to_list() == ["a", "b"]
    assert made.edges["source"].to_list() == ["a", "b"]
    assert stage.facts(made) == {"mentions": 3, "nodes": 2, "edges": 2}


@pytest.mark.parametrize(
    ("part", "row", "said"),
    [
        ("mentions", ("m1", "d0", 0, 3, "P", 1.0, None), "a mention_id twice"),
        ("mentions", ("m9", "d7", 0, 3, "P", 1.0, None), "a mention of an unknown document"),
        ("mentions", ("m9", "d0", 8, 12, "P", 1.0, None), "a mention outside its document"),
        ("mentions", ("m9", "d0", 3, 3, "P", 1.0, None), "a mention outside its document"),
        ("mentions", ("m9", "d0", 3, None, "P", 1.0, None), "a mention outside its document"),
        ("mentions", ("m9", "d0", 0, 3, "P", 1.0, "z"), "a mention of an unknown node"),
        ("mentions", ("m9", "d0", 0, 3, "P", 1.1, None), "a confidence outside [0, 1] among the mentions"),
        ("nodes", ("a", "Again", "P", 1.0), "a node_id twice"),
        ("nodes", ("c", "Cid", "P", float("nan")), "a confidence outside [0, 1] among the nodes"),
        ("edges", ("z", "met", "a", 1.0, "[]"), "an edge from an unknown node"),
        ("edges", ("a", "met", "z", 1.0, "[]"), "an edge to an unknown node"),
        ("edges", ("a", "saw", "b", None, "[]"), "a confidence outside [0, 1] among the edges"),
    ],
)
def test_a_fault_is_named(part: str, row: tuple[Any, ...], said: str) -> None:
    frame = getattr(SOUND, part)
    bad = replace(SOUND, **{part: pl.concat([frame, pl.DataFrame([row], frame.schema, orient="row")])})
    with pytest.raises(ComponentError, match="kg toy: ") as caught:
        stage.checked(bad, TEXTS, "toy")
    assert said in str(caught.value)
    assert str(row[0]) in str(caught.value)


def test_given_is_what_the_data_set_brings_and_cannot_be_without() -> None:
    assert Given().graph(TEXTS, SOUND) is SOUND
    assert Given().identity() == {}
    with pytest.raises(ComponentError, match="brings no graph; kg=extract makes one"):
        Given().graph(TEXTS, None)
