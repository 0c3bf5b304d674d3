"""Which key moves with which knob: an output is found again exactly when nothing it depends on moved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from enrichment.graphs import bring, graph
from helpers import DOCUMENTS, GOLD, QUERIES, choice, config, done, prepared, session, tiny

from runner import pipeline, registry
from runner.errors import RequestError
from runner.keyring import Keyring

BASE: dict[str, Any] = {"reranker": "overlap"}
STAGES = ("chunks", "embedding", "index:bm25", "index:vector", "leg:bm25", "leg:vector", "run")
TEXTS = set(STAGES)
"""Everything: what moves when the chunks move."""
VECTORS = {"embedding", "index:vector", "leg:vector", "run"}
BM25 = {"index:bm25", "leg:bm25", "run"}
GRAPH = graph([("birds", 0, 5, "heron", 0.9)], [("heron", "Heron", 0.9)], [("heron", "is", "heron", 0.9)])


@pytest.fixture
def at(tmp_path: Path) -> Path:
    bring(GRAPH, tiny(tmp_path / "data"))
    return tmp_path


def _keys(k: Keyring) -> dict[str, str | None]:
    legs = {f"leg:{n}": key for n, key in k.legs.items()} | {
        f"index:{n}": key for n, key in k.indexes.items()
    }
    return {"chunks": k.chunks, "embedding": k.embedding, "run": k.run, **legs}


def _moved(at: Path, before: dict[str, Any], after: dict[str, Any], data: str = "data") -> set[str]:
    """The stages whose keys differ."""
    one, other = (_keys(prepared(at / d, at / "out", **c)[1]) for d, c in (("data", before), (data, after)))
    return {s for s in one.keys() | other.keys() if one.get(s) != other.get(s)}


@pytest.mark.parametrize(
    ("change", "right"),
    [
        ({"strategy__size": 3}, TEXTS),
        ({"strategy__overlap": 1}, TEXTS),
        ({"strategy__unit": "characters"}, TEXTS),
        ({"strategy": "sentence"}, TEXTS),
        ({"embedding__dimensions": 32}, VECTORS),
        ({"embedding__query_prompt": "query: "}, VECTORS),
        ({"embedding__document_prompt": "passage: "}, VECTORS),
        ({"retrieval__legs__bm25__k1": 1.2}, BM25),
        ({"retrieval__legs__bm25__b": 0.4}, BM25),
        ({"retrieval__legs__bm25__variant": "bm25+"}, BM25),
        ({"retrieval__legs__bm25__stopwords": "none"}, BM25),
        ({"retrieval__legs__bm25__stemmer": "none"}, BM25),
        ({"retrieval__legs__bm25__depth": 3}, {"leg:bm25", "run"}),
        ({"retrieval__legs__vector__depth": 3}, {"leg:vector", "run"}),
        ({"fusion__weight": 0.2}, {"run"}),
        ({"fusion": "rrf"}, {"run"}),
        ({"reranker__pool": 3}, {"run"}),
        ({"reranker__on_error": "fallback"}, {"run"}),
        ({"reranker": "none"}, {"run"}),
        ({"top_k": 4}, {"run"}),
        ({"neighbor_prev": 1}, {"run"}),
        ({"neighbor_next": 1}, {"run"}),
        ({"threshold": {"similarity": 0.1}}, {"run"}),
        ({"threshold": {"score": 0.1}}, {"run"}),
        ({"filter": {"lang": "en"}}, {"run"}),
        ({"metrics__measures": ["RR@3"]}, {"run"}),
        ({"seed": 1}, {"run"}),
        ({"metrics__name": "mine"}, set()),
        ({"retrieval__name": "mine"}, set()),
        ({"dataset__on_bad": "skip"}, set()),
        ({"retrieval__legs__bm25__k1": 1.5}, set()),
        ({"enrichment": "title"}, VECTORS),
        ({"enrichment": "kg_header"}, VECTORS),
    ],
    ids=str,
)
def test_a60_a_knob_moves_the_keys_of_what_depends_on_it(
    change: dict[str, Any], right: set[str], at: Path
) -> None:
    assert _moved(at, BASE, BASE | change) == right


def test_knobs_of_enrichment_move_what_reads_vectors(at: Path) -> None:
    before = {"enrichment": "kg_header"}
    for knob in ("max_triples", "max_header_tokens", "max_neighbors_per_entity"):
        assert _moved(at, before, {**before, f"enrichment__{knob}": 5}) == VECTORS
    assert _moved(at, before, {**before, "tokenizer": "wordpiece", "strategy__unit": "characters"}) >= VECTORS


def test_a_graph_moves_the_keys_of_headers_that_read_it(at: Path) -> None:
    other = graph([("birds", 0, 5, "heron", 0.8)], [("heron", "Heron", 0.9)], [])
    bring(other, tiny(at / "other"))
    tiny(at / "without")
    for enrichment, right in (("kg_header", VECTORS), ("title", set()), ("none", set())):
        chosen = {"enrichment": enrichment}
        assert _moved(at, chosen, chosen, data="other") == right
    assert _moved(at, {}, {}, data="without") == set()
    with pytest.raises(RequestError, match="kg=given: the data set native brings no graph, which enrichment"):
        prepared(at / "without", at / "out", enrichment="kg_header")


def test_a_whole_number_is_the_same_knob_as_its_float(at: Path) -> None:
    one, other = ({"retrieval__legs__bm25__k1": k} for k in (1, 1.0))
    assert _moved(at, one, other) == set()


def test_the_order_of_legs_and_filters_moves_nothing(at: Path) -> None:
    legs = choice("retrieval", "hybrid")["legs"]
    back = dict(reversed(legs.items()))
    before = {"retrieval__legs": legs, "filter": {"lang": "en", "year": 2020}}
    assert _moved(at, before, {"retrieval__legs": back, "filter": {"year": 2020, "lang": "en"}}) == set()


@pytest.mark.parametrize(
    ("part", "right"),
    [
        ({"documents": [*DOCUMENTS[:2], {**DOCUMENTS[2], "text": "maple birch willow zinc copper"}]}, TEXTS),
        ({"documents": [*DOCUMENTS[:2], {**DOCUMENTS[2], "metadata": {"lang": "fr"}}]}, TEXTS),
        ({"queries": [*QUERIES[:4], {"query_id": "q5", "text": "other"}]}, {"leg:bm25", "leg:vector", "run"}),
        ({"gold": GOLD[:3]}, {"run"}),
        ({"documents": DOCUMENTS[::-1], "queries": QUERIES[::-1], "gold": GOLD[::-1]}, set()),
    ],
)
def test_data_moves_the_keys_by_its_content(part: dict[str, Any], right: set[str], at: Path) -> None:
    tiny(at / "other", **part)
    assert _moved(at, {}, {}, data="other") == right


@pytest.mark.parametrize(
    ("before", "change", "path"),
    [
        ({"strategy": "sentence"}, {"neighbor_prev": 2}, "neighbor_prev"),
        ({"strategy": "document"}, {"neighbor_next": 2}, "neighbor_next"),
        ({"retrieval": "bm25"}, {"embedding__dimensions": 32}, "embedding"),
        ({"retrieval": "bm25"}, {"embedding": "minilm"}, "embedding"),
        ({"retrieval": "bm25"}, {"enrichment": "kg_header"}, "enrichment"),
        ({"retrieval": "bm25"}, {"threshold": {"similarity": 0.5}}, "threshold.similarity"),
        ({"retrieval": "bm25"}, {"fusion": "rrf"}, "fusion"),
        ({"retrieval": "vector"}, {"fusion__weight": 0.9}, "fusion"),
    ],
)
def test_a_knob_that_does_not_apply_moves_nothing_and_is_named(
    before: dict[str, Any], change: dict[str, Any], path: str, at: Path
) -> None:
    assert _moved(at, before, before | change) == set()
    p, _ = prepared(at / "data", at / "out", **before | change)
    assert path in p.not_applied


def test_cells_that_coincide_are_computed_once(at: Path) -> None:
    here = session(at / "out")
    first = pipeline.run(config(at / "data", strategy="sentence"), here)
    second = pipeline.run(config(at / "data", strategy="sentence", neighbor_prev=2), here)
    assert (first.found, second.found) == (False, True)
    assert first.run_key == second.run_key
    assert second.not_applied["neighbor_prev"] == "strategy sentence has no windows to widen"


RAISED: list[tuple[str, str, dict[str, Any], set[str]]] = [
    ("tokenizer", "words", {}, TEXTS),
    ("strategy", "fixed_size", {}, TEXTS),
    ("kg", "given", {}, set()),
    ("kg", "given", {"enrichment": "kg_header"}, VECTORS),
    ("enrichment", "kg_header", {"enrichment": "kg_header"}, VECTORS),
    ("enrichment", "title", {"enrichment": "title"}, VECTORS),
    ("enrichment", "none", {}, set()),
    ("embedding", "hashing", {}, VECTORS),
    ("retrieval", "bm25", {}, BM25),
    ("retrieval", "vector", {}, {"index:vector", "leg:vector", "run"}),
    ("fusion", "bonus", {}, {"run"}),
    ("fusion", "bonus", {"retrieval": "bm25"}, set()),
    ("reranker", "overlap", BASE, {"run"}),
    ("metrics", "span", {}, {"run"}),
    ("metrics", "rank", {}, {"run"}),
    ("metrics", "chroma", {}, set()),
    ("dataset", "native", {}, set()),
]
"""A component, the config that it is raised under, and what must then be computed again."""


@pytest.mark.parametrize(
    ("group", "name", "changes", "right"), RAISED, ids=lambda v: v if isinstance(v, str) else ""
)
def test_a60_a_raised_version_moves_the_keys_of_what_depends_on_it(
    group: str, name: str, changes: dict[str, Any], right: set[str], at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, old = prepared(at / "data", at / "out", **changes)
    monkeypatch.setattr(registry.component_class(group, name), "version", 2)
    after, new = prepared(at / "data", at / "out", **changes)
    keys = _keys(old), _keys(new)
    assert {s for s in keys[0] if keys[0][s] != keys[1][s]} == right
    assert (old.corpus != new.corpus) == (group == "dataset")
    assert before.not_applied == after.not_applied


def test_every_group_has_a_raised_version_above() -> None:
    assert {g for g, *_ in RAISED} == set(registry.GROUPS)


def test_a60_versions_of_the_libraries_that_compute_are_in_the_key(
    at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _keys(prepared(at / "data", at / "out")[1])
    installed: Callable[[str], str] = lambda package: "99.0"  # noqa: E731
    monkeypatch.setattr("runner.retrieval.bm25.installed", installed)
    after = _keys(prepared(at / "data", at / "out")[1])
    assert {s for s in before if before[s] != after[s]} == BM25


def test_keys_are_in_the_record(at: Path) -> None:
    run = done(at / "data", at / "out")
    _, k = prepared(at / "data", at / "out")
    assert run.key == k.run
    assert run.meta["keys"] == {
        "corpus": k.corpus, "chunks": k.chunks, "kg": None, "enrichment": None, "model": k.model,
        "embedding": k.embedding, "indexes": k.indexes, "legs": k.legs,
    }  # fmt: skip
