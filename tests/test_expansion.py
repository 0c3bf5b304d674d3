"""Neighbor expansion: never past a document's edge, never twice in the context, never a hit relabelled."""

from __future__ import annotations

import random
from collections.abc import Sequence

import polars as pl
import pytest

from runner import expansion, order

Window = tuple[list[int], list[int]]


def _chunks(*sizes: int) -> pl.DataFrame:
    """Documents `d0`, `d1`, … of so many chunks; chunk row i has i + 1 tokens."""
    rows = [(f"d{d}", i) for d, size in enumerate(sizes) for i in range(size)]
    frame = pl.DataFrame(rows, schema={"doc_id": pl.String, "chunk_index": pl.Int64}, orient="row")
    return frame.with_columns(tokens=pl.int_range(1, pl.len() + 1, dtype=pl.Int64))


def _ranking(*hits: Sequence[int]) -> order.Ranking:
    """One query per sequence of chunk rows, best first."""
    rows = [(q, c, r) for q, some in enumerate(hits) for r, c in enumerate(some, 1)]
    schema = {"query": pl.Int64, "chunk": pl.Int64, "final_rank": pl.Int64}
    return order.ranking(pl.DataFrame(rows, schema=schema, orient="row"))


def _expanded(
    ranking: order.Ranking, chunks: pl.DataFrame, prev: int, following: int
) -> tuple[dict[int, Window], list[tuple[int, str]]]:
    """Of query 0: per hit (by chunk) its neighbors before and after, in score order; and the context."""
    windows = expansion.windows(ranking, chunks, prev, following)
    tree: dict[int, Window] = {}
    for (_, _), rows in windows.filter(pl.col("query") == 0).group_by(
        "query", "hit_rank", maintain_order=True
    ):
        hit = rows.filter(pl.col("offset") == 0)["chunk"].item()
        before, after = (
            rows.filter(side)["chunk"].to_list() for side in (pl.col("offset") < 0, pl.col("offset") > 0)
        )
        tree[hit] = (before, after)
    context = expansion.context(windows, chunks).filter(pl.col("query") == 0)
    assert context["position"].to_list() == list(range(1, context.height + 1))
    assert context["tokens"].to_list() == [c + 1 for c in context["chunk"]]
    return tree, list(context.select("chunk", "role").iter_rows())


def test_a14_neighbors_come_from_the_same_document() -> None:
    chunks = _chunks(3, 3)  # A#0 A#1 A#2 B#0 B#1 B#2
    assert _expanded(_ranking([2]), chunks, 1, 1) == ({2: ([1], [])}, [(1, "neighbor"), (2, "hit")])
    assert _expanded(_ranking([3]), chunks, 1, 1) == ({3: ([], [4])}, [(3, "hit"), (4, "neighbor")])


def test_a15_a_hit_stays_a_hit_and_nothing_is_cut() -> None:
    tree, flat = _expanded(_ranking([1, 0]), _chunks(5), 1, 1)
    assert list(tree.items()) == [(1, ([0], [2])), (0, ([], [1]))]
    assert flat == [(0, "hit"), (1, "hit"), (2, "neighbor")]


def test_a15_roles_in_a_window_say_what_a_chunk_is_for_the_query() -> None:
    windows = expansion.windows(_ranking([1, 0], [4]), _chunks(5), 1, 1)
    assert windows.rows() == [
        (0, 1, -1, 0, "hit"), (0, 1, 0, 1, "hit"), (0, 1, 1, 2, "neighbor"),
        (0, 2, 0, 0, "hit"), (0, 2, 1, 1, "hit"),
        (1, 1, -1, 3, "neighbor"), (1, 1, 0, 4, "hit"),
    ]  # fmt: skip


def test_a16_a_shared_neighbor_is_in_both_windows_and_once_in_the_context() -> None:
    tree, flat = _expanded(_ranking([7, 5]), _chunks(10), 1, 1)
    assert list(tree.items()) == [(7, ([6], [8])), (5, ([4], [6]))]
    assert flat == [(4, "neighbor"), (5, "hit"), (6, "neighbor"), (7, "hit"), (8, "neighbor")]


def test_a16_documents_come_by_their_best_hit_and_chunks_by_index() -> None:
    """Hits d2#1, d0#3, d2#0, d0#0: d2 is first, then d0; d1 has none."""
    chunks = _chunks(4, 2, 3)  # rows 0-3, 4-5, 6-8
    _, flat = _expanded(_ranking([7, 3, 6, 0]), chunks, 0, 1)
    assert flat == [(6, "hit"), (7, "hit"), (8, "neighbor"), (0, "hit"), (1, "neighbor"), (3, "hit")]


