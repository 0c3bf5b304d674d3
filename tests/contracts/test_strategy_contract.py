"""Every strategy, as its YAML has it, over nasty texts and every kind of tokenizer: the span law."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from tokenizer import toys

from runner import registry
from runner.config import Component
from runner.strategy.contract import Strategy
from runner.strategy.stage import chunk
from runner.tokenizer.contract import Tokens

NAMES = registry.names("strategy")
TOKENIZERS: dict[str, Callable[[Path], Tokens]] = {
    "words": lambda folder: toys.words(),
    "byte_level": toys.byte_level,
    "wordpiece": lambda folder: toys.tokenizer("tokenizer_json", folder).load(),
}
SMALL = {"size": 3, "overlap": 1, "max_tokens": 3}
"""Settings that make pieces small, wherever a strategy has such a field."""


@pytest.fixture(params=NAMES)
def component(request: pytest.FixtureRequest) -> Component:
    return registry.parse("strategy", toys.settings("strategy", request.param))


@pytest.fixture(params=sorted(TOKENIZERS))
def tokens(request: pytest.FixtureRequest, tmp_path: Path) -> Tokens:
    return TOKENIZERS[request.param](tmp_path)


def _variants(component: Component) -> list[Strategy]:
    """The component as configured, and with small pieces."""
    small = {k: v for k, v in SMALL.items() if k in type(component).model_fields}
    changed = registry.parse("strategy", component.model_dump() | small)
    return [registry.as_contract(c, Strategy) for c in ([component, changed] if small else [component])]


def test_name_traits_and_yaml(component: Component) -> None:
    strategy = registry.as_contract(component, Strategy)
    assert strategy.windows is (component.name == "fixed_size")
    assert isinstance(strategy.lossy, bool)
    assert component == type(component).model_validate(
        {k: v for k, v in component.model_dump().items() if type(component).model_fields[k].is_required()}
    ), "the YAML differs from the defaults of the class"
    assert set(toys.settings("strategy", component.name)) == set(type(component).model_fields)


def test_the_span_law(component: Component, tokens: Tokens) -> None:
    texts = [t for t in toys.nasty_texts() if "\ud83d" not in t]  # no table can hold a lone surrogate
    documents = pl.DataFrame({"doc_id": [f"{i:03}" for i in range(len(texts))], "text": texts})
    for strategy in _variants(component):
        done = chunk(documents, strategy, tokens)  # raises on a breach
        for _, rows in done.chunks.group_by("doc_id", maintain_order=True):
            assert rows["chunk_index"].to_list() == list(range(rows.height))
            ends = rows["end"].to_list()
            assert ends == sorted(ends)


def test_a13_empty_blank_and_one_character(component: Component, tokens: Tokens) -> None:
    for strategy in _variants(component):
        assert strategy.spans("", tokens) == []
        assert strategy.spans("   \n\t", tokens) == []
        assert len(strategy.spans("\u200b", tokens)) <= 1
        assert strategy.spans("x", tokens) == [(0, 1)]


def test_a10_text_like_a_special_token_is_kept(component: Component, tokens: Tokens) -> None:
    text = "before <|endoftext|> after [SEP] <s> end"
    for strategy in _variants(component):
        seen = {i for start, end in strategy.spans(text, tokens) for i in range(start, end)}
        assert strategy.lossy or all(i in seen or c == " " for i, c in enumerate(text))


def test_the_same_text_gives_the_same_spans(component: Component, tokens: Tokens) -> None:
    for strategy in _variants(component):
        for text in toys.nasty_texts(seed=7, count=20):
            first = strategy.spans(text, tokens)
            assert strategy.spans(text, tokens) == first
            assert all(type(x) is int for span in first for x in span)
