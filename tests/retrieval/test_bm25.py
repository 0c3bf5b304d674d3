"""BM25: a hit shares a term, ties follow document order, every variant's numbers are bm25s' own."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from math import log
from typing import get_args

import bm25s
import numpy as np
import pytest
from retrieval.cases import plain, words_found

from runner.errors import RequestError
from runner.registry import parse
from runner.retrieval.bm25 import BM25, Variant
from runner.retrieval.contract import Side
from runner.retrieval.stage import search

VARIANTS = get_args(Variant)
CORPUS = ["alpha beta", "beta gamma", "gamma delta", "alpha alpha"]
"""Four documents of two words each, so the length part of BM25 is 1."""


def idf(n: int, df: int) -> float:
    """Lucene's: ln(1 + (n - df + 0.5) / (df + 0.5))."""
    return log(1 + (n - df + 0.5) / (df + 0.5))


def tf(count: int, k1: float = 1.5) -> float:
    """Count ÷ (count + k1), at average length."""
    return count / (count + k1)


def test_scores_by_hand() -> None:
    (rows,), _ = words_found(plain(), CORPUS, ["alpha gamma"])
    assert rows == [
        (3, pytest.approx(idf(4, 2) * tf(2), rel=1e-6)),  # alpha alpha
        (0, pytest.approx(idf(4, 2) * tf(1), rel=1e-6)),
        (1, pytest.approx(idf(4, 2) * tf(1), rel=1e-6)),
        (2, pytest.approx(idf(4, 2) * tf(1), rel=1e-6)),
    ]


def test_length_by_hand() -> None:
    """Texts of 1, 2 and 6 words: average 3; k1 1.2, b 0.5."""
    texts = ["owl", "owl bat", "owl bat bat bat bat bat"]
    (rows,), _ = words_found(plain(k1=1.2, b=0.5), texts, ["owl"])
    right = {i: idf(3, 3) / (1 + 1.2 * (1 - 0.5 + 0.5 * n / 3)) for i, n in enumerate((1, 2, 6))}
    assert rows == [(i, pytest.approx(s, rel=1e-6)) for i, s in right.items()]


def test_a_repeated_query_term_counts_each_time() -> None:
    (once, twice), _ = words_found(plain(), CORPUS, ["delta beta", "delta beta delta"])
    beta, delta = idf(4, 2) * tf(1), idf(4, 1) * tf(1)
    assert once == [
        (2, pytest.approx(delta, rel=1e-6)),
        *((i, pytest.approx(beta, rel=1e-6)) for i in (0, 1)),
    ]
    assert twice[0] == (2, pytest.approx(2 * delta, rel=1e-6))
    assert twice[1:] == once[1:]


def test_a23_depth_beyond_the_corpus_gives_what_there_is() -> None:
    texts = ["alpha beta", "alpha gamma", "delta"]
    deep, right = (words_found(plain(depth=d), texts, ["alpha", "delta alpha"])[0] for d in (10, 3))
    assert deep == right
    assert [len(rows) for rows in deep] == [2, 3]


def test_a23_a_corpus_of_one() -> None:
    (rows,), _ = words_found(plain(), ["alpha beta"], ["alpha"])
    assert rows == [(0, pytest.approx(log(1 + 0.5 / 1.5) / (1 + 1.5), rel=1e-6))]  # 0.1151
    assert rows[0][1] == pytest.approx(0.1151, abs=5e-5)


def test_a23_depth_zero_is_refused() -> None:
    with pytest.raises(RequestError, match=r"depth.*greater than 0"):
        parse("retrieval", {"name": "bm25", "legs": {"bm25": {"depth": 0}}})


@pytest.mark.parametrize("variant", VARIANTS)
def test_a24_queries_without_terms_find_nothing_and_say_why(variant: str) -> None:
    leg = BM25.model_validate({"variant": variant, "depth": 2})
    found, reasons = words_found(leg, CORPUS, ["", "the of and", "zzz", "alpha zzz", "a ! ."])
    assert [len(rows) for rows in found] == [0, 0, 0, 2, 0]
    assert reasons == {0: "no query terms", 1: "no query terms", 2: "no match", 4: "no query terms"}


