"""Checking a data set: what its loader refuses, with file and line, and what the lints see in the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from runner import registry
from runner.checking.findings import CURE, CURES, Finding, Places
from runner.checking.lints import LINTS, Case, short_gold
from runner.config import Component
from runner.dataset._problems import BadRows
from runner.dataset.contract import Corpus, Dataset
from runner.dataset.stage import counts
from runner.errors import DataError
from runner.tokenizer.contract import Tokenizer

Unit = Literal["tokens", "characters"]


@dataclass(frozen=True, slots=True)
class Checked:
    """What a data set holds, and what is wrong or doubtful about it."""

    counts: dict[str, Any]
    """Without the rows that are refused; empty where nothing could be read."""
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(f.severity == "error" for f in self.findings)


def check(dataset: Component, *, size: int = 200, unit: Unit = "tokens") -> Checked:
    """Load a data set and lint it.

    Args:
        dataset: a component of the group `dataset`.
        size: of a chunk, for gold that no chunk can hold.
        unit: of `size`; tokens are those of the tokenizer `words`.

    Raises:
        RequestError: it is not there.
    """
    try:
        places = Places(registry.as_contract(dataset, Dataset).sources())
    except DataError as e:
        return Checked({}, (_whole(str(e), Places(())),))
    corpus, refused = _loaded(dataset, places)
    if corpus is None:
        return Checked({}, tuple(refused))
    words = registry.as_contract(registry.parse("tokenizer", {"name": "words"}), Tokenizer)
    case = Case(corpus, places, size, words.load() if unit == "tokens" else None)
    seen = [f for lint in LINTS for f in lint(case)]
    more = {"refused rows": len(refused), "gold too short to look for repeats": short_gold(case)}
    return Checked({**counts(corpus), **more}, (*refused, *seen))


def _loaded(dataset: Component, places: Places) -> tuple[Corpus | None, list[Finding]]:
    """What can be read, and a finding for each row that cannot."""
    try:
        return registry.as_contract(dataset, Dataset).load(), []
    except BadRows as e:
        refused = [_refused(p.place, p.kind, p.reason, places) for p in e.problems]
    except DataError as e:
        return None, [_whole(str(e), places)]
    lenient = dataset.model_copy(update={"on_bad": "skip"})
    try:
        return registry.as_contract(lenient, Dataset).load(), refused
    except DataError as e:
        return None, [*refused, _whole(str(e), places)]


def _refused(place: str, kind: str, reason: str, places: Places) -> Finding:
    file, line = places.of(place)
    return Finding("error", kind, file, line, places.rest(place) + reason, CURES.get(kind, CURE))


def _whole(message: str, places: Places) -> Finding:
    """The finding that a whole file, or the data set, cannot be read."""
    lined = re.match(r"(.+?:\d+): ", message)
    file, line = places.of(lined[1] if lined else message)
    forms = ", ".join(registry.names("dataset"))
    cure = f"nothing else is looked at until then; is it of another form? --dataset NAME, one of {forms}"
    return Finding("error", "cannot be read", file, line, message, cure)
