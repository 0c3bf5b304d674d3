"""The HTTP client against a service that misbehaves: it retries, waits, keeps to a rate, lets no key out."""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from service import Reply, Service, serving

from runner import http_json
from runner.errors import ComponentError
from runner.http_json import HttpJson, safe_url, variable_name

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def service() -> Iterator[Service]:
    with serving() as found:
        yield found


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def client(service: Service, slept: list[float], monkeypatch: pytest.MonkeyPatch) -> HttpJson:
    monkeypatch.setenv("RUNNER_TEST_KEY", f" {KEY}\n")
    return HttpJson(service.url, key_env="RUNNER_TEST_KEY", timeout=5, retries=3, sleep=slept.append)


def _post(client: HttpJson) -> Any:
    return client.post("/rerank", {"query": "q", "documents": ["é😀"]})


def test_what_is_sent_and_what_comes_back(client: HttpJson, service: Service) -> None:
    service.replies = [Reply({"ok": [1.5, "é"]})]
    assert _post(client) == {"ok": [1.5, "é"]}
    (asked,) = service.asked
    assert (asked.path, asked.body) == ("/v1/rerank", {"query": "q", "documents": ["é😀"]})
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    assert asked.headers["Content-Type"] == "application/json"
    assert (client.requests, client.retried) == (1, 0)


def test_no_key_is_no_header(service: Service) -> None:
    _post(HttpJson(service.url))
    assert "Authorization" not in service.asked[0].headers


@pytest.mark.parametrize(
    "bad",
    [
        Reply({}, 429), Reply({}, 408), Reply({}, 500), Reply(b"<html>", 502), Reply({}, 503), Reply({}, 529),
        Reply(drop=True), Reply(b"no json"), Reply(b'{"score": NaN}'), Reply(b"[" * 100_000), Reply(b""),
        Reply(b'{"a"', short=7),
    ],
)  # fmt: skip
def test_what_another_try_may_mend_is_tried_again(
    bad: Reply, client: HttpJson, service: Service, slept: list[float]
) -> None:
    service.replies = [bad, bad, Reply({"ok": 1})]
    assert _post(client) == {"ok": 1}
    assert (client.requests, client.retried) == (3, 2)
    assert 0.5 <= slept[0] <= 1
    assert 1 <= slept[1] <= 2


def test_it_gives_up_and_says_how_often_it_tried(
    client: HttpJson, service: Service, slept: list[float]
) -> None:
    service.otherwise = lambda body: Reply({"message": "overloaded"}, 503)
    with pytest.raises(ComponentError, match=r'/v1/rerank: failed 4 times, at last: HTTP 503 \{"message"'):
        _post(client)
    assert len(service.asked) == len(slept) + 1 == 4


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 501])
def test_what_no_try_can_mend_is_not_tried_again(status: int, client: HttpJson, service: Service) -> None:
    service.otherwise = lambda body: Reply({"message": "no such model"}, status)
    with pytest.raises(ComponentError, match=f"HTTP {status} .*no such model") as e:
        _post(client)
    assert len(service.asked) == 1
    assert ("is the key in RUNNER_TEST_KEY right?" in str(e.value)) is (status in {401, 403})


def test_retry_after_is_honoured_in_seconds_and_as_a_date(
    client: HttpJson, service: Service, slept: list[float]
) -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    past = format_datetime(datetime.now(UTC) - timedelta(seconds=30), usegmt=True)
    for said in ("7", "0.25", soon, past, "soon"):
        service.replies += [Reply({}, 429, {"Retry-After": said}), Reply({})]
        _post(client)
    assert slept[:2] == [7.0, 0.25]
    assert 27 < slept[2] <= 30
    assert slept[3] == 0.0
    assert 0.5 <= slept[4] <= 1.0  # what cannot be read is left to our own back-off


def test_a_wait_beyond_all_patience_fails_at_once(
    client: HttpJson, service: Service, slept: list[float]
) -> None:
    service.otherwise = lambda body: Reply({}, 429, {"Retry-After": "86400"})
    with pytest.raises(ComponentError, match=r"HTTP 429 .*asks to be left alone for 86400 s"):
        _post(client)
    assert slept == []


