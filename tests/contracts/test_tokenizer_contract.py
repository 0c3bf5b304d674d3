"""Every tokenizer, as its YAML has it, over nasty texts: offsets, counts, identity."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tokenizer import toys

from runner import registry
from runner.config import Component
from runner.tokenizer.contract import Tokenizer, Tokens


@pytest.fixture(params=registry.names("tokenizer"))
def component(request: pytest.FixtureRequest, tmp_path: Path) -> Tokenizer:
    return toys.tokenizer(request.param, tmp_path)


@pytest.fixture
def tokens(component: Tokenizer) -> Tokens:
    return component.load()


def test_yaml_and_defaults_agree(component: Tokenizer) -> None:
    assert isinstance(component, Component)
    fields = type(component).model_fields
    written = toys.settings("tokenizer", component.name)
    assert set(written) == set(fields)
    assert all(field.is_required() or written[k] == field.default for k, field in fields.items())


def test_identity_is_a_digest_and_stays(component: Tokenizer) -> None:
    first = component.identity()
    assert len(first) == 64
    assert first == component.identity()


def test_offsets_lie_in_the_text_and_ascend(tokens: Tokens) -> None:
    for text in toys.nasty_texts():
        spans = tokens.offsets(text)
        assert spans.shape == (len(spans), 2)
        assert spans.dtype == np.int64
        assert (np.diff(spans[:, 0]) >= 0).all(), repr(text)
        assert (spans[:, 0] < spans[:, 1]).all(), repr(text)
        assert (spans >= 0).all()
        assert (spans <= len(text)).all(), repr(text)


def test_counts_agree_with_offsets(tokens: Tokens) -> None:
    texts = toys.nasty_texts()
    counts = tokens.counts(texts)
    assert counts.shape == (len(texts),)
    assert counts.dtype == np.int64
    assert counts.tolist() == [len(tokens.offsets(t)) for t in texts]
    assert tokens.counts([]).tolist() == []


def test_every_visible_ascii_character_is_in_a_token(tokens: Tokens) -> None:
    text = "The 3.5% rule, <b>bold</b>\r\n[ok]!"
    seen = {i for start, end in tokens.offsets(text).tolist() for i in range(start, end)}
    assert [c for i, c in enumerate(text) if i not in seen and not c.isspace()] == []


def test_a05_offsets_are_code_points(tokens: Tokens) -> None:
    text = "héllo 😀 wörld"
    assert tokens.offsets(text).tolist()[-1][1] == 13
    starts = tokens.offsets(text)[:, 0]
    assert 8 in starts or 7 in starts  # the word, or the space that a byte-level token begins with


def test_a10_a_literal_is_no_special_token(tokens: Tokens) -> None:
    for literal in ("<|endoftext|>", "[SEP]", "[CLS]", "<s>", "[PAD]"):
        spans = tokens.offsets(f"a {literal} b").tolist()
        assert [s for s in spans if s[1] - s[0] >= len(literal)] == [], literal
