"""Rank measures: right values of A44 to A48, units, and agreement with trec_eval on whole runs."""

from __future__ import annotations

import random
from math import log2

import polars as pl
import pytest
import pytrec_eval
from metrics.cases import case, documents, values

from runner.metrics.contract import Judged, parse_measure
from runner.metrics.rank import Rank
from runner.order import ranked, ranking


def test_a44_a_query_without_hits_counts_as_zero() -> None:
    got = values(
        Rank(), documents({0: "a", 1: ""}, {0: {"a": 1}, 1: {"b": 1}}, 2), "nDCG@10", "R@10", "RR@10", "AP"
    )
    assert list(got.values()) == [[1.0, 0.0]] * 4  # mean 0.5 over 2 queries


def test_a44_nobody_answered() -> None:
    assert values(Rank(), documents({}, {0: {"a": 1}}, 1), "nDCG@10", "SetP") == {
        "nDCG@10": [0.0],
        "SetP": [0.0],
    }


def test_a44_queries_without_a_positive_judgment_are_left_out() -> None:
    got = values(Rank(), documents({0: "a", 1: "a", 2: "a"}, {0: {"a": 1}, 1: {"a": 0}}, 3), "P@1")
    assert got == {"P@1": [1.0]}


def _two_chunks_each(hits: list[int], gold: str) -> Judged:
    """Chunks a0 a1 b0 b1 x0 (rows 0 to 4) of documents a, b, x."""
    chunks = [("a", 0, 5, 1), ("a", 5, 9, 1), ("b", 0, 5, 1), ("b", 5, 9, 1), ("x", 0, 5, 1)]
    return case(chunks, {0: hits}, [(0, d, None, None, 1) for d in gold], 1)


def test_a45_chunks_of_one_document_count_once() -> None:
    got = values(Rank(), _two_chunks_each([1, 0], "a"), "nDCG@3", "R@3", "AP", "RR")
    assert got == {"nDCG@3": [1.0], "R@3": [1.0], "AP": [1.0], "RR": [1.0]}
    got = values(Rank(), _two_chunks_each([0, 1, 4], "ab"), "R@3", "nDCG@3")
    assert got["R@3"] == [1 / 2]
    assert got["nDCG@3"] == pytest.approx([1 / (1 + 1 / log2(3))])  # 0.6131


def test_a45_ranks_are_counted_again_after_the_collapse() -> None:
    # a0 a1 b0: document b is second, not third; and a cutoff counts documents, so it reaches the third hit
    assert values(Rank(), _two_chunks_each([0, 1, 2], "b"), "RR@10", "R@2") == {
        "RR@10": [1 / 2],
        "R@2": [1.0],
    }


def test_a46_equal_scores_are_judged_in_the_order_shown() -> None:
    hits = pl.DataFrame({"query": [0] * 3, "chunk": [0, 1, 2], "score": [1.0, 1.0, 1.0]})
    shown = documents({0: "abc"}, {0: {"c": 1}}, 1)
    judged = Judged(
        1, ranking(ranked(hits, "score", "final_rank")), shown.expansion, shown.chunks, shown.judgments, "abc"
    )
    assert values(Rank(), judged, "RR", "nDCG") == {"RR": [1 / 3], "nDCG": [1 / log2(4)]}
    theirs = pytrec_eval.RelevanceEvaluator({"q": {"c": 1}}, {"recip_rank"})
    assert (
        theirs.evaluate({"q": {"a": 1.0, "b": 1.0, "c": 1.0}})["q"]["recip_rank"] == 1.0
    )  # what must not be


def test_a46_scores_that_are_equal_in_float32_alone() -> None:
    hits = pl.DataFrame({"query": [0, 0], "chunk": [0, 1], "score": [0.1 + 1e-9, 0.1]})
    shown = documents({0: "ab"}, {0: {"a": 1}}, 1)
    judged = Judged(
        1, ranking(ranked(hits, "score", "final_rank")), shown.expansion, shown.chunks, shown.judgments, "ab"
    )
    assert values(Rank(), judged, "RR@10") == {"RR@10": [1.0]}


