"""Answers of a model on disk: append-only segments per model identity, found by digest of what was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from runner import keys
from runner.enrichment.contract import Answer
from runner.store import Store

_FILE = "answers.json"
Bar = Callable[[int], object]


class StoredAnswers:
    """The answers of one model identity (model, prompt, caps). Nothing is asked, or paid, twice."""

    def __init__(self, store: Store, identity: dict[str, Any], progress: Callable[[int], Bar]) -> None:
        """`progress` opens a bar: it is told how many answers are due."""
        self.key = keys.digest(["answers", identity])[:24]
        self._store = store
        self._identity = identity
        self._stage = f"answers/{self.key}"
        self._read: set[Path] = set()
        self._known: dict[str, Answer] = {}
        self._progress = progress
        self._bar: Bar | None = None
        self.used: dict[str, Answer] = {}
        """What was found or given."""
        self.new: dict[str, Answer] = {}
        """What was given, and paid, now."""

    def known(self, asked: Sequence[str]) -> Mapping[str, Answer]:
        """The answers there are for the keys `asked`."""
        for path in self._store.segments(self._stage):
            if path not in self._read:
                self._read.add(path)
                stored = json.loads((path / _FILE).read_text("utf-8"))
                self._known.update({key: Answer(*values) for key, values in stored.items()})
        found = {k: self._known[k] for k in asked if k in self._known}
        self.used |= found
        due = len(set(asked)) - len(found)
        self._bar = self._progress(due) if due else None
        return found

    def keep(self, answers: Mapping[str, Answer]) -> None:
        """Publish these answers, by key, as one segment."""
        ordered = {key: astuple(a) for key, a in sorted(answers.items())}

        def write(folder: Path) -> dict[str, Any]:
            (folder / _FILE).write_text(json.dumps(ordered, ensure_ascii=False), "utf-8")
            return {"identity": self._identity, "answers": len(ordered)}

        self._store.obtain(self._stage, keys.digest(list(ordered.items()))[:24], write)
        self._known.update(answers)
        self.used |= answers
        self.new |= answers
        if self._bar:
            self._bar(len(answers))

    @property
    def billed(self) -> int:
        """Tokens of what was asked now, sent and answered."""
        return sum(a.prompt_tokens + a.completion_tokens for a in self.new.values())

    def facts(self) -> dict[str, Any]:
        """How many answers and tokens the headers took, and how many of them were asked for now."""
        return {
            "deterministic": False,
            "answers": len(self.used),
            "answers_new": len(self.new),
            "prompt_tokens": sum(a.prompt_tokens for a in self.used.values()),
            "completion_tokens": sum(a.completion_tokens for a in self.used.values()),
            "prompt_tokens_billed": sum(a.prompt_tokens for a in self.new.values()),
            "completion_tokens_billed": sum(a.completion_tokens for a in self.new.values()),
        }
