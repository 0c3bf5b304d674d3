"""Tests of data that the project does not carry: skipped, saying how to mend it, where they are not there."""

from __future__ import annotations

import pytest

from runner.dataset.contract import locate
from runner.errors import RequestError


def real(path: str) -> None:
    """Skip the test where the real data are not there."""
    try:
        locate(path)
    except RequestError as e:
        pytest.skip(f"real data needed: {e}")
