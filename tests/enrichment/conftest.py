"""A chat service on this machine, for the tests of providers that ask one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from enrichment.answers import KEY, answer
from service import Service, serving

from runner import http_json


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setenv("TEST_API_KEY", KEY)
    monkeypatch.setattr(http_json, "_back_off", lambda tries: 0.0)
    with serving() as found:
        found.otherwise = answer
        yield found
