"""`endpoint`: what is asked of the service, which answers are refused, what is tried again and counted."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from embedding.answers import KEY, answer
from embedding.models import encode
from service import Reply, Service, serving

from runner import http_json
from runner.embedding._service import shares
from runner.embedding.contract import Encoded
from runner.embedding.endpoint import Endpoint
from runner.errors import ComponentError, RequestError
from runner.registry import parse


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setenv("TEST_API_KEY", KEY)
    monkeypatch.setattr(http_json, "_back_off", lambda tries: 0.0)
    with serving() as found:
        found.otherwise = answer
        yield found


def _endpoint(service: Service, **changes: Any) -> Endpoint:
    return Endpoint(**{"base_url": service.url, "model": "m-1", "key_env": "TEST_API_KEY", **changes})


def _ask(service: Service, *texts: str, **changes: Any) -> Encoded:
    return encode(_endpoint(service, **changes).load(1, "cpu"), *texts)


def test_the_form_of_a_request_and_vectors_in_the_order_of_the_texts(service: Service) -> None:
    got = _ask(service, "abc", "", "\ud83d")
    right = [[3, 1], [0, 1], [1, 1]]
    assert np.abs(got.vectors - [[x / math.hypot(*v) for x in v] for v in right]).max() < 1e-7
    (asked,) = service.asked
    assert asked.path == "/v1/embeddings"
    assert asked.body == {"model": "m-1", "encoding_format": "float", "input": ["abc", "", "\ufffd"]}
    assert asked.headers["Authorization"] == f"Bearer {KEY}"


def test_without_a_key_none_is_sent(service: Service) -> None:
    _ask(service, "abc", key_env=None, dimensions=2)
    assert "Authorization" not in service.asked[0].headers
    assert service.asked[0].body["dimensions"] == 2


def test_texts_go_out_in_batches_and_come_back_in_order(service: Service) -> None:
    texts = ["x" * n for n in range(1, 12)]
    told: list[int] = []
    right = _ask(service, *texts).vectors
    for threads in (1, 4):
        service.asked.clear()
        got = _endpoint(service, batch=3).load(threads, "cpu").encode(texts, told.append)
        assert np.array_equal(got.vectors, right)
        assert sorted(len(a.body["input"]) for a in service.asked) == [2, 3, 3, 3]
    assert sum(told) == 2 * len(texts)
    assert _ask(service).vectors.shape[0] == 0


def test_tokens_are_the_services_and_add_up(service: Service) -> None:
    """Three requests of 4 + 4, 8 + 1 and 3 letters: 2, 3 and 1 tokens, shared by length."""
    got = _ask(service, "aaaa", "bbbb", "cccccccc", "d", "eee", batch=2)
    assert got.tokens_total.tolist() == [1, 1, 3, 0, 1]
    assert got.tokens_embedded.tolist() == got.tokens_total.tolist()
    assert got.tokens_billed == 6
    service.otherwise = lambda body: answer(body, usage=None)
    assert _ask(service, "aaaa").tokens_billed == 0


@pytest.mark.parametrize(
    ("total", "weights", "right"),
    [
        (10, [1, 1, 1], [4, 3, 3]), (7, [5, 2], [5, 2]), (1, [1, 9], [0, 1]), (3, [0, 0], [3, 0]),
        (0, [4, 4], [0, 0]), (5, [], []),
    ],
)  # fmt: skip
def test_shares_are_whole_and_add_up(total: int, weights: list[int], right: list[int]) -> None:
    assert shares(total, weights) == right


@pytest.mark.parametrize(
    "bad",
    [
        Reply({"error": "slow"}, 429, {"Retry-After": "0"}),
        Reply(None, 500),
        Reply(b"<html>"),
        Reply(drop=True),
    ],
)
def test_what_may_pass_is_tried_again(service: Service, bad: Reply) -> None:
    service.replies = [bad, bad]
    assert _ask(service, "abc").vectors.shape == (1, 2)
    assert len(service.asked) == 3
    service.replies = [bad] * 3
    with pytest.raises(ComponentError, match="/v1/embeddings: failed 3 times"):
        _ask(service, "abc", retries=2)


def test_a_service_that_hangs_fails_in_time(service: Service) -> None:
    stuck = threading.Event()
    service.otherwise = lambda body: Reply({}, stall=stuck)
    try:
        with pytest.raises(ComponentError, match="failed 2 times"):
            _ask(service, "abc", timeout=0.1, retries=1)
    finally:
        stuck.set()


def _data(*items: Any) -> Any:
    return lambda body: answer(body, data=list(items))


ONE, TWO = {"index": 0, "embedding": [1.0, 2.0]}, {"index": 1, "embedding": [2.0, 1.0]}


@pytest.mark.parametrize(
    ("otherwise", "message"),
    [
        (_data(ONE), "left out 1 of 2 texts, first 'second'"),
        (_data(ONE, ONE), "a vector to text 0; wanted are 0 to 1, once each"),
        (_data(ONE, {**TWO, "index": 2}), "a vector to text 2"),
        (_data(ONE, {"embedding": [1.0, 2.0]}), "a vector to text None"),
        (_data(ONE, {**TWO, "index": True}), "a vector to text True"),
        (_data(ONE, {**TWO, "embedding": [1.0]}), "vectors of 1 and of 2 dimensions"),
        (_data(ONE, {**TWO, "embedding": [1.0, None]}), "no vector of finite numbers for 'second'"),
        (_data(ONE, {**TWO, "embedding": []}), "no vector of finite numbers"),
        (_data(ONE, {**TWO, "embedding": "AAAA"}), "no vector of finite numbers"),
        (_data(ONE, {**TWO, "embedding": [1e300, 1.0]}), "no vector of finite numbers"),
        (_data(ONE, "x"), "a vector to text None"),
        (lambda body: Reply({"results": []}), "no list `data`; is this an embedding service"),
        (lambda body: Reply([]), "no list `data`"),
        (lambda body: Reply(b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}'), "NaN is no number"),
        (lambda body: answer(body, model="m-2"), "answers as 'm-2', not as 'm-1'.*embedding.served_as=m-2"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_a21_an_answer_that_does_not_fit_is_refused(service: Service, otherwise: Any, message: str) -> None:
    service.otherwise = otherwise
    with pytest.raises(ComponentError, match=message):
        _ask(service, "first", "second", retries=0)


def test_the_name_that_the_service_gives_its_model_is_pinned(service: Service) -> None:
    service.otherwise = lambda body: answer(body, model="m-2")
    assert _ask(service, "a", served_as="m-2").vectors.shape == (1, 2)
    service.otherwise = lambda body: answer(body, model=None)
    assert _ask(service, "a").vectors.shape == (1, 2)
    with pytest.raises(ComponentError, match="answers as None"):
        _ask(service, "a", served_as="m-2")


def test_dimensions_are_checked_and_must_not_change(service: Service) -> None:
    with pytest.raises(ComponentError, match="vectors of 2 dimensions, not of 3"):
        _ask(service, "a", dimensions=3)
    encoder = _endpoint(service).load(1, "cpu")
    encode(encoder, "a")
    service.otherwise = lambda body: answer(body, data=[{"index": 0, "embedding": [1, 2, 3]}])
    with pytest.raises(ComponentError, match="vectors of 3 dimensions, not of 2"):
        encode(encoder, "b")


def test_a22_identity_has_what_decides_and_not_how_it_is_reached() -> None:
    first = Endpoint(model="m")
    other = [
        Endpoint(model="n"), Endpoint(model="m", base_url="https://other.example/v1"),
        Endpoint(model="m", served_as="m-2"), Endpoint(model="m", dimensions=64),
    ]  # fmt: skip
    assert len({json.dumps(e.identity(), sort_keys=True) for e in [first, *other]}) == 5
    reach: dict[str, Any] = {
        "key_env": "MY_API_KEY", "batch": 8, "timeout": 1.0, "retries": 0, "requests_per_minute": 6.0,
        "price_per_million_tokens": 0.1,
    }  # fmt: skip
    assert Endpoint(model="m", **reach).identity() == first.identity()
    assert Endpoint(model="m", **reach).settings() == first.settings()
    assert Endpoint(model="m", base_url="https://api.openai.com/v1/").identity() == first.identity()


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("base_url", "http://api.example.org/v1", "needs https"),
        ("base_url", "https://user:word@api.example.org/v1", "no user, password"),
        ("base_url", "https://api.example.org/v1?key=x", "query"),
        ("key_env", KEY, "the NAME of an environment variable"),
        ("key_env", "AWS_SECRET_ACCESS_KEY", "must end in _API_KEY"),
        ("on_truncate", "error", "only `warn`"),
        ("batch", 0, "greater than 0"),
    ],
)
def test_what_may_not_be_asked(field: str, value: object, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        parse("embedding", {"name": "endpoint", "model": "m", field: value})


def test_a_variable_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEST_API_KEY", raising=False)
    with pytest.raises(ComponentError, match="environment variable TEST_API_KEY"):
        Endpoint(model="m", key_env="TEST_API_KEY").load(1, "cpu")
