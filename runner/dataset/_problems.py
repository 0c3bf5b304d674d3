"""Problems of a data set: rows that cannot be used, each with its place, collected and raised as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from runner.dataset.contract import OnBad
from runner.errors import DataError
from runner.text import visible

T = TypeVar("T")

SHOWN = 20
"""Problems that one error lists; the others are only counted."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A row that was refused."""

    place: str
    """`file:line` in most cases."""
    kind: str
    reason: str


class BadRows(DataError):
    """Rows of a data set were refused; `problems` lists them all, the text the first 20."""

    def __init__(self, text: str, problems: Sequence[Problem]) -> None:
        super().__init__(text)
        self.problems = tuple(problems)


class Bad(Exception):
    """One row cannot be used: rows are counted by `kind`, a person reads `reason`."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason


class Problems:
    """What was wrong with a data set, row by row. `place` is where reading is now: `file:line`."""

    def __init__(self, on_bad: OnBad) -> None:
        self.rejected: Counter[str] = Counter()
        self.place = ""
        self._on_bad = on_bad
        self._found: list[Problem] = []

    def add(self, bad: Bad, place: str | None = None) -> None:
        """Note that the row at `place` (None: where reading is now) is left out."""
        self.rejected[bad.kind] += 1
        if self._on_bad == "error":
            self._found.append(Problem(visible(place or self.place), bad.kind, bad.reason))

    def each(self, rows: Iterable[tuple[str, T]], take: Callable[[T], None]) -> None:
        """Hand each row of `(place, row)` to `take`, and note those it refuses with `Bad`."""
        for place, row in rows:
            self.place = place
            try:
                take(row)
            except Bad as bad:
                self.add(bad)

    def check(self) -> None:
        """Raise what was found in one error, up to 20 places, unless bad rows are to be skipped.

        Raises:
            BadRows: there were problems and the policy is `error`.
        """
        total = len(self._found)
        if not total:
            return
        more = f"\n… and {total - SHOWN} more" if total > SHOWN else ""
        mend = "Mend them, or set dataset.on_bad=skip to leave these rows out and have them counted."
        count = "1 problem" if total == 1 else f"{total} problems"
        lines = "\n".join(f"{p.place}: {p.reason}" for p in self._found[:SHOWN])
        raise BadRows(f"{count} in the data set:\n{lines}{more}\n{mend}", self._found)
