"""The spy starts every test with an empty memory and its own answer."""

from __future__ import annotations

import pytest
from reranker.spy import Spy


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Spy, "calls", [])
    monkeypatch.setattr(Spy, "loaded", [])