def test_a47_gain_is_linear() -> None:
    got = values(Rank(), documents({0: "cbad"}, {0: {"a": 3, "b": 2, "c": 1, "d": 0}}, 1), "nDCG@10")
    right = (1 + 2 / log2(3) + 3 / log2(4)) / (3 + 2 / log2(3) + 1 / log2(4))
    assert got["nDCG@10"] == pytest.approx([right], abs=1e-12)
    assert round(right, 4) == 0.7900


def test_a47_the_ideal_is_of_all_judged_items() -> None:
    got = values(Rank(), documents({0: "a"}, {0: {"a": 1, "b": 1}}, 1), "nDCG@10")
    assert got["nDCG@10"] == pytest.approx([1 / (1 + 1 / log2(3))])


def test_a47_more_gold_than_the_cutoff() -> None:
    letters = "abcdefghijklmnopqrst"
    got = values(
        Rank(), documents({0: letters[:10]}, {0: dict.fromkeys(letters, 1)}, 1), "nDCG@10", "R@10", "AP@10"
    )
    assert got == {"nDCG@10": [pytest.approx(1.0)], "R@10": [10 / 20], "AP@10": [10 / 20]}


def test_a48_average_precision_is_divided_by_all_gold() -> None:
    got = values(Rank(), documents({0: "abcdxyezuv"}, {0: dict.fromkeys("abcde", 1)}, 1), "AP", "RR")
    assert got["AP"] == pytest.approx([(1 / 1 + 2 / 2 + 3 / 3 + 4 / 4 + 5 / 7) / 5])  # 0.942857
    assert got["RR"] == [1.0]


def test_a48_fewer_hits_than_the_cutoff() -> None:
    judged = documents({0: "abc"}, {0: dict.fromkeys("abcde", 1)}, 1)
    got = values(Rank(), judged, "P@5", "P@10", "R@5", "AP", "nDCG@5")
    assert got["P@5"] == [3 / 5]
    assert got["P@10"] == [3 / 10]
    assert got["R@5"] == [3 / 5]
    assert got["AP"] == [3 / 5]
    first_three, all_five = sum(1 / log2(r + 1) for r in (1, 2, 3)), sum(1 / log2(r + 1) for r in range(1, 6))
    assert got["nDCG@5"] == pytest.approx([first_three / all_five])  # 0.7227


def test_a48_relevant_at_one_three_five() -> None:
    got = values(Rank(), documents({0: "axbyc"}, {0: dict.fromkeys("abc", 1)}, 1), "AP", "nDCG@5")
    assert got["AP"] == pytest.approx([(1 / 1 + 2 / 3 + 3 / 5) / 3])  # 0.755556
    gain = 1 + 1 / log2(4) + 1 / log2(6)
    assert got["nDCG@5"] == pytest.approx([gain / (1 + 1 / log2(3) + 1 / log2(4))])  # 0.885460


CHUNKS = [("a", 0, 10, 1), ("a", 10, 20, 1), ("a", 20, 30, 1), ("b", 0, 10, 1)]


def test_with_spans_the_unit_is_the_chunk_and_the_ideal_has_all_of_them() -> None:
    # gold a[5,15) of grade 2 meets chunks 0 and 1, gold a[12,13) of grade 3 chunk 1: grades 2 and 3
    judged = case(CHUNKS, {0: [3, 0]}, [(0, "a", 5, 15, 2), (0, "a", 12, 13, 3)], 1)
    got = values(Rank(), judged, "nDCG@10", "R@10", "RR@10")
    assert got["nDCG@10"] == pytest.approx([(2 / log2(3)) / (3 + 2 / log2(3))])
    assert got["R@10"] == [1 / 2]
    assert got["RR@10"] == [1 / 2]


