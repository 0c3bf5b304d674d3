"""`document`: one piece."""

from tokenizer import toys

from runner.strategy.document import Document


def test_the_whole_text_is_one_piece() -> None:
    text = "  First.\r\n\r\nSecond. \n"
    assert Document().spans(text, toys.words()) == [(0, len(text))]


def test_a13_empty_blank_and_one_character() -> None:
    found = [Document().spans(t, toys.words()) for t in ("", "   \n\t", "\u200b", "x")]
    assert found == [[], [], [(0, 1)], [(0, 1)]]
