"""Near duplicates: four fifths of the word triples, in a stretch a quarter longer; no short passages."""

from __future__ import annotations

import itertools
import random
import time

import pytest

from runner.checking.near_duplicates import LEAST, MOST, Repeat, Shingles

PASSAGE = "the brown bear sleeps in a deep cave all winter until the snow melts"
"""14 words, 12 triples."""


def _found(passage: str, *others: str) -> list[Repeat] | None:
    texts = [passage, *others]
    return Shingles(texts).repeats((0, 0, len(passage)))


def test_a_copy_with_other_case_and_punctuation() -> None:
    copy = f"Before it. {PASSAGE.upper().replace(' IN', ', in –')}! After it."
    found = _found(PASSAGE, "nothing of the kind", copy)
    assert found is not None
    (repeat,) = found
    assert (repeat.text, repeat.share) == (2, 1.0)
    assert copy[repeat.start : repeat.end].casefold().startswith("the brown bear")
    assert copy[repeat.start : repeat.end].endswith("MELTS")


@pytest.mark.parametrize(
    ("changed", "triples"),
    [
        ({}, 12),
        ({0: "a"}, 11),  # a word at the edge stands in one triple
        ({1: "big"}, 10),
        ({6: "dark"}, 9),  # one in the middle in three: 9 of 12 is under four fifths
        ({0: "a", 13: "thaws"}, 10),
        ({2: "fox", 10: "and"}, 6),
    ],
)
def test_four_fifths_of_the_triples(changed: dict[int, str], triples: int) -> None:
    words = PASSAGE.split()
    other = " ".join(changed.get(i, w) for i, w in enumerate(words))
    found = _found(PASSAGE, f"x y z {other} x y z")
    assert found is not None
    assert [r.share for r in found] == ([pytest.approx(triples / 12)] if triples >= 0.8 * 12 else [])


def test_a_stretch_may_be_a_quarter_longer_and_no_more() -> None:
    """A word more breaks two triples of 12; with twelve words more the halves are too far apart."""
    one, twelve = (PASSAGE.replace(" all", " word" * n + " all") for n in (1, 12))
    assert [r.share for r in _found(PASSAGE, one) or []] == [pytest.approx(10 / 12)]
    assert _found(PASSAGE, twelve) == []


def test_a_passage_of_few_words_is_not_looked_for() -> None:
    short = "one two three four five six seven"
    assert len(short.split()) == LEAST - 1
    assert _found(short, short, short) is None
    assert [r.text for r in _found(f"{short} eight", f"{short} eight") or []] == [1]


def test_known_passages_and_the_passage_itself_are_no_repeats() -> None:
    text = f"{PASSAGE}. Then: {PASSAGE}."
    second = text.index("Then: ") + 6
    shingles = Shingles([text, PASSAGE])
    own = (0, 0, len(PASSAGE))
    both = shingles.repeats(own) or []
    assert [(r.text, r.start) for r in both] == [(0, second), (1, 0)]
    known = [own, (0, second, second + len(PASSAGE))]
    assert [r.text for r in shingles.repeats(own, known) or []] == [1]


def test_a_triple_does_not_reach_over_the_end_of_a_text() -> None:
    words = PASSAGE.split()
    halves = [" ".join(words[:7]), " ".join(words[7:])]
    assert _found(PASSAGE, *halves) == []
    assert _found(PASSAGE, "", "one", "one two", *halves, "") == []


def test_repeats_do_not_overlap_and_are_counted_up_to_a_limit() -> None:
    found = _found(PASSAGE, " / ".join([PASSAGE] * (MOST + 20)))
    assert found is not None
    assert len(found) == MOST
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))


def test_scripts_without_spaces() -> None:
    passage = "新年快乐万事如意身体健康"
    assert [r.start for r in _found(passage, f"他说：{passage}。") or []] == [3]


def test_a_corpus_of_1_5_megabytes_takes_seconds() -> None:
    draw = random.Random(5)
    vocabulary = ["".join(draw.choices("abcdefghij", k=5)) for _ in range(5000)]
    texts = [" ".join(draw.choices(vocabulary, k=50_000)) for _ in range(5)]
    begun = time.perf_counter()
    shingles = Shingles(texts)
    for i in range(800):
        start = texts[i % 5].index(" ", i * 300) + 1
        assert shingles.repeats((i % 5, start, start + 180)) == []
    took = time.perf_counter() - begun
    assert took < 20, f"{took:.1f} s"  # 0.5 s alone on two cores; a loaded machine is no failure
