"""`wordpiece`: all-MiniLM-L6-v2's vocabulary, whichever copy of it is at hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tokenizer import toys

from runner import keys
from runner.errors import ComponentError
from runner.tokenizer import wordpiece
from runner.tokenizer.tokenizer_json import TokenizerJson
from runner.tokenizer.wordpiece import Wordpiece


@pytest.fixture(scope="module")
def path() -> Path:
    return toys.minilm_tokenizer()


def test_the_default_is_upstreams_file(path: Path) -> None:
    assert keys.file_digest(path) == wordpiece.DIGEST
    assert (
        Wordpiece().identity()
        == Wordpiece(path=str(path)).identity()
        == TokenizerJson(path=str(path)).identity()
    )


def test_tokens_are_those_of_the_model(path: Path) -> None:
    text = "Chunking strategies, unbelievably!"
    spans = Wordpiece(path=str(path)).load().offsets(text).tolist()
    assert [text[s:e] for s, e in spans] == [  # as transformers 5.24 tokenizes it
        "Chunk", "ing", "strategies", ",", "un", "bel", "ie", "va", "bly", "!",
    ]  # fmt: skip


def test_a09_offsets_keep_case_accents_and_line_ends(path: Path) -> None:
    text = "The CAFÉ serves Zürich-style  resumé\r\n(3.5%) 🙂."
    spans = Wordpiece(path=str(path)).load().offsets(text).tolist()
    assert [text[s:e] for s, e in spans] == [
        "The", "CAFÉ", "serves", "Zürich", "-", "style", "resumé", "(", "3", ".", "5", "%", ")", "🙂", ".",
    ]  # fmt: skip


def test_a10_special_token_text_is_ordinary_text(path: Path) -> None:
    text = "after [SEP] <s> [CLS]"
    spans = Wordpiece(path=str(path)).load().offsets(text).tolist()
    assert [text[s:e] for s, e in spans] == ["after", "[", "SEP", "]", "<", "s", ">", "[", "CL", "S", "]"]


def test_a08_offsets_are_those_of_the_source(path: Path) -> None:
    assert Wordpiece(path=str(path)).load().offsets("cafe\u0301 ½ oﬃce").tolist()[-1] == [8, 12]


def test_where_the_default_is_looked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[tuple[Any, ...]] = []

    def locate(*args: Any) -> Path:
        asked.append(args)
        toys.wordpiece_json(tmp_path).rename(tmp_path / "tokenizer.json")
        return tmp_path

    monkeypatch.setattr(wordpiece, "locate_model", locate)
    assert Wordpiece().load().counts(["the"]).tolist() == [1]
    assert asked == [
        (wordpiece.MODEL, wordpiece.REVISION, wordpiece.PACKAGE, {"tokenizer.json": wordpiece.DIGEST})
    ]


def test_a_path_that_leads_nowhere_is_named() -> None:
    with pytest.raises(
        ComponentError, match=r"tokenizer wordpiece: no file at 'gone\.json'; set tokenizer\.path"
    ):
        Wordpiece(path="gone.json").load()
