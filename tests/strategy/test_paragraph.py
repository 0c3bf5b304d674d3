"""`paragraph`: where paragraphs end, how they are joined and what is cut."""

from __future__ import annotations

import pytest
from tokenizer import toys

from runner.strategy.paragraph import Paragraph, paragraphs


def _cut(text: str, **settings: int) -> list[str]:
    return [text[s:e] for s, e in Paragraph(**settings).spans(text, toys.words())]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_blank_line_ends_a_paragraph(end: str) -> None:
    text = f"a b{end}c{end} \t{end}{end}d{end}"
    assert [text[s:e] for s, e in paragraphs(text)] == [f"a b{end}c", "d"]


def test_paragraphs_are_joined_while_they_fit() -> None:
    text = "a b\n\nc d\n\ne f g\n\nh"
    assert _cut(text, max_tokens=4) == ["a b\n\nc d", "e f g\n\nh"]
    assert _cut(text) == [text]
    assert _cut(text, paragraphs=1) == ["a b", "c d", "e f g", "h"]


def test_a_long_paragraph_is_cut_at_sentences_then_tokens() -> None:
    text = "a\n\nOne two. Three. Four five six seven eight nine.\n\nb"
    assert _cut(text, max_tokens=5) == ["a", "One two. Three.", "Four five six seven eight", "nine.", "b"]
