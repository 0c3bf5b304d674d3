"""`sentence`: where sentences end, how they are packed, and that positions are carried, never looked up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tokenizer import toys

from runner.sentences import sentences
from runner.strategy.sentence import Sentence


def _cut(text: str) -> list[str]:
    return [text[s:e] for s, e in sentences(text)]


def test_a03_repeated_sentences_have_their_own_places() -> None:
    text = "Yes. No. Yes. No."
    assert len(text) == 17
    assert Sentence().spans(text, toys.words()) == [(0, 4), (5, 8), (9, 13), (14, 17)]


@pytest.mark.parametrize(
    "whole",
    [
        "Dr. Okafor met J. R. Smith and Mrs. Ito.",
        "It costs 3.5% more, see Fig. 3 and No. 7 of vol. 2.",
        "This is version 3.11.4 of e.g. python.org today.",
        "He works for the U.S. Senate.",
        '"Why?" he asked.',
        "It waited ... and then it left.",
        "Foo et al. (2020) and Smith vs. Jones.",
        "§ 12 Abs. 3 gilt, z.B. hier.",
        "one line\nand its rest",
        "one line\r\nand its rest",
        "3. A list item.",
    ],
)
def test_what_is_one_sentence(whole: str) -> None:
    assert _cut(whole) == [whole]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("One. Two! Three? Four… Five", ["One.", "Two!", "Three?", "Four…", "Five"]),
        ('He left. "Really?" She stayed.', ["He left.", '"Really?"', "She stayed."]),
        ("(The end.) Then more.", ["(The end.)", "Then more."]),
        ("**Bold.** Next.", ["**Bold.**", "Next."]),
        ("In 1999. The end.", ["In 1999.", "The end."]),
        ("hi! how are you? fine", ["hi!", "how are you?", "fine"]),
        (
            "这是一个句子。这是另一个句子！“好？”他说。",
            ["这是一个句子。", "这是另一个句子！", "“好？”", "他说。"],
        ),
        ("यह है। वह था।", ["यह है।", "वह था।"]),
        ("هل هذا؟ نعم.", ["هل هذا؟", "نعم."]),
        ("Title\n\nBody text", ["Title", "Body text"]),
        ("Title\r\n \r\nBody text", ["Title", "Body text"]),
        ("1. First.\n2. Second.", ["1. First.", "2. Second."]),
        ("", []),
        (" \n\n ", []),
    ],
)
def test_where_sentences_end(text: str, want: list[str]) -> None:
    assert _cut(text) == want


def test_nothing_visible_is_lost_and_no_rule_takes_long() -> None:
    for text in [
        *toys.nasty_texts(),
        "." * 50_000,
        ". " * 50_000,
        "\n" * 50_000,
        '"' * 50_000,
        "a." * 50_000,
    ]:
        covered = "".join(_cut(text))
        assert "".join(covered.split()) == "".join(text.split())


def test_several_sentences_to_a_piece() -> None:
    text = "One. Two.  Three. Four. Five."
    assert Sentence(sentences=2).spans(text, toys.words()) == [(0, 9), (11, 23), (24, 29)]


def test_as_many_sentences_as_fit() -> None:
    # A sentence is two tokens (word and full stop), so five tokens hold two of them.
    text = "One. Two. Three. Four. Five."
    assert Sentence(sentences=0, max_tokens=5).spans(text, toys.words()) == [(0, 9), (10, 22), (23, 28)]
    assert Sentence(sentences=0).spans(text, toys.words()) == [(0, 28)]


def test_a_sentence_that_is_too_long_is_cut_where_tokens_start() -> None:
    text = "Go. One two three four five six seven. End."
    spans = Sentence(sentences=0, max_tokens=3).spans(text, toys.words())
    assert [text[s:e] for s, e in spans] == ["Go.", "One two three", "four five six", "seven.", "End."]


def test_a_joined_piece_is_counted_by_itself() -> None:
    class JoinsCost:
        """A sentence is one token, and so is every space between two."""

        def offsets(self, text: str) -> np.ndarray:
            return np.array([[0, len(text)]])

        def counts(self, texts: list[str]) -> np.ndarray:
            return np.array([t.count(".") + t.count(" ") for t in texts])

    text = "A1. B1. C1. D1."
    # Four sentences add up to 4, joined they are 7: halved until every piece has 4 at most.
    assert Sentence(sentences=0, max_tokens=4).spans(text, JoinsCost()) == [(0, 7), (8, 15)]


def test_a13_empty_blank_and_one_character(tmp_path: Path) -> None:
    wordpiece = toys.tokenizer("tokenizer_json", tmp_path).load()
    assert [Sentence().spans(t, wordpiece) for t in ("", "   \n\t", "\u200b", "x")] == [
        [],
        [],
        [(0, 1)],
        [(0, 1)],
    ]
