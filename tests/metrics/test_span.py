"""Span measures: right values of A49 and of every selection, and agreement with sets of characters."""

from __future__ import annotations

import random

import pytest
from metrics.cases import case, values

from runner.metrics.contract import Judged, parse_measure
from runner.metrics.span import Span

THREE = ("SpanR@5", "SpanP@5", "SpanIoU@5")


def _three(chunks: list[tuple[int, int]], gold: list[tuple[int, int]], n_hits: int) -> list[float]:
    judged = case([("a", *c, 1) for c in chunks], {0: range(n_hits)}, [(0, "a", *g, 1) for g in gold], 1)
    return [v[0] for v in values(Span(), judged, *THREE).values()]


def test_a49_touching_ranges_share_nothing() -> None:
    assert _three([(0, 10)], [(10, 20)], 1) == [0, 0, 0]


def test_a49_overlapping_chunks_count_once() -> None:
    assert _three([(0, 10), (5, 15)], [(5, 10)], 2) == [5 / 5, 5 / 15, 5 / 15]


def test_a49_overlapping_gold_counts_once() -> None:
    assert _three([(0, 15)], [(0, 10), (5, 15)], 1) == [15 / 15, 15 / 15, 15 / 15]


def test_a49_nothing_retrieved_is_zero() -> None:
    assert _three([(0, 10)], [(5, 10)], 0) == [0, 0, 0]


def test_a44_queries_without_hits_stay_and_queries_without_positive_gold_go() -> None:
    chunks = [("a", 0, 10, 4), ("b", 0, 10, 4)]
    gold = [(0, "a", 0, 10, 1), (1, "b", 0, 10, 1), (2, "a", 0, 10, 0)]
    got = values(Span(), case(chunks, {0: [0], 2: [0]}, gold, 4), "SpanR@5", "Tokens@5")
    assert got == {"SpanR@5": [1.0, 0.0], "Tokens@5": [4.0, 0.0]}


def _windows() -> Judged:
    """Ten chunks of ten code points and ten tokens in each of two documents, windows of 2 before and 1 after.

    Hits: a4, b0. Windows: a2 a3 a4 a5, b0 b1. Gold: a[25,55) and b[15,20).
    """
    chunks = [(d, 10 * i, 10 * i + 10, 10) for d in "ab" for i in range(10)]
    return case(chunks, {0: [4, 10]}, [(0, "a", 25, 55, 2), (0, "b", 15, 20, 1)], 1, window=(2, 1))


def test_cutoffs_expansion_and_yield() -> None:
    got = values(
        Span(), _windows(), "SpanR@1", "SpanR", "SpanP", "SpanR@1+", "SpanR@2+", "SpanP@2+", "SpanIoU@2+",
        "Tokens@1", "Tokens@2+", "Yield@1+", "Yield@2+",
    )  # fmt: skip
    assert got == {
        "SpanR@1": [10 / 35],  # a4 of 30 + 5
        "SpanR": [10 / 35],  # b0 holds none of b[15,20)
        "SpanP": [10 / 20],
        "SpanR@1+": [(5 + 10 + 10 + 5) / 35],  # a2 a3 a4 a5
        "SpanR@2+": [35 / 35],
        "SpanP@2+": [35 / 60],
        "SpanIoU@2+": [35 / 60],
        "Tokens@1": [10.0],
        "Tokens@2+": [60.0],
        "Yield@1+": [(5 + 10 + 5) / 30],
        "Yield@2+": [(5 + 10 + 5 + 5) / 40],
    }


@pytest.mark.parametrize(
    ("budget", "recall", "tokens"),
    [
        (9, 0, 0),  # the first chunk does not fit: nothing does
        (10, 10, 10),  # a4
        (20, 20, 20),  # a4, then the nearest: the previous (a3) before the next
        (29, 20, 20),  # a5 would pass the budget and is left out whole
        (30, 25, 30),  # a4, a3, a5
        (40, 30, 40),  # and a2, two away
        (60, 35, 60),  # the second hit b0, then b1
        (9999, 35, 60),
    ],
)
def test_a_budget_is_spent_in_rank_order_nearest_first(budget: int, recall: int, tokens: int) -> None:
    got = values(Span(), _windows(), f"SpanR@{budget}t", f"Tokens@{budget}t")
    assert got == {f"SpanR@{budget}t": [recall / 35], f"Tokens@{budget}t": [float(tokens)]}


def test_filling_stops_at_the_first_chunk_that_does_not_fit() -> None:
    chunks = [("a", 0, 10, 6), ("a", 10, 20, 9), ("a", 20, 30, 1)]
    judged = case(chunks, {0: [0, 1, 2]}, [(0, "a", 0, 30, 1)], 1)
    assert values(Span(), judged, "SpanR@10t", "Tokens@10t") == {"SpanR@10t": [10 / 30], "Tokens@10t": [6.0]}


