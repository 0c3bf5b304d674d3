"""`words`: what a token is."""

from runner.tokenizer.words import Words


def test_words_and_single_characters() -> None:
    text = "Don't pay 3.5% — naïve_word\r\n漢字 😀!"
    spans = Words().load().offsets(text).tolist()
    assert [text[s:e] for s, e in spans] == [
        "Don", "'", "t", "pay", "3", ".", "5", "%", "—", "naïve_word", "漢字", "😀", "!",
    ]  # fmt: skip


def test_a05_offsets_are_code_points() -> None:
    text = "héllo 😀 wörld"
    assert len(text) == 13
    assert Words().load().offsets(text).tolist()[-1] == [8, 13]


def test_nothing_has_no_token() -> None:
    tokens = Words().load()
    assert tokens.offsets("").shape == (0, 2)
    assert tokens.offsets(" \n").shape == (0, 2)
    assert tokens.counts(["", "a b", "!?"]).tolist() == [0, 2, 2]
    assert tokens.counts([]).shape == (0,)