@pytest.mark.parametrize("variant", VARIANTS)
def test_a24_a_corpus_without_terms_is_searched_in_vain(variant: str) -> None:
    leg = BM25.model_validate({"variant": variant})
    found, reasons = words_found(leg, ["the of", "!", "and"], ["alpha", "the"])
    assert found == [[], []]
    assert reasons == {0: "no match", 1: "no query terms"}
    assert words_found(leg, CORPUS, []) == ([], {})


DELTA = {
    # bm25s 0.3.16, k1 1.5, b 0.75, delta 0.5: the score of the one document that holds `delta`.
    "lucene": 0.4816,
    "robertson": log((4 - 1 + 0.5) / (1 + 0.5)) * tf(1),
    "atire": log(4 / 1) * (1.5 + 1) * tf(1),
    "bm25l": 1.505,
    "bm25+": 2.4142,
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_a25_only_a_shared_term_makes_a_hit(variant: str) -> None:
    (rows,), _ = words_found(plain(variant=variant, depth=4), CORPUS, ["delta"])
    assert rows == [(2, pytest.approx(DELTA[variant], abs=5e-5))]


def test_a25_robertson_gives_a_match_zero_and_it_is_a_hit_all_the_same() -> None:
    texts = ["owl bat", "owl cat", "owl dog"]
    found, reasons = words_found(plain(variant="robertson"), texts, ["owl", "owl cat"])
    assert found[0] == [(0, 0.0), (1, 0.0), (2, 0.0)]
    assert [c for c, _ in found[1]] == [1, 0, 2]
    assert reasons == {}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("depth", [3, 1, 5])
def test_a26_ties_come_in_document_order(variant: str, depth: int) -> None:
    leg = plain(variant=variant, depth=depth)
    index = leg.index(Side(texts=["xx yy"] * 5))

    def ask(_: int) -> list[int]:
        return search(leg, index, Side(), Side(texts=["xx"])).frame["chunk"].to_list()

    with ThreadPoolExecutor(4) as pool:
        assert [*map(ask, range(5)), *pool.map(ask, range(8))] == [list(range(5))[:depth]] * 13
    if variant == "lucene":
        scores = search(leg, index, Side(), Side(texts=["xx"])).frame["score"]
        assert scores.to_list() == [pytest.approx(log(1 + 0.5 / 5.5) * tf(1), rel=1e-6)] * min(
            depth, 5
        )  # 0.0348


def test_a26_equal_texts_have_equal_scores_for_long_queries() -> None:
    """A sum of floats depends on its order: equal chunks must be summed alike, or ties break by rounding."""
    rng = np.random.default_rng(26)
    words = [f"w{i}" for i in range(60)]
    some = [" ".join(rng.choice(words, 25)) for _ in range(40)]
    texts = [t for t in some for _ in range(3)]
    found, _ = words_found(plain(depth=120), texts, [" ".join(rng.choice(words, 30)) for _ in range(20)])
    for rows in found:
        scores = dict(rows)
        assert all(scores[i] == scores[i + 1] == scores[i + 2] for i in range(0, 120, 3) if i in scores)
        assert rows == sorted(rows, key=lambda r: (-r[1], r[0]))


def test_a27_indexes_know_nothing_of_each_other() -> None:
    first = words_found(plain(), ["ant", "bee", "cow", "red owl", "red fox"], ["red"])[0][0]
    right = idf(5, 2) / (1 + 1.5 * (1 - 0.75 + 0.75 * 2 / 1.4))  # 0.29357
    assert first == [(3, pytest.approx(right, rel=1e-6)), (4, pytest.approx(right, rel=1e-6))]
    assert right == pytest.approx(0.29357, abs=5e-6)
    second, reasons = words_found(plain(), ["my world"], ["world", "red"])
    assert second == [[(0, pytest.approx(idf(1, 1) * tf(1), rel=1e-6))], []]
    assert reasons == {1: "no match"}
    assert words_found(plain(), ["ant", "bee", "cow", "red owl", "red fox"], ["red"])[0][0] == first


def _texts(seed: int, n: int, vocabulary: int = 80) -> list[str]:
    draw = random.Random(seed)
    words = [f"w{i}" for i in range(vocabulary)]
    weights = [1 / (i + 1) for i in range(vocabulary)]  # a few common words, many rare ones
    return [" ".join(draw.choices(words, weights, k=draw.randint(1, 30))) for _ in range(n)]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_scores_equal_what_bm25s_retrieves(variant: str, seed: int) -> None:
    texts, queries = _texts(seed, 70), _texts(seed + 100, 25)
    settings = {
        "k1": [1.2, 0.9, 2.0][seed % 3],
        "b": [0.75, 0.4, 0.0][seed % 3],
        "delta": [0.5, 1.0, 0.3][seed % 3],
    }
    found, _ = words_found(plain(variant=variant, depth=70, **settings), texts, queries)
    model = bm25s.BM25(method=variant, **settings)
    tokens = [t.split() for t in texts]
    model.index(tokens, show_progress=False)
    for query, rows in zip(queries, found, strict=True):
        asked = [t for t in query.split() if t in model.vocab_dict]
        chunks, scores = model.retrieve([asked], k=70, show_progress=False)
        theirs = dict(zip(chunks[0].tolist(), scores[0].tolist(), strict=True))
        matching = {i for i, t in enumerate(tokens) if set(t) & set(asked)}
        assert dict(rows) == {i: pytest.approx(theirs[i], rel=1e-5, abs=1e-6) for i in matching}


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_smaller_depth_is_the_top_of_a_larger(variant: str) -> None:
    texts, queries = _texts(9, 60, 20), _texts(10, 30, 20)
    whole, _ = words_found(plain(variant=variant, depth=60), texts, queries)
    for depth in (1, 3, 10):
        found, _ = words_found(plain(variant=variant, depth=depth), texts, queries)
        assert found == [rows[:depth] for rows in whole]


def test_a_query_alone_has_the_scores_it_has_in_a_batch() -> None:
    texts, queries = _texts(4, 50), _texts(5, 20)
    batch, _ = words_found(plain(), texts, queries)
    assert [words_found(plain(), texts, [q])[0][0] for q in queries] == batch
    assert words_found(plain(), texts, queries[::-1])[0] == batch[::-1]


def test_stop_words_and_stems() -> None:
    texts = ["The runner was running", "A run", "of the and"]
    found, reasons = words_found(BM25(), texts, ["runs", "The"])
    assert sorted(c for c, _ in found[0]) == [0, 1]  # running and run have the stem run
    assert reasons == {1: "no query terms"}
    found, reasons = words_found(BM25(stopwords="none", stemmer="none"), texts, ["runs", "The"])
    assert [len(rows) for rows in found] == [0, 2]
    assert reasons == {0: "no match"}


def test_case_and_unicode_words() -> None:
    found, _ = words_found(plain(), ["Größe ÄPFEL", "漢字 тест"], ["äpfel", "größe", "漢字", "ТЕСТ"])
    assert [[c for c, _ in rows] for rows in found] == [[0], [0], [1], [1]]


def test_an_unknown_stemmer_is_refused_with_the_choices() -> None:
    with pytest.raises(RequestError, match=r"stemmer: there is no 'klingon': auto, none, .*english"):
        parse("retrieval", {"name": "bm25", "legs": {"bm25": {"stemmer": "klingon"}}})


def test_the_index_is_plain_arrays_with_the_same_bytes_each_time() -> None:
    texts = _texts(7, 40)
    one, other = (BM25().index(Side(texts=texts)) for _ in range(2))
    assert {k: a.tobytes() for k, a in one.items()} == {k: a.tobytes() for k, a in other.items()}
    assert all(a.dtype != object for a in one.values())


def test_versions_of_what_computes_are_in_the_key() -> None:
    assert set(BM25().identity()) == {"bm25s", "PyStemmer", "unicode"}