def test_a_chunk_in_two_windows_is_paid_for_once() -> None:
    # hits a1, a2, window 1/1: a1, a0, a2, then of a2's window only a3 is new
    chunks = [("a", 10 * i, 10 * i + 10, 10) for i in range(4)]
    judged = case(chunks, {0: [1, 2]}, [(0, "a", 0, 40, 1)], 1, window=(1, 1))
    assert values(Span(), judged, "Tokens@2+", "Tokens@40t", "SpanR@39t") == {
        "Tokens@2+": [40.0],
        "Tokens@40t": [40.0],
        "SpanR@39t": [30 / 40],
    }


def test_hits_are_in_the_context_even_when_no_expansion_was_recorded() -> None:
    judged = case([("a", 0, 10, 10)], {0: [0]}, [(0, "a", 0, 20, 1)], 1)
    bare = Judged(
        1, judged.ranking, judged.expansion.clear(), judged.chunks, judged.judgments, judged.doc_ids
    )
    assert values(Span(), bare, "SpanR@5+", "SpanR@10t", "Yield@5+") == {
        "SpanR@5+": [10 / 20],
        "SpanR@10t": [10 / 20],
        "Yield@5+": [0.0],  # nothing was added
    }


def test_omega_is_the_precision_of_all_chunks_that_share_text_with_gold() -> None:
    # gold a[8,12): chunks [0,10) and [10,20) share 2 each, [20,30) none
    chunks = [("a", i, i + 10, 1) for i in (0, 10, 20)]
    got = values(Span(), case(chunks, {}, [(0, "a", 8, 12, 1)], 1), "SpanPΩ", "SpanPOmega", "SpanP\u2126")
    assert got == {"SpanPΩ": [4 / 20], "SpanPOmega": [4 / 20], "SpanP\u2126": [4 / 20]}


@pytest.mark.parametrize(
    "name", ["SpanPΩ@5", "Yield@5", "Yield", "Yield@100t", "SpanF@5", "nDCG@10", "ChromaR"]
)
def test_what_is_refused(name: str) -> None:
    assert not Span().accepts(parse_measure(name))


def test_tokens_alone_need_no_spans() -> None:
    assert not Span().needs_spans(parse_measure("Tokens@5+"))
    assert Span().needs_spans(parse_measure("SpanR@5"))


def _random_case(rng: random.Random) -> tuple[list, dict, list, Judged, tuple[int, int]]:
    chunks = []
    for doc in "abc":
        start = 0
        while start < 60:
            chunks.append((doc, start, start + rng.randint(1, 20), rng.randint(1, 9)))
            start += rng.randint(1, 15)
    gold = []
    for q in range(6):
        for i in range(rng.randint(1, 4)):
            s = rng.randint(0, 80)
            gold.append((q, rng.choice("abc"), s, s + rng.randint(1, 25), 1 if i == 0 else rng.randint(0, 2)))
    hits = {q: rng.sample(range(len(chunks)), rng.randint(0, 7)) for q in range(6)}
    window = (rng.randint(0, 2), rng.randint(0, 2))
    return chunks, hits, gold, case(chunks, hits, gold, 7, window), window


@pytest.mark.parametrize("seed", range(40))
def test_random_cases_agree_with_sets_of_characters(seed: int) -> None:  # noqa: C901
    chunks, hits, gold, judged, (prev, following) = _random_case(random.Random(seed))
    names = [
        f"{m}{c}" for m in ("SpanR", "SpanP", "SpanIoU", "Tokens") for c in ("@3", "", "@2+", "@7+", "@20t")
    ]
    got = values(Span(), judged, *names, "Yield@2+", "SpanPΩ")

    def letters(some: list[int]) -> set[tuple[str, int]]:
        return {(chunks[c][0], x) for c in some for x in range(*chunks[c][1:3])}

    def filled(q: int, cutoff: int, budget: float) -> list[int]:
        out: list[int] = []
        for c in hits[q][:cutoff]:
            steps = sorted(range(-prev, following + 1), key=lambda o: (abs(o), o > 0))
            for n in (c + o for o in steps):
                if not 0 <= n < len(chunks) or chunks[n][0] != chunks[c][0] or n in out:
                    continue
                if sum(chunks[i][3] for i in [*out, n]) > budget:
                    return out
                out.append(n)
        return out

    for q in range(6):
        g = {(d, x) for p, d, s, e, grade in gold if p == q and grade > 0 for x in range(s, e)}
        selections = {
            "@3": hits[q][:3], "": hits[q],
            "@2+": filled(q, 2, 1e9), "@7+": filled(q, 7, 1e9), "@20t": filled(q, 99, 20),
        }  # fmt: skip
        for suffix, some in selections.items():
            c = letters(some)
            assert got[f"SpanR{suffix}"][q] == len(c & g) / len(g)
            assert got[f"SpanP{suffix}"][q] == (len(c & g) / len(c) if c else 0)
            assert got[f"SpanIoU{suffix}"][q] == len(c & g) / len(c | g)
            assert got[f"Tokens{suffix}"][q] == sum(chunks[i][3] for i in set(some))
        small, large = letters(hits[q][:2]), letters(selections["@2+"])
        gained = len(large & g) - len(small & g)
        assert got["Yield@2+"][q] == (gained / (len(large) - len(small)) if large != small else 0)
        best = letters([i for i in range(len(chunks)) if letters([i]) & g])
        assert got["SpanPΩ"][q] == (len(best & g) / len(best) if best else 0)
