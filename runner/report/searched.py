"""What one run recorded of one question: ranks by stage, candidates with their fates, facts of the search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from runner.records import Candidate, QueryTrace
from runner.report import numbers
from runner.report.charts import bump
from runner.report.gold import Gold
from runner.report.setups import Setup

SHOWN = 12
"""Candidates shown; those with gold follow, however deep they lie."""
LINES = 10
"""Candidates of the chart, and ranks shown one by one."""

Places = Mapping[str, tuple[str, int, int]]
"""Document, start and end of a chunk."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a candidate; None: it was not in that window."""

    text: str
    raw: float


@dataclass(frozen=True, slots=True)
class Row:
    """One candidate."""

    chunk_id: str
    gold: bool
    values: list[Number | None]
    fate: str


def columns(setup: Setup, *, reranked: bool) -> list[str]:
    """The heads of the table of candidates."""
    legs = [f"{leg} {what}" for leg in setup.run.legs for what in ("rank", "score", "norm")]
    rerank = ["reranker rank", "reranker score"] if reranked else []
    return [*legs, "fused rank", "fused score", *rerank, "final rank"]


def was_reranked(trace: QueryTrace) -> bool:
    """Whether any candidate has a rank of a reranker."""
    return any(c.rerank_rank is not None for c in trace.candidates)


def rows(setup: Setup, trace: QueryTrace, golden: set[str]) -> list[Row]:
    """The first candidates in final, then fused order, and after them those that hold gold."""
    ordered = _ordered(trace)
    kept = [*ordered[:SHOWN], *(c for c in ordered[SHOWN:] if c.chunk_id in golden)]
    reranked = was_reranked(trace)
    return [_row(setup, c, reranked, c.chunk_id in golden) for c in kept]


def _ordered(trace: QueryTrace) -> list[Candidate]:
    last = len(trace.candidates) + 1
    return sorted(trace.candidates, key=lambda c: (c.final_rank or last, c.fused_rank or last, c.chunk_id))


def _row(setup: Setup, c: Candidate, reranked: bool, gold: bool) -> Row:
    values: list[Number | None] = []
    for leg in setup.run.legs:
        said = c.legs.get(leg)
        values += (
            [None] * 3 if said is None else [_rank(said.rank), _score(said.score), _score(said.normalized)]
        )
    values += [_rank(c.fused_rank), _score(c.fused_score)]
    values += [_rank(c.rerank_rank), _score(c.rerank_score)] if reranked else []
    return Row(c.chunk_id, gold, [*values, _rank(c.final_rank)], fate(c))


def _rank(value: int | None) -> Number | None:
    return None if value is None else Number(numbers.count(value), value)


def _score(value: float | None) -> Number | None:
    return None if value is None else Number(numbers.score(value), value)


def fate(c: Candidate) -> str:
    """What became of a candidate: a hit, or stage, reason, value and limit of its drop."""
    if c.drop_stage is None:
        return c.fate
    said = f"dropped at {c.drop_stage}: {c.drop_reason}"
    if c.drop_value is None or c.drop_limit is None:
        return said
    return f"{said} ({_short(c.drop_value)} against {_short(c.drop_limit)})"


def _short(value: float) -> str:
    return numbers.count(int(value)) if float(value).is_integer() else numbers.score(value)


def golden(trace: QueryTrace, gold: Gold, places: Places) -> set[str]:
    """The candidates that share a character with gold."""
    return {
        c.chunk_id
        for c in trace.candidates
        if c.chunk_id in places and any(i.meets(*places[c.chunk_id]) for i in gold.items)
    }


def chart(setup: Setup, trace: QueryTrace, golden: set[str], table: str) -> Markup | None:
    """Ranks from leg to final of the best candidates and of the best with gold; None: there are none."""
    ordered = _ordered(trace)
    best = [*ordered[:LINES], *[c for c in ordered[LINES:] if c.chunk_id in golden][:3]]
    reranked = was_reranked(trace)
    stages = [*setup.run.legs, "fused", *(["reranked"] if reranked else []), "final"]
    if not best:
        return None
    lines = [bump.Candidate(c.chunk_id, _ranks(setup, c, reranked), c.chunk_id in golden) for c in best]
    top_k = setup.run.config["top_k"]
    name = "Rank by stage of the best candidates"
    return bump.bump(lines, stages, name=name, table=table, top_k=top_k if top_k <= LINES else None)


def _ranks(setup: Setup, c: Candidate, reranked: bool) -> Sequence[int | None]:
    legs = [c.legs[leg].rank if leg in c.legs else None for leg in setup.run.legs]
    return [*legs, c.fused_rank, *([c.rerank_rank] if reranked else []), c.final_rank]


def facts(setup: Setup, trace: QueryTrace) -> list[tuple[str, str]]:
    """How the question was searched, by name."""
    config, meta = setup.run.config, setup.run.meta
    legs = config["retrieval"]["legs"]
    model = meta["keys"]["model"]
    limits = [f"{k} {v}" for k, v in config["threshold"].items() if v is not None]
    said = [
        ("Mode", f"{config['retrieval']['name']}: {numbers.listed(list(legs))}"),
        ("Window", f"{' + '.join(numbers.count(leg['depth']) for leg in legs.values())}, "
                   f"{numbers.count(len(trace.candidates))} distinct"),
        ("Embedding", f"{config['embedding']['name']} {model[: numbers.SHORT]}" if model else "none"),
        ("Fusion", str(setup.run.stage("fusion").get("formula") or config["fusion"]["name"])),
        ("Threshold", ", ".join(limits) or "none"),
        ("Reranker", config["reranker"]["name"]),
        ("top_k", numbers.count(config["top_k"])),
    ]  # fmt: skip
    return [*said, *(("Noted", reason) for reason in trace.reasons)]
