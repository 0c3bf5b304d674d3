"""Which questions a run sends as traces: those that tell most, the same in every cell over the same data."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property

from runner.report.setups import Setup, setups
from runner.report.telling import Telling, telling
from runner.runs import Experiment, Run


class Interest:
    """The questions of an experiment, the most telling first: flips, then lost everywhere, then drawn.

    Fewer traces are always the first of more, so that more can be sent later and nothing is sent twice.
    """

    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment
        self._ranked: dict[str, Sequence[Telling]] = {}

    @cached_property
    def _setups(self) -> dict[str, list[Setup]]:
        by_data: dict[str, list[Setup]] = {}
        for setup in setups(self._experiment, texts=False)[0]:
            by_data.setdefault(setup.data, []).append(setup)
        return by_data

    def sample(self, run: Run, n: int) -> list[Telling]:
        """The first `n` questions that the run was asked, or all for -1."""
        if n == 0:
            return []
        data = run.meta["keys"]["corpus"]
        if data not in self._ranked:
            self._ranked[data] = telling(self._setups[data], sys.maxsize)
        asked = set(run.table("queries")["query_id"])
        mine = [t for t in self._ranked[data] if t.query_id in asked]
        return mine if n == -1 else mine[:n]
