"""`tokenizer_json`: what a saved tokenizer brings along is left aside; errors name the knob."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tokenizer import toys

from runner.errors import ComponentError
from runner.tokenizer.tokenizer_json import TokenizerJson


def _load(path: Path) -> TokenizerJson:
    return TokenizerJson(path=str(path))


def test_truncation_and_padding_are_off(tmp_path: Path) -> None:
    tokens = _load(toys.byte_level_json(tmp_path)).load()
    assert tokens.counts(["", "ab", "x" * 1000]).tolist() == [0, 2, 1000]
    assert len(tokens.offsets("x" * 1000)) == 1000
    tokens = _load(toys.wordpiece_json(tmp_path)).load()
    assert tokens.counts(["the " * 50]).tolist() == [50]


def test_a10_special_token_text_is_ordinary_text_byte_level(tmp_path: Path) -> None:
    text = "before <|endoftext|> after [SEP] <s> end"
    tokens = _load(toys.byte_level_json(tmp_path)).load()
    # Every byte is a token here: were the literal recognised, its 13 bytes would be one token.
    assert tokens.counts([text]).tolist() == [len(text)]
    assert tokens.offsets(text).tolist() == [[i, i + 1] for i in range(len(text))]


def test_a10_special_token_text_is_ordinary_text_wordpiece(tmp_path: Path) -> None:
    text = "a [SEP] b"
    spans = _load(toys.wordpiece_json(tmp_path)).load().offsets(text).tolist()
    assert [text[s:e] for s, e in spans] == ["a", "[", "SEP", "]", "b"]


def test_a06_byte_tokens_of_one_character_share_its_span(tmp_path: Path) -> None:
    spans = _load(toys.byte_level_json(tmp_path)).load().offsets("a😀b").tolist()
    assert spans == [[0, 1], [1, 2], [1, 2], [1, 2], [1, 2], [2, 3]]


def test_white_space_stays_in_the_token_it_belongs_to(tmp_path: Path) -> None:
    # The file asks for offsets without it (trim_offsets), which would leave empty spans.
    assert _load(toys.byte_level_json(tmp_path)).load().offsets(" \n").tolist() == [[0, 1], [1, 2]]


def test_a08_offsets_are_those_of_the_source(tmp_path: Path) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    vocab = {c: i for i, c in enumerate(["[UNK]", *"abcdefghijklmnopqrstuvwxyz"])}
    tokenizer = Tokenizer(models.WordPiece(vocab | {"office": 27}, unk_token="[UNK]"))  # noqa: S106
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    path = tmp_path / "nfkc.json"
    tokenizer.save(str(path))
    text = "cafe\u0301 ½ oﬃce"
    assert len(text) == 12
    assert _load(path).load().offsets(text).tolist()[-1] == [8, 12]


def test_missing_and_wrong_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(
        ComponentError, match=r"tokenizer tokenizer_json: no file at '\?\?\?'; set tokenizer\.path"
    ):
        TokenizerJson(path="???").load()
    with pytest.raises(ComponentError, match="no file at"):
        TokenizerJson(path=str(tmp_path)).identity()
    wrong = tmp_path / "vocab.json"
    wrong.write_text('{"a": 1}')
    with pytest.raises(
        ComponentError, match=r"vocab\.json: cannot be read as a Hugging Face tokenizer\.json"
    ):
        TokenizerJson(path=str(wrong)).load()
    wrong.write_text("[1]")
    with pytest.raises(ComponentError, match="cannot be read"):
        TokenizerJson(path=str(wrong)).load()


def test_identity_is_the_content_not_the_place(tmp_path: Path) -> None:
    first = toys.wordpiece_json(tmp_path)
    copy = tmp_path / "copy.json"
    copy.write_bytes(first.read_bytes())
    assert _load(first).identity() == _load(copy).identity()
    assert _load(first).settings() == _load(copy).settings() == {}
    copy.write_bytes(first.read_bytes() + b" ")
    assert _load(first).identity() != _load(copy).identity()


def test_identity_does_not_import_the_library(tmp_path: Path) -> None:
    path = toys.wordpiece_json(tmp_path)
    code = (
        "import sys; from runner.tokenizer.tokenizer_json import TokenizerJson as T;"
        f"T(path={str(path)!r}).identity(); sys.exit('tokenizers' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=toys.CONF.parent, check=False).returncode == 0


def test_many_texts_are_counted_each_by_itself(tmp_path: Path) -> None:
    tokens = _load(toys.byte_level_json(tmp_path)).load()
    assert tokens.counts(["x" * (i % 7) for i in range(2500)]).tolist() == [i % 7 for i in range(2500)]
