"""`kg_header` over random graphs: as the slow way has it, the same bytes in any order, never over a cap."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import polars as pl
from enrichment.graphs import drawn, graph, headers, material, shuffled_rows
from enrichment.plain import Caps, plainly
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizer.toys import byte_level_json

from runner import tables
from runner.enrichment.contract import Enrichment, Material
from runner.enrichment.entities_only import EntitiesOnly
from runner.enrichment.kg_header import KgHeader
from runner.enrichment.shuffled import Shuffled
from runner.enrichment.triples_only import TriplesOnly
from runner.tokenizer._fast import from_json

SEEDS = st.integers(0, 10**6)


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(1, 4), st.integers(1, 6), st.one_of(st.none(), st.integers(1, 40)))
def test_it_is_what_the_slow_way_gives(seed: int, neighbors: int, triples: int, budget: int | None) -> None:
    found = drawn(seed)
    made = KgHeader(max_neighbors_per_entity=neighbors, max_triples=triples, max_header_tokens=budget)
    want = plainly(found, Caps(neighbors, triples, budget))
    got = {row["chunk"]: row for row in headers(made, found).iter_rows(named=True)}
    assert got.keys() == want.keys()
    for chunk, row in want.items():
        for column in ("entities", "neighbor_triples", "kg_node_ids", "capped_node_ids"):
            assert got[chunk][column] == row[column], (chunk, column)
        assert sorted(got[chunk]["neighbor_node_ids"]) == sorted(row["neighbors"])


@settings(max_examples=40, deadline=None)
@given(SEEDS, SEEDS)
def test_no_order_of_rows_changes_a_byte(seed: int, other: int) -> None:
    found = drawn(seed)
    assert found.graph is not None
    turned = Material(
        found.documents.reverse(), found.chunks, found.texts, found.tokens,
        graph=shuffled_rows(found.graph, random.Random(other)),
    )  # fmt: skip
    for made in (KgHeader(), EntitiesOnly(), TriplesOnly(), Shuffled()):
        assert _bytes(made, found) == _bytes(made, turned)


def _bytes(made: Enrichment, found: Material) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "headers.parquet"
        tables.write(headers(made, found), path)
        return path.read_bytes()


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(1, 4), st.integers(1, 6), st.integers(1, 30))
def test_caps_are_never_exceeded(seed: int, neighbors: int, triples: int, budget: int) -> None:
    found = drawn(seed)
    caps = {"max_neighbors_per_entity": neighbors, "max_triples": triples, "max_header_tokens": budget}
    for made in (
        KgHeader(**caps),
        TriplesOnly(**caps),
        Shuffled(**caps),
        EntitiesOnly(max_header_tokens=budget),
    ):
        got = headers(made, found)
        assert (got["tokens"] <= budget).all()
        assert (got["neighbor_triples"].list.len() <= triples).all()
        assert got["text"].to_list() == [t for t in got["text"] if t]


def test_the_budget_holds_for_a_tokenizer_that_joins_and_splits_as_it_likes(tmp_path: Path) -> None:
    """A token is a byte: `—` has three, and a header of 30 has room for one triple of 24 bytes at most."""
    tokens = from_json(byte_level_json(tmp_path))
    for seed in range(30):
        found = drawn(seed)
        given_ = Material(found.documents, found.chunks, found.texts, tokens, graph=found.graph)
        for made in (KgHeader(max_header_tokens=30), TriplesOnly(max_header_tokens=30)):
            got = headers(made, given_)
            assert [len(t.encode()) for t in got["text"]] == got["tokens"].to_list()
            assert (got["tokens"] <= 30).all()


def test_a_hub_in_500_chunks_contributes_its_top_relations_to_each() -> None:
    """300 relations of falling confidence: chunk by chunk the same three, whatever else is there."""
    cuts = [("d", 10 * i, 10 * i + 10) for i in range(500)]
    mentions = [("d", 10 * i, 10 * i + 4, "hub", 1.0) for i in range(500)]
    mentions += [("d", 10 * i + 5, 10 * i + 9, f"n{i % 50:03d}", 0.9) for i in range(500)]
    nodes = [("hub", "Hub", 1.0)] + [(f"n{i:03d}", f"Node {i}", 0.9) for i in range(300)]
    edges = [("hub", "has", f"n{i:03d}", 0.5 + i / 1000) for i in range(300)]
    got = headers(KgHeader(max_header_tokens=None), material(cuts, graph(mentions, nodes, edges)))
    assert got.height == 500
    top = [f"Hub —has→ Node {i}" for i in (299, 298, 297)]
    for row, said in enumerate(got["neighbor_triples"].to_list()):
        # 0.799, 0.798, 0.797 of the hub; then the one relation of the other entity, node 0 to 49
        assert said == [*top, f"Hub —has→ Node {row % 50}"]
    assert got["capped_node_ids"].explode().unique().to_list() == ["hub"]
    assert got.select(pl.col("capped_node_ids").list.len()).to_series().to_list() == [1] * 500
