"""Errors a person can act on, and the exit codes that go with them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

EXIT_OK = 0
EXIT_FAILED = 1
"""A cell or a gate failed; the others finished."""
EXIT_REQUEST = 2
"""The request was wrong; nothing was started."""


class RunnerError(Exception):
    """Base of every error raised on purpose: its text says what, where and how to mend it."""


class RequestError(RunnerError):
    """The request (a config, an override, an argument) is wrong; nothing has been started."""


class UnknownNameError(RequestError):
    """A component or an option that does not exist: a slip that would spoil every cell of a sweep alike."""


class DataError(RunnerError):
    """A data set is not what it claims to be; the text names file and line."""


class ComponentError(RunnerError):
    """A component broke its contract, or could not load what its config names."""


class StoreError(RunnerError):
    """Something on disk is damaged or cannot be written."""


def did_you_mean(word: str, choices: Iterable[str], listed: Iterable[str] | None = None) -> str:
    """A sentence that suggests the choice nearest to `word` and lists all (or `listed`, of many)."""
    known = sorted(choices)
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    hint = f"did you mean '{near[0]}'? " if near else ""
    return f"{hint}Valid: {', '.join(known if listed is None else sorted(listed)) or 'none'}."
