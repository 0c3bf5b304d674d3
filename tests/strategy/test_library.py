"""`library`: every splitter under the span law, offsets that are proven, and refusals where they are not."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args

import polars as pl
import pytest
from pydantic import ValidationError
from tokenizer import toys

from runner import registry
from runner.errors import ComponentError, RequestError
from runner.strategy._located import located, proven
from runner.strategy.contract import Tools
from runner.strategy.library import Library
from runner.strategy.stage import chunk

SPLITTERS = get_args(Library.model_fields["splitter"].annotation)


def _made(splitter: Any, **settings: Any) -> Library:
    made = Library(splitter=splitter, **settings)
    if find_spec(made.package.replace("-", "_")) is None:
        pytest.skip(f"{made.package} is not installed: pip install 'rag-runner[splitters]'")
    return made


@pytest.mark.parametrize("unit", ["tokens", "characters"])
@pytest.mark.parametrize("splitter", SPLITTERS)
def test_the_span_law(splitter: Any, unit: Any, tmp_path: Path) -> None:
    texts = [t for t in toys.nasty_texts(count=60) if "\ud83d" not in t]
    documents = pl.DataFrame({"doc_id": [f"{i:03}" for i in range(len(texts))], "text": texts})
    for tokens in (toys.words(), toys.byte_level(tmp_path)):
        for size in (3, 25):
            chunk(documents, _made(splitter, size=size, unit=unit), Tools(tokens))  # raises on a breach


@pytest.mark.parametrize("splitter", SPLITTERS)
def test_a03_a05_repeated_text_and_code_points(splitter: Any) -> None:
    text = "Yes it is so. No it is not. Yes it is so. No it is not. Then héllo 😀 wörld. Yes it is so."
    spans = _made(splitter, size=20, unit="characters").spans(text, toys.words())
    ends = [e for _, e in spans]
    assert ends == sorted(ends)
    assert len({s for s, _ in spans}) == len(spans) > 4
    assert "".join("".join(text[s:e] for s, e in spans).split()) == "".join(text.split())
    assert any("😀 wörld" in text[s:e] for s, e in spans)


def test_a03_what_langchain_says_of_repeated_text_is_not_believed() -> None:
    strategy = _made("langchain_recursive", size=5, unit="characters")
    assert strategy.spans("abcd abcd", toys.words()) == [(0, 4), (5, 9)]


def test_overlap() -> None:
    text = "one two three four five six seven eight"
    spans = _made("langchain_recursive", size=3, overlap=1).spans(text, toys.words())
    assert [text[s:e] for s, e in spans] == [
        "one two three",
        "three four five",
        "five six seven",
        "seven eight",
    ]
    with pytest.raises(ComponentError, match=r"cannot be proven\. Set strategy\.overlap=0"):
        _made("langchain_recursive", size=3, overlap=2).spans("a " * 20, toys.words())


def test_places_are_proven() -> None:
    assert located("ab  ab ab", ["ab", "ab", "ab"], overlapping=False) == [(0, 2), (4, 6), (7, 9)]
    assert located("ab cd", ["ab ", " \n", "cd"], overlapping=False) == [(0, 3), (3, 5)]
    assert located("one two three", ["one two", "two three"], overlapping=True) == [(0, 7), (4, 13)]
    for pieces in (["ab", "cd"], ["b"], ["ab", "ab", "ab", "ab"]):  # something visible skipped, or not there
        with pytest.raises(ComponentError, match="at no place that fits"):
            located("ab ab cd", pieces, overlapping=False)
    with pytest.raises(ComponentError, match="fits at 1 and at 2"):
        located("aaaaa", ["aaa", "aaa"], overlapping=True)
    assert proven("héé", [(1, "éé")]) == [(1, 3)]
    assert proven("héé", [(2, "éé")]) is None


def test_the_version_is_in_the_key_and_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    made = _made("semantic_text")
    assert made.settings()["library"].startswith("semantic-text-splitter 0.")
    monkeypatch.setitem(__import__("sys").modules, "semantic_text_splitter", None)
    with pytest.raises(RequestError, match=r"needs semantic-text-splitter .*rag-runner\[splitters\]"):
        made.spans("x", toys.words())


def test_refusals() -> None:
    with pytest.raises(RequestError, match="size 4, overlap 4"):
        registry.parse("strategy", {"name": "library", "size": 4, "overlap": 4})
    with pytest.raises(ValidationError, match="chonkie_recursive has none"):
        Library(splitter="chonkie_recursive", overlap=1)
