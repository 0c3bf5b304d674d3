"""Findings: what a check of a data set has to say, each with its place and its cure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong (`error`: a run would refuse or misread it) or doubtful (`warning`)."""

    severity: Severity
    lint: str
    """What kind of thing, such as `duplicate question`."""
    file: str | None
    line: int | None
    """Line of the file, or row of a Parquet file, from 1; None where it has none."""
    what: str
    cure: str


@dataclass(frozen=True, slots=True)
class Places:
    """Turns `file:line`, as loaders write places, into file and line."""

    sources: Sequence[Path]

    def of(self, place: str) -> tuple[str | None, int | None]:
        """File and line, as far as they are known."""
        numbered = re.fullmatch(r"(.+):(?:row )?(\d+)", place, re.DOTALL)
        if numbered:
            return numbered[1], int(numbered[2])
        found = (str(p) for p in self.sources)
        return next((f for f in found if place == f or place.startswith(f"{f}:")), None), None

    def rest(self, place: str) -> str:
        """What a place says beyond file and line, such as `question q1`, as the beginning of a sentence."""
        file, line = self.of(place)
        if line is not None or file is None:
            return ""
        said = place[len(file) :].removeprefix(":").strip()
        return f"{said}: " if said else ""


CURES = {
    "quote not found": "copy the quote from the document as it stands there, line ends and blanks too",
    "ambiguous quote": 'quote more of the passage, or say which: `occurrence` from 1, or "all"',
    "occurrence out of range": 'count again: `occurrence` from 1, or "all"',
    "wrong span": "take offsets in code points of the file as it is, half open: [start, end)",
    "span out of range": "take offsets in code points of the file as it is, half open: [start, end)",
    "unknown document": "add the document, or remove the row",
    "unknown query": "add the query, or remove the judgment",
    "duplicate doc_id": "rename or remove one of the two",
    "duplicate query_id": "rename or remove one of the two",
    "duplicate judgment": "remove one of the two",
    "blank document": "give it text or remove it: it makes no chunk, and gold in it cannot be found",
    "not UTF-8": "save the file as UTF-8, for instance: iconv -f latin1 -t utf-8",
    "unknown field": "correct its name or remove it",
    "unknown mention": "add the mention, or take its id out of `mention_ids`",
    "unknown node": "add the node, or remove the edge",
    "mention in two nodes": "a mention means one entity: take it out of one of the two, or join the nodes",
    "wrong text": "take offsets in code points of the file as it is, half open: [start, end)",
    "confidence out of range": "give a number from 0 to 1, or leave it out: it is 1 then",
    "duplicate edge": "remove one; one edge may list several places of evidence",
}
"""By the kind of a refused row."""
CURE = "mend the row; to leave such rows out of runs and have them counted: dataset.on_bad=skip"
