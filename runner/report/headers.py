"""What enrichment came to in each set-up that has it: a table to stand beside the scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runner.report import numbers
from runner.report.setups import Setup

COLUMNS = {
    "chunks_enriched": "Chunks with a header",
    "avg_header_tokens": "Tokens of a header",
    "avg_neighbors_per_chunk": "Neighbors in a header",
    "hub_entities_capped": "Entities capped",
    "chunks_truncated_by_header": "Chunks it cut short",
    "own_tokens_pushed_out": "Tokens it pushed out",
}
"""What of the roll-up is shown, and its head."""


@dataclass(frozen=True, slots=True)
class Row:
    """One set-up."""

    setup: Setup
    provider: str
    chunks: int
    values: list[tuple[str, float] | None]
    """Per column: shown, and behind it; None where the model cannot count its tokens, or none was asked."""


def rows(setups: Sequence[Setup]) -> list[Row]:
    """The set-ups with enrichment, in their order."""
    return [
        Row(s, found["enrichment"], found["chunks"], [_value(found.get(c)) for c in COLUMNS])
        for s in setups
        if (found := s.run.meta["enrichment"])
    ]


def _value(found: float | None) -> tuple[str, float] | None:
    if found is None:
        return None
    return (numbers.count(found) if isinstance(found, int) else f"{found:,.1f}", found)