def test_a17_adjacent_chunks_that_overlap_are_not_joined() -> None:
    """Each chunk of the context keeps its own row, so its own span and text; nothing is glued together."""
    text = "Owls hunt at night. Cats nap."
    spans = [(0, 12), (8, 20), (16, 28), (24, 29)]  # each shares 4 characters with the one before
    chunks = _chunks(4).with_columns(
        start=pl.Series([s for s, _ in spans]), end=pl.Series([e for _, e in spans])
    )
    _, flat = _expanded(_ranking([1]), chunks, 1, 1)
    assert flat == [(0, "neighbor"), (1, "hit"), (2, "neighbor")]
    kept = [text[chunks["start"][c] : chunks["end"][c]] for c, _ in flat]
    assert kept == ["Owls hunt at", "t at night. ", "ht. Cats nap"]


def test_without_neighbors_windows_are_the_hits() -> None:
    windows = expansion.windows(_ranking([4, 2], [], [0]), _chunks(5), 0, 0)
    assert windows.rows() == [(0, 1, 0, 4, "hit"), (0, 2, 0, 2, "hit"), (2, 1, 0, 0, "hit")]
    context = expansion.context(windows, _chunks(5))
    assert context.rows() == [(0, 1, 2, "hit", 3), (0, 2, 4, "hit", 5), (2, 1, 0, "hit", 1)]


def test_windows_wider_than_a_document() -> None:
    tree, flat = _expanded(_ranking([1]), _chunks(2, 3, 2), 50, 50)
    assert tree == {1: ([0], [])}
    assert flat == [(0, "neighbor"), (1, "hit")]
    assert _expanded(_ranking([0]), _chunks(1), 3, 3) == ({0: ([], [])}, [(0, "hit")])
    endless = expansion.windows(_ranking(range(5)), _chunks(5, 9), 10**12, 10**12)  # takes no memory
    assert endless.height == 5 * 5


def test_nothing_found() -> None:
    for prev, following in ((0, 0), (2, 1)):
        windows = expansion.windows(_ranking([]), _chunks(3), prev, following)
        assert windows.rows() == []
        assert windows.columns == ["query", "hit_rank", "offset", "chunk", "role"]
        context = expansion.context(windows, _chunks(3))
        assert context.rows() == []
        assert context.columns == ["query", "position", "chunk", "role", "tokens"]


def _brute(
    hits: list[int], documents: list[str], prev: int, following: int
) -> tuple[list[tuple[int, int, int, str]], list[tuple[int, str]]]:
    """Windows (hit_rank, offset, chunk, role) and context (chunk, role), the slow and plain way."""
    windows = []
    for rank, hit in enumerate(hits, 1):
        for offset in range(-prev, following + 1):
            chunk = hit + offset
            if 0 <= chunk < len(documents) and documents[chunk] == documents[hit]:
                windows.append((rank, offset, chunk, "hit" if chunk in hits else "neighbor"))
    best: dict[str, int] = {}
    for rank, hit in enumerate(hits, 1):
        best.setdefault(documents[hit], rank)
    union = {c: role for _, _, c, role in windows}
    flat = sorted(union, key=lambda c: (best[documents[c]], c))
    return windows, [(c, union[c]) for c in flat]


@pytest.mark.parametrize("seed", range(60))
def test_against_brute_force(seed: int) -> None:
    draw = random.Random(seed)
    chunks = _chunks(*(draw.randint(1, 7) for _ in range(draw.randint(1, 6))))
    documents = chunks["doc_id"].to_list()
    n = len(documents)
    hits = [draw.sample(range(n), draw.randint(0, min(n, 6))) for _ in range(4)]
    prev, following = draw.randint(0, 3), draw.randint(0, 3)
    windows = expansion.windows(_ranking(*hits), chunks, prev, following)
    context = expansion.context(windows, chunks)
    for query, some in enumerate(hits):
        right_windows, right_context = _brute(some, documents, prev, following)
        mine = windows.filter(pl.col("query") == query)
        assert mine.select("hit_rank", "offset", "chunk", "role").rows() == right_windows
        flat = context.filter(pl.col("query") == query)
        assert flat.select("chunk", "role").rows() == right_context
        assert flat["position"].to_list() == list(range(1, len(right_context) + 1))
    assert windows["query"].to_list() == sorted(windows["query"])
    assert context["query"].to_list() == sorted(context["query"])
