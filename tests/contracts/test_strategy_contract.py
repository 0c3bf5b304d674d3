"""Every strategy, as its YAML has it, over nasty texts and every kind of tokenizer: the laws of pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from tokenizer import toys

from runner import registry
from runner.config import Component
from runner.embedding.hashing import Hashing
from runner.strategy.contract import Piece, Source, Strategy, Tools
from runner.strategy.stage import chunk
from runner.text import is_blank
from runner.tokenizer.contract import Tokens

NAMES = registry.names("strategy")
TOKENIZERS: dict[str, Callable[[Path], Tokens]] = {
    "words": lambda folder: toys.words(),
    "byte_level": toys.byte_level,
    "wordpiece": lambda folder: toys.tokenizer("tokenizer_json", folder).load(),
}
SMALL = {"size": 3, "overlap": 1, "max_tokens": 3, "min_tokens": 2, "parent_size": 5}
"""Settings that make pieces small, wherever a strategy has such a field."""
MARKDOWN = [
    "# A\n```\n# not a heading\n```\n## B\nx",
    "intro line\n\n# A\nbody",
    "no headings at all",
    "---\ntitle: T\n---\n# T\r\n\r\n- [fact] one #tag (ctx)\r\n- part_of [[T]]\r\n\r\nprose\r\n",
    "A\n===\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nB\n---\n1. x\n2. y\n\n   z\n",
    "- [a] b\n- [a] b\n\n# H\n\n## I\n\n- c [[d]]\n",
]
TEXTS = [t for t in toys.nasty_texts() + MARKDOWN if "\ud83d" not in t]
"""No table can hold a lone surrogate."""


@pytest.fixture(params=NAMES)
def component(request: pytest.FixtureRequest) -> Component:
    return registry.parse("strategy", toys.settings("strategy", request.param))


@pytest.fixture(params=sorted(TOKENIZERS))
def tools(request: pytest.FixtureRequest, tmp_path: Path) -> Tools:
    return Tools(TOKENIZERS[request.param](tmp_path), embed)


def embed(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    return Hashing().load(1, "cpu").encode(texts, lambda done: None).vectors


def _variants(component: Component) -> list[Strategy]:
    """The component as configured, and with small pieces."""
    small = {k: v for k, v in SMALL.items() if k in type(component).model_fields}
    changed = registry.parse("strategy", component.model_dump() | small)
    return [registry.as_contract(c, Strategy) for c in ([component, changed] if small else [component])]


def _source(text: str) -> Source:
    """A document whose data set brings two halves along."""
    middle = len(text) // 2
    given = [s for s in ((0, middle), (middle, len(text))) if s[0] < s[1]]
    return Source("d", text, given)


def _pieces(strategy: Strategy, text: str, tools: Tools) -> list[Piece]:
    """Pieces of `text` but for those that the stage would leave out as blank."""
    return [p for p in strategy.pieces(_source(text), tools) if not is_blank(text[p.start : p.end])]


def _spans(strategy: Strategy, text: str, tools: Tools) -> list[tuple[int, int]]:
    return [(p.start, p.end) for p in _pieces(strategy, text, tools)]


def test_name_traits_and_yaml(component: Component) -> None:
    strategy = registry.as_contract(component, Strategy)
    assert strategy.windows is (component.name == "fixed_size")
    assert isinstance(strategy.lossy, bool)
    assert isinstance(strategy.reads_vectors, bool)
    assert component == type(component).model_validate(
        {k: v for k, v in component.model_dump().items() if type(component).model_fields[k].is_required()}
    ), "the YAML differs from the defaults of the class"
    assert set(toys.settings("strategy", component.name)) == set(type(component).model_fields)


def test_the_span_law_whatever_the_order_of_documents(component: Component, tools: Tools) -> None:
    ids = [f"{i:03}" for i in range(len(TEXTS))]
    documents = pl.DataFrame({"doc_id": ids, "text": TEXTS})
    given = {i: _source(t).given for i, t in zip(ids, TEXTS, strict=True)}
    for strategy in _variants(component):
        done = chunk(documents, strategy, tools, given)  # raises on a breach
        for _, rows in done.chunks.group_by("doc_id", maintain_order=True):
            assert rows["chunk_index"].to_list() == list(range(rows.height))
            ends = rows["end"].to_list()
            assert ends == sorted(ends)
        again = chunk(documents.reverse(), strategy, tools, given)
        assert again.chunks.equals(done.chunks)
        assert again.without_chunks == done.without_chunks


def test_a13_empty_blank_and_one_character(component: Component, tools: Tools) -> None:
    for strategy in _variants(component):
        assert _spans(strategy, "", tools) == []
        assert _spans(strategy, "   \n\t", tools) == []
        assert len(_spans(strategy, "\u200b", tools)) <= 1
        assert _spans(strategy, "x", tools) == [(0, 1)]


def test_a10_text_like_a_special_token_is_kept(component: Component, tools: Tools) -> None:
    text = "before <|endoftext|> after [SEP] <s> end"
    for strategy in _variants(component):
        seen = {i for start, end in _spans(strategy, text, tools) for i in range(start, end)}
        assert strategy.lossy or all(i in seen or c == " " for i, c in enumerate(text))


def test_a11_a12_fences_and_preambles_are_in_pieces_and_no_path_holds_code(
    component: Component, tools: Tools
) -> None:
    for strategy in _variants(component):
        for text in MARKDOWN[:3]:
            found = _pieces(strategy, text, tools)
            seen = {i for p in found for i in range(p.start, p.end)}
            assert strategy.lossy or all(i in seen or c.isspace() for i, c in enumerate(text))
            assert not any("not a heading" in (p.heading or "") for p in found)
            assert not any("\r" in (p.heading or "") for p in found)


def test_the_same_text_gives_the_same_pieces(component: Component, tools: Tools) -> None:
    for strategy in _variants(component):
        for text in toys.nasty_texts(seed=7, count=20):
            if "\ud83d" in text:
                continue
            first = _pieces(strategy, text, tools)
            assert _pieces(strategy, text, tools) == first
            assert all(type(x) is int for p in first for x in (p.start, p.end))