def test_a_service_that_stalls_times_out(service: Service, slept: list[float]) -> None:
    stall = threading.Event()
    service.replies = [Reply({}, stall=stall)]
    client = HttpJson(service.url, timeout=0.1, retries=1, sleep=slept.append)
    assert _post(client) == {"results": []}
    stall.set()
    assert client.retried == 1
    with pytest.raises(ComponentError, match=r"failed 1 times, at last: .*refused"):
        HttpJson("http://127.0.0.1:9", timeout=1, retries=0).post("/rerank", {})


def test_a_redirect_is_not_followed_and_the_key_not_passed_on(client: HttpJson, service: Service) -> None:
    with serving() as other:
        for status in (301, 302, 303, 307, 308):
            service.replies = [Reply({}, status, {"Location": f"{other.url}/rerank"})]
            with pytest.raises(ComponentError, match=f"HTTP {status}"):
                _post(client)
        assert other.asked == []


def test_an_answer_without_end_is_refused(
    client: HttpJson, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_json, "_BIGGEST", 1 << 20)
    service.replies = [Reply(b"1" * ((1 << 20) + 1))]
    with pytest.raises(ComponentError, match="more than 1 MB"):
        _post(client)


def test_no_error_holds_the_key(
    client: HttpJson, service: Service, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    around = [f"wrong key {KEY}", "x" * 190 + KEY, KEY * 20, f"\x1b[31m{KEY}"]
    for status in (401, 500):
        for said in around:
            service.otherwise = lambda body, s=status, t=said: Reply(t.encode(), s)  # type: ignore[misc]
            with pytest.raises(ComponentError) as e:
                _post(client)
            shown = "".join(traceback.format_exception(e.value))
            assert "sk-" not in shown
            assert "\x1b" not in str(e.value)
    assert "sk-" not in caplog.text + "".join(capsys.readouterr()) + repr(client)


def test_requests_keep_to_a_rate(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    waits: list[float] = []
    client = HttpJson(service.url, requests_per_minute=30, sleep=waits.append)
    for at in (100.0, 100.0, 100.5, 200.0):
        now[0] = at
        _post(client)
    assert waits == [2.0, 3.5]


def test_a_key_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUNNER_TEST_KEY", raising=False)
    with pytest.raises(ComponentError, match=r"environment variable RUNNER_TEST_KEY, .* is not set"):
        HttpJson("https://example.org", key_env="RUNNER_TEST_KEY")
    monkeypatch.setenv("RUNNER_TEST_KEY", f"{KEY}\nX-Other: 1")
    with pytest.raises(ComponentError, match="characters that no header can carry") as e:
        HttpJson("https://example.org", key_env="RUNNER_TEST_KEY")
    assert "sk-" not in str(e.value)


def test_a_url_is_safe_to_send_a_key_to_and_to_write_down() -> None:
    for good in (
        "https://api.example.org/v1",
        "http://127.0.0.1:80/v1",
        "http://[::1]/v1",
        "http://localhost",
    ):
        assert safe_url(good + "/") == good
    for wrong in (
        "http://api.example.org",
        "ftp://example.org",
        "file:///etc",
        "example.org",
        "",
        "https://",
    ):
        with pytest.raises(ValueError, match=r"https|recorded"):
            safe_url(wrong)
    for telling in ("https://me:pw@example.org", "https://example.org/v1?key=1", "https://example.org/#k",
                    "https://example.org/a b", "http://localhost@example.org"):  # fmt: skip
        with pytest.raises(ValueError, match=r"recorded|https"):
            safe_url(telling)
    with pytest.raises(ComponentError, match="needs https"):
        HttpJson("http://api.example.org")


def test_a_variable_is_named_and_a_key_is_refused_unseen() -> None:
    assert variable_name("COHERE_API_KEY") == "COHERE_API_KEY"
    for wrong in (KEY, "", "lower_case", "A", "A-B", "A" * 65, "9KEY"):
        with pytest.raises(ValueError, match="NAME of an environment variable") as e:
            variable_name(wrong)
        assert KEY not in str(e.value)
    for other in ("AWS_SECRET_ACCESS_KEY", "HOME", "API_KEY", "AKIAIOSFODNN7EXAMPLE"):
        with pytest.raises(ValueError, match="must end in _API_KEY") as e:
            variable_name(other)
        assert other not in str(e.value).replace("_API_KEY", "")
