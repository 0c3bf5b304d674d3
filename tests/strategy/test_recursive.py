"""`recursive`: the pieces that LangChain's and Chroma's splitters give, at their true places."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tokenizer import toys

from runner import registry
from runner.errors import RequestError
from runner.strategy.recursive import Recursive


def _cut(text: str, **settings: object) -> list[str]:
    strategy = Recursive.model_validate(settings)
    return [text[s:e] for s, e in strategy.spans(text, toys.words())]


def test_a03_repeated_text_has_its_own_place() -> None:
    assert Recursive(size=1, separators=[" "]).spans("abcde abcde", toys.words()) == [(0, 5), (6, 11)]
    assert Recursive(size=2, separators=[".", " ", ""]).spans("Yes. No. Yes. No.", toys.words()) == [
        (0, 3), (3, 7), (7, 12), (12, 16), (16, 17),
    ]  # fmt: skip


def test_a_separator_stays_at_the_start_of_the_next_part() -> None:
    assert _cut("one two. three four. five", size=3) == ["one two", ". three four", ". five"]


def test_a_text_that_fits_is_one_piece_without_the_white_space_around_it() -> None:
    assert Recursive().spans("\n one\n\ntwo. \n", toys.words()) == [(2, 11)]


def test_the_coarsest_separator_comes_first() -> None:
    text = "a b c\n\nd e f\ng h i\n\nj"
    assert _cut(text, size=4) == ["a b c", "d e f", "g h i", "j"]


def test_overlap_repeats_whole_parts() -> None:
    assert _cut("a b c d e f", size=3, overlap=1) == ["a b c", "c d e", "e f"]
    # A part that is longer than the overlap is not repeated.
    assert _cut("aa. bb. cc", size=3, overlap=1) == ["aa. bb", ". cc"]


def test_special_tokens_count_for_every_part_and_every_join() -> None:
    # Each of the words is 1 + 2 long and each join 2: three of them are 3 + 2 + 3 + 2 + 3 = 13.
    assert _cut("a b c d", size=13, special_tokens=2) == ["a b c", "d"]
    assert _cut("a b c d", size=12, special_tokens=2) == ["a b", "c d"]


def test_without_the_empty_separator_a_long_word_stays_whole() -> None:
    assert _cut("?!?!?! ab", size=2, separators=[" "]) == ["?!?!?!", "ab"]
    assert _cut("?!?!?! ab", size=2, separators=[" ", ""]) == ["?!", "?!", "?!", "ab"]


def test_a_piece_inside_its_neighbor_is_left_out() -> None:
    class Characters:
        """A character is a token."""

        def offsets(self, text: str) -> np.ndarray:
            raise NotImplementedError

        def counts(self, texts: list[str]) -> np.ndarray:
            return np.array([len(t) for t in texts])

    # langchain-text-splitters 1.1.3 gives ".", "a", "a a", the second inside the third.
    assert Recursive(size=4, overlap=2).spans(".\n \n\n a a", Characters()) == [(0, 1), (6, 9)]


def test_without_overlap_parts_without_a_token_are_in_one_piece_only(tmp_path: Path) -> None:
    wordpiece = toys.tokenizer("tokenizer_json", tmp_path).load()  # no token for a zero-width space
    text = "a b \u200b c d"
    spans = Recursive(size=2).spans(text, wordpiece)
    assert [text[s:e] for s, e in spans] == ["a b \u200b", "c d"]


@pytest.mark.parametrize(("size", "overlap"), [(4, 4), (4, 5), (0, 0), (4, -1)])
def test_a01_a_window_that_never_advances_is_refused(size: int, overlap: int) -> None:
    with pytest.raises(RequestError, match=rf"strategy: overlap .*size {size}, overlap {overlap}"):
        registry.parse("strategy", {"name": "recursive", "size": size, "overlap": overlap})


def test_a13_empty_blank_and_one_character(tmp_path: Path) -> None:
    wordpiece = toys.tokenizer("tokenizer_json", tmp_path).load()
    assert [Recursive().spans(t, wordpiece) for t in ("", "   \n\t", "\u200b", "x")] == [
        [],
        [],
        [(0, 1)],
        [(0, 1)],
    ]


def test_nothing_visible_is_lost(tmp_path: Path) -> None:
    tokens = toys.byte_level(tmp_path)
    for text in toys.nasty_texts(seed=5):
        for size, overlap in ((1, 0), (2, 1), (7, 3), (50, 0)):
            seen = [False] * len(text)
            for start, end in Recursive(size=size, overlap=overlap).spans(text, tokens):
                seen[start:end] = [True] * (end - start)
            assert all(s or c.isspace() for s, c in zip(seen, text, strict=True)), repr(text)


def test_a_piece_is_within_its_size_where_it_can_be_split(tmp_path: Path) -> None:
    tokens = toys.byte_level(tmp_path)  # a token a byte: lengths add up exactly, a character has four at most
    for text in toys.nasty_texts(seed=6):
        spans = Recursive(size=12, overlap=4).spans(text, tokens)
        assert all(tokens.counts([text[s:e]])[0] <= 12 for s, e in spans)
