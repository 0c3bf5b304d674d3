"""`situating` against a service on this machine: what is sent, and what becomes of the answer."""

from __future__ import annotations

from typing import Any

import pytest
from enrichment.answers import KEY, Kept, made
from enrichment.graphs import headers, material
from pydantic import ValidationError
from service import Reply, Service

from runner.enrichment._chat import cleaned
from runner.enrichment.contract import Answer
from runner.enrichment.situating import Situating
from runner.errors import ComponentError


def test_what_is_sent(service: Service) -> None:
    found = material([("d", 0, 8), ("d", 8, 12)], texts={"d": "owls hunt mice"}, answers=Kept())
    got = headers(made(service), found)
    assert [a.path for a in service.asked] == ["/v1/chat/completions"] * 2
    assert service.asked[0].headers["Authorization"] == f"Bearer {KEY}"
    assert service.asked[0].body == {
        "model": "m-1", "temperature": 0.0, "max_tokens": 100,
        "messages": [{"role": "user", "content": "Of owls hunt mice the part owls hun"}],
    }  # fmt: skip
    rows = got.select("chunk", "situating_sentence", "model_id", "text").rows()
    assert rows == [
        (0, "About hun.", "m-1-of-today", "About hun."), (1, "About mi.", "m-1-of-today", "About mi."),
    ]  # fmt: skip


def test_a_long_document_is_sent_from_its_beginning_and_places_in_texts_are_no_places(
    service: Service,
) -> None:
    found = material([("d", 4, 12)], texts={"d": "the {chunk} of {document}"}, answers=Kept())
    headers(made(service, max_document_chars=11), found)
    assert service.asked[0].body["messages"][0]["content"] == "Of the {chunk} the part {chunk} "


def test_the_same_passage_of_a_document_is_asked_of_once(service: Service) -> None:
    kept = Kept()
    cuts = [("c", 0, 3), ("d", 0, 3), ("d", 3, 6)]
    found = material(cuts, texts={"c": "owlbat", "d": "owlowl"}, answers=kept)
    assert headers(made(service), found).height == 3
    assert len(service.asked) == len(kept.answers) == 2  # `owl` of c, and of d; in d it stands twice


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("a\nb\t c", "a b c"),
        ("a\x00b\x1b[31mc", "a b [31mc"),
        ("\u202eevil\u202c \ufeffx", "evil x"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),  # text: nothing renders it
        ("می\u200cشود", "می\u200cشود"),
        ("x" * 50, "x" * 20),
        ("lone \ud83d half", "lone half"),
        ("", ""),
    ],
)
def test_an_answer_is_untrusted_text(said: str, right: str) -> None:
    assert cleaned(said, 20) == right[:20]


@pytest.mark.parametrize("content", [None, "", " \n "])
def test_a_model_that_says_nothing_gives_no_header_and_is_not_asked_again(
    content: Any, service: Service
) -> None:
    service.otherwise = lambda body: Reply({"choices": [{"message": {"content": content}}]})
    kept = Kept()
    found = material([("d", 0, 3)], texts={"d": "owl"}, answers=kept)
    assert headers(made(service), found).is_empty()
    assert headers(made(service), found).is_empty()
    assert len(service.asked) == 1
    assert [*kept.answers.values()] == [Answer("", "", 0, 0)]


@pytest.mark.parametrize(
    "body",
    [
        {}, [], None, "text", {"choices": []}, {"choices": [{}]}, {"choices": [{"message": {"content": 3}}]},
        {"choices": {"message": {}}}, {"data": [{"embedding": [1.0]}]},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_chat_completion_is_refused(body: Any, service: Service) -> None:
    service.otherwise = lambda asked: Reply(body)
    with pytest.raises(ComponentError, match="no message with a text"):
        headers(made(service), material([("d", 0, 3)], texts={"d": "owl"}, answers=Kept()))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prompt": "about {chunk}"}, "must hold {document} and {chunk}, once each"),
        ({"prompt": "{document} {chunk} {chunk}"}, "must hold {document} and {chunk}, once each"),
        ({"request": {"messages": "x"}}, "messages: set by the runner"),
        ({"request": {"stream": True}}, "stream: set by the runner"),
        ({"key_env": "HOME"}, "must end in _API_KEY"),
        ({"base_url": "http://example.org/v1"}, "needs https"),
        ({"model": ""}, "at least 1 character"),
    ],
)
def test_what_a_config_may_not_say(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Situating(**{"model": "m", **changes})