def test_a_chunk_that_merely_touches_gold_is_not_relevant() -> None:
    judged = case(CHUNKS, {0: [0, 2, 1]}, [(0, "a", 10, 20, 1)], 1)
    assert values(Rank(), judged, "RR", "R@5") == {"RR": [1 / 3], "R@5": [1.0]}


def test_gold_that_no_chunk_covers_stays_in_the_ideal() -> None:
    judged = case(CHUNKS, {0: [0], 1: [0]}, [(0, "a", 40, 50, 1), (1, "a", 0, 5, 1), (1, "b", 90, 95, 1)], 2)
    got = values(Rank(), judged, "nDCG@10", "R@10", "RR@10", "AP", "Rprec")
    assert got["R@10"] == [0.0, 1 / 2]
    assert got["RR@10"] == [0.0, 1.0]
    assert got["AP"] == [0.0, 1 / 2]
    assert got["nDCG@10"] == pytest.approx([0.0, 1 / (1 + 1 / log2(3))])


def test_names_come_back_as_they_were_asked_for() -> None:
    judged = documents({0: "ab"}, {0: {"b": 1}}, 1)
    assert values(Rank(), judged, "RR@10", "MRR@10", "R@5", "Recall@5", "R(rel=2)@5") == {
        "RR@10": [1 / 2],
        "MRR@10": [1 / 2],
        "R@5": [1.0],
        "Recall@5": [1.0],
        "R(rel=2)@5": [0.0],
    }


@pytest.mark.parametrize(
    "name", ["nDCG@10+", "R@100t", "P", "R", "nDCG(x=1)@10", "ERR@10", "SpanR@5", "alpha_nDCG@10"]
)
def test_what_is_refused(name: str) -> None:
    assert not Rank().accepts(parse_measure(name))


TREC = {
    "nDCG@10": "ndcg_cut_10", "nDCG": "ndcg", "R@5": "recall_5", "R@20": "recall_20", "P@5": "P_5",
    "RR": "recip_rank", "AP": "map", "AP@7": "map_cut_7", "Success@5": "success_5", "Rprec": "Rprec",
    "Bpref": "bpref", "SetP": "set_P", "SetR": "set_recall", "NumRet": "num_ret", "infAP": "infAP",
}  # fmt: skip


@pytest.mark.parametrize("asked", [list(TREC), ["nDCG@10", "R@5"], ["AP@7", "P@5", "Success@5"]])
@pytest.mark.parametrize("seed", range(10))
def test_agrees_with_trec_eval_on_the_whole_run(seed: int, asked: list[str]) -> None:
    rng = random.Random(seed)
    docs = [f"d{i:02d}" for i in range(40)]
    chunks = [(d, 10 * i, 10 * i + 10, 1) for d in docs for i in range(rng.randint(1, 3) if seed % 2 else 1)]
    grades = {q: {d: rng.randint(-1, 3) for d in rng.sample(docs, 12)} | {docs[q]: 1} for q in range(8)}
    hits = {q: rng.sample(range(len(chunks)), rng.choice([0, 1, 5, 40])) for q in range(8)}
    gold = [(q, d, None, None, g) for q, some in grades.items() for d, g in some.items()]
    run: dict[str, dict[str, float]] = {}
    for q, some in hits.items():
        best = run.setdefault(f"q{q}", {})
        for rank, c in enumerate(some):
            best.setdefault(chunks[c][0], 1000.0 - rank)  # MaxP
    qrels = {f"q{q}": some for q, some in grades.items()}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {TREC[n] for n in asked}).evaluate(run)
    got = values(Rank(), case(chunks, hits, gold, 8), *asked)
    for name in asked:
        right = [theirs[f"q{q}"][TREC[name]] if run[f"q{q}"] else 0.0 for q in range(8)]
        assert got[name] == pytest.approx(right, abs=1e-15), name
