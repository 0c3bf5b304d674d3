"""`fixed_size`: the arithmetic of windows, and the faults of other splitters that it must not have."""

from __future__ import annotations

from pathlib import Path

import pytest
from tokenizer import toys

from runner import registry
from runner.errors import RequestError
from runner.strategy.contract import Strategy
from runner.strategy.fixed_size import FixedSize


def _words(n: int) -> str:
    """Tokens of one letter, `t t t`, so that token i starts at character 2·i."""
    return " ".join("t" * n)


def _ranges(n: int, size: int, overlap: int) -> list[tuple[int, int]]:
    """Token ranges of the windows of a text of n tokens."""
    spans = FixedSize(size=size, overlap=overlap).spans(_words(n), toys.words())
    return [(start // 2, (end + 1) // 2) for start, end in spans]


@pytest.mark.parametrize(("size", "overlap"), [(4, 4), (4, 5), (0, 0), (4, -1)])
def test_a01_a_window_that_never_advances_is_refused(size: int, overlap: int) -> None:
    with pytest.raises(RequestError) as refused:
        registry.parse("strategy", {"name": "fixed_size", "size": size, "overlap": overlap})
    (message,) = str(refused.value).splitlines()
    assert f"size {size}" in message
    assert f"overlap {overlap}" in message


def test_a01_an_overlap_of_all_but_one() -> None:
    assert _ranges(10, 4, 3) == [(0, 4), (1, 5), (2, 6), (3, 7), (4, 8), (5, 9), (6, 10)]


def test_a02_the_last_window_is_the_first_to_reach_the_end() -> None:
    assert _ranges(5, 3, 1) == [(0, 3), (2, 5)]
    assert _ranges(6, 3, 1) == [(0, 3), (2, 5), (4, 6)]
    assert _ranges(256, 256, 26) == [(0, 256)]
    assert _ranges(257, 256, 26) == [(0, 256), (230, 257)]
    assert _ranges(1000, 256, 64) == [(0, 256), (192, 448), (384, 640), (576, 832), (768, 1000)]
    assert _ranges(9, 3, 0) == [(0, 3), (3, 6), (6, 9)]


def test_the_number_of_windows_can_be_foretold() -> None:
    for n in range(1, 40):
        for size in range(1, 12):
            for overlap in range(size):
                want = 1 if n <= size else 1 + -(-(n - size) // (size - overlap))
                assert len(_ranges(n, size, overlap)) == want


def test_a04_overlap_is_counted_in_tokens_on_token_starts() -> None:
    text = " ".join(["abcdefgh"] * 20)
    spans = FixedSize(size=10, overlap=5).spans(text, toys.words())
    # A token and the space after it are 9 characters; the last token ends the text at 179.
    assert spans == [(0, 90), (45, 135), (90, 179)]
    assert text[45:90] == "abcdefgh " * 5


def test_a05_offsets_are_code_points() -> None:
    text = "héllo 😀 wörld"
    assert FixedSize(size=1).spans(text, toys.words()) == [(0, 6), (6, 8), (8, 13)]
    assert text[8:13] == "wörld"


@pytest.mark.parametrize("text", ["a😀b 漢字 é", "a😀b 漢字 é\ufffd", "\ufffda😀b 漢\ufffd字 é"])
def test_a06_no_character_is_cut_and_none_appears_twice(text: str, tmp_path: Path) -> None:
    tokens = toys.byte_level(tmp_path)
    for size in range(1, 9):
        pieces = [text[s:e] for s, e in FixedSize(size=size).spans(text, tokens)]
        assert "".join(pieces) == text
        assert all(pieces)
        assert sum("😀" in p for p in pieces) == 1


def test_a06_a_boundary_inside_a_character_moves_forward(tmp_path: Path) -> None:
    # Tokens: a, the four bytes of 😀, b. Windows [0,2) [2,4) [4,6) end inside 😀 once and lie inside it once.
    assert FixedSize(size=2).spans("a😀b", toys.byte_level(tmp_path)) == [(0, 2), (2, 3)]
    # With overlap: [0,2) [1,3) [2,4) [3,5) [4,6) become a😀, 😀, nothing, nothing, b.
    assert FixedSize(size=2, overlap=1).spans("a😀b", toys.byte_level(tmp_path)) == [(0, 2), (2, 3)]


def test_a07_line_ends_count_as_they_are() -> None:
    text = "line1\r\nline2\r\n# H\r\ntext"
    assert FixedSize(size=1).spans(text, toys.words())[-1] == (19, 23)


def test_a08_spans_are_those_of_the_source() -> None:
    text = "cafe\u0301 ½ oﬃce"
    assert FixedSize(size=1).spans(text, toys.words())[-1] == (8, 12)


def test_a09_the_piece_is_the_source() -> None:
    text = "The CAFÉ serves Zürich-style  resumé\r\n(3.5%) 🙂."
    tokenizer = toys.tokenizer("wordpiece", Path())
    assert FixedSize(size=256).spans(text, tokenizer.load()) == [(0, len(text))]


def test_a10_text_like_a_special_token_is_kept(tmp_path: Path) -> None:
    text = "before <|endoftext|> after [SEP] <s> end"
    for size in (1, 3, 256):
        spans = FixedSize(size=size).spans(text, toys.byte_level(tmp_path))
        assert "".join(text[s:e] for s, e in spans) == text


def test_a13_empty_blank_and_one_character(tmp_path: Path) -> None:
    wordpiece = toys.tokenizer("tokenizer_json", tmp_path).load()
    found = [FixedSize().spans(t, wordpiece) for t in ("", "   \n\t", "\u200b", "x")]
    # A zero-width space is no white space: it has no token, and is one piece all the same.
    assert found == [[], [], [(0, 1)], [(0, 1)]]


def test_what_the_tokenizer_drops_is_covered() -> None:
    text = "\u200b\n  one two  \n\u200b"
    assert FixedSize(size=1).spans("  one two \n", toys.words()) == [(0, 6), (6, 11)]
    spans = FixedSize(size=2).spans(text, toys.words())
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)


def test_a17_characters_as_unit() -> None:
    text = "Owls hunt at night. Cats nap."
    strategy = FixedSize(size=12, overlap=4, unit="characters")
    spans = strategy.spans(text, toys.words())
    assert spans == [(0, 12), (8, 20), (16, 28), (24, 29)]
    assert strategy.spans(" \n", toys.words()) == []


def test_only_fixed_size_has_the_windows_trait() -> None:
    made = [registry.component_class("strategy", n)(name=n) for n in registry.names("strategy")]
    assert [s.name for s in made if registry.as_contract(s, Strategy).windows] == ["fixed_size"]
