"""Whether the person who started this process lets models bring code of their own. No config can say so."""

from __future__ import annotations

import os

FLAG = "--trust-remote-code"
VARIABLE = "RUNNER_TRUST_REMOTE_CODE"
OURS = "RUNNER_"
"""Beginning of the variables that are for a person to set, and for no config."""

_state = {"allowed": os.environ.get(VARIABLE) == "1"}
"""Read once, when a command line or a worker imports this: Hydra's `job.env_set` comes later, too late."""


def allow() -> None:
    """Take the flag of the command line as given, for this process and for the workers that it starts."""
    _state["allowed"] = True
    os.environ[VARIABLE] = "1"


def allowed() -> bool:
    """Whether the flag was given, or the variable was 1 in the environment that the process started with."""
    return _state["allowed"]
