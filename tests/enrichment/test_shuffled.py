"""`shuffled`: everybody gets another's header of like length, never the same words where that can be."""

from __future__ import annotations

from collections import Counter

import pytest
from enrichment.graphs import drawn, graph, headers, material, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.enrichment.kg_header import KgHeader
from runner.enrichment.shuffled import Shuffled


def _named(labels: list[str]) -> dict[str, object]:
    """A chunk for each label, which is its header."""
    cuts = [("d", 10 * i, 10 * i + 10) for i in range(len(labels))]
    mentions = [("d", 10 * i, 10 * i + 1, f"n{i}", 1.0) for i in range(len(labels))]
    return {"cuts": cuts, "found": graph(mentions, [(f"n{i}", t, 1.0) for i, t in enumerate(labels)], [])}


def _exchange(labels: list[str], seed: int = 0) -> list[str]:
    got = texts(Shuffled(seed=seed), material(**_named(labels)))  # type: ignore[arg-type]
    return [got[i] for i in range(len(labels))]


def test_a_pair_changes_places() -> None:
    assert _exchange(["owl", "bat"]) == ["bat", "owl"]


def test_the_whole_header_goes_over() -> None:
    cuts = [("d", 0, 10), ("d", 10, 20)]
    found = graph([("d", 0, 1, "a", 1), ("d", 10, 11, "b", 1)], [("a", "Acme", 1), ("b", "Beta", 1)],
                  [("a", "is", "a", 1)])  # fmt: skip
    given_ = material(cuts, found)
    own, other = headers(KgHeader(), given_), headers(Shuffled(), given_)
    places = ["chunk", "chunk_id"]
    assert other.drop(places).rows() == own.drop(places).reverse().rows()
    assert other.select(places).rows() == own.select(places).rows()


def test_one_header_has_no_other() -> None:
    assert texts(Shuffled(), material(**_named(["owl"]))) == {}  # type: ignore[arg-type]


def test_like_goes_with_like() -> None:
    """1, 1, 20 and 20 tokens: 1 // 8 = 0 and 20 // 8 = 2, so the short change with the short."""
    long = [" ".join([word] * 20) for word in ("fox", "cat")]
    assert _exchange(["owl", long[0], "bat", long[1]]) == ["bat", long[1], "owl", long[0]]


def test_a_length_of_its_own_joins_the_next() -> None:
    long = [" ".join([word] * 20) for word in ("fox", "cat")]
    got = _exchange(["owl", *long])
    assert sorted(got) == sorted(["owl", *long])
    assert all(a != b for a, b in zip(got, ["owl", *long], strict=True))
    got = _exchange([*long, "owl", "bat", "x " * 60])  # the last has nobody after it
    assert all(a != b for a, b in zip(got, [*long, "owl", "bat", " ".join(["x"] * 60)], strict=True))


@pytest.mark.parametrize(
    "labels", [["a", "a", "b", "b"], ["a", "a", "a", "b", "c", "d"], ["a", "b", "a", "c"]]
)
@pytest.mark.parametrize("seed", range(5))
def test_the_same_words_from_another_are_no_placebo(labels: list[str], seed: int) -> None:
    got = _exchange(labels, seed)
    assert Counter(got) == Counter(labels)
    assert all(mine != given_ for mine, given_ in zip(labels, got, strict=True))


def test_where_most_say_the_same_somebody_gets_the_same_words_but_from_another() -> None:
    """Three of four are `a`: one of the three gets `b`, the chunk with `b` gets `a`."""
    got = _exchange(["a", "a", "a", "b"])
    assert got[3] == "a"
    assert Counter(got) == Counter(["a", "a", "a", "b"])


def test_another_seed_is_another_exchange_and_the_same_seed_is_the_same() -> None:
    labels = [f"word{i}" for i in range(12)]
    assert _exchange(labels, 1) == _exchange(labels, 1)
    assert len({tuple(_exchange(labels, s)) for s in range(8)}) > 1


def test_a_long_cycle_not_a_swap_of_neighbors() -> None:
    """Of 200 headers only a few come from the chunk beside: the order is drawn, not that of chunks."""
    labels = [f"word{i}" for i in range(200)]
    got = [int(t.removeprefix("word")) for t in _exchange(labels)]
    assert sum(abs(i - j) <= 1 for i, j in enumerate(got)) < 10


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 5))
def test_each_header_is_given_once_and_never_to_its_own(seed: int, number: int) -> None:
    found = drawn(seed)
    own, other = texts(KgHeader(), found), texts(Shuffled(seed=number), found)
    if len(own) < 2:
        assert other == {}
        return
    assert Counter(own.values()) == Counter(other.values())
    assert own.keys() == other.keys()
    most = max(Counter(own.values()).values())
    if 2 * most <= len(own):
        # Groups of like length are joined until each can be deranged; all together can, so each could.
        assert all(own[c] != other[c] for c in own)
