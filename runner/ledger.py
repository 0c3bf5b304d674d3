"""The ledger of looks: each time a run over a test half is asked for, a line says so. Nothing erases one."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from runner.disk import sync
from runner.errors import StoreError
from runner.store import Store

_FILE = "ledger.jsonl"


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a test half."""

    questions: str
    """Fingerprint of the questions: the same half, whatever its data set is called."""
    run: str
    data: str
    """Name of the data set, for people."""
    at: str


@dataclass(frozen=True, slots=True)
class Looks:
    """How worn a test half is."""

    times: int
    setups: int
    """Distinct runs."""

    @property
    def said(self) -> str:
        """In words."""
        times, setups = (
            f"{n} {w}{'s' * (n != 1)}" for n, w in ((self.times, "time"), (self.setups, "set-up"))
        )
        return f"this test half was looked at {times}, with {setups}"


def look(store: Store, questions: str, run: str, data: str) -> None:
    """Add a line; of several processes one after the other.

    Raises:
        StoreError: the disk refused.
    """
    said = Look(questions, run, data, datetime.now(UTC).isoformat(timespec="seconds"))
    path = store.root.parent / _FILE
    with store.lock("ledger"):
        try:
            with path.open("a", encoding="utf-8") as f:
                f.write(json.dumps(asdict(said), ensure_ascii=False) + "\n")
            sync(path)
        except OSError as e:
            raise StoreError(f"{path}: the look could not be written down ({e.strerror or e})") from e


def looks(outputs: Path, questions: str) -> Looks:
    """The looks at the questions with this fingerprint.

    Raises:
        StoreError: the ledger is damaged; the message names the line.
    """
    path = outputs / _FILE
    if not path.is_file():
        return Looks(0, 0)
    found = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            found.append(Look(**json.loads(line)))
        except (ValueError, TypeError) as e:
            raise StoreError(f"{path}:{number}: is no line of the ledger ({e}); mend or remove it") from e
    mine = [f.run for f in found if f.questions == questions]
    return Looks(len(mine), len(set(mine)))
