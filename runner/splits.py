"""Splits: questions for choosing (dev) and for confirming (test), drawn by a seed, stratified."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from runner.config import RunConfig
from runner.dataset.contract import Corpus
from runner.errors import RequestError


@dataclass(frozen=True, slots=True)
class Drawn:
    """The place of a question in the draw."""

    query_id: str
    part: str
    """`dev` or `test`."""
    turn: int
    """How many of its stratum and part come before it."""
    order: str
    """Of its stratum."""


def drawn(strata: Mapping[str, str], seed: int) -> list[Drawn]:
    """Every question with its part, in the order of the draw.

    Dev and test take turns through one stratum after the other, so neither a stratum nor the whole is
    uneven by more than one question. The first questions of the draw are spread over the strata as well, and
    fewer of them are always among more of them.

    Args:
        strata: by query id, what it must be balanced for.
        seed: another one, another draw.
    """
    asked = sorted(strata, key=lambda q: (_draw(seed, "stratum", strata[q]), _draw(seed, "question", q)))
    turns: dict[tuple[str, str], int] = {}
    out = []
    for place, query_id in enumerate(asked):
        stratum, part = strata[query_id], ("dev", "test")[place % 2]
        turn = turns[stratum, part] = turns.get((stratum, part), -1) + 1
        out.append(Drawn(query_id, part, turn, _draw(seed, "stratum", stratum)))
    return sorted(out, key=lambda d: (d.turn, d.order, d.part))


def taken(corpus: Corpus, config: RunConfig) -> Corpus:
    """`corpus` with the questions that `split` and `questions` ask for, and their gold.

    Questions are stratified by the document of their first gold item; those without gold are one stratum.

    Raises:
        RequestError: no question with gold is left.
    """
    first = corpus.judgments.filter(pl.col("grade") >= 1).group_by("query_id").agg(pl.col("doc_id").min())
    judged = dict(first.iter_rows())
    strata = {q: judged.get(q, "") for q in corpus.queries["query_id"]}
    chosen = [d.query_id for d in drawn(strata, config.seed) if config.split in ("all", d.part)]
    chosen = chosen[: config.questions]
    if not judged.keys() & set(chosen):
        raise RequestError(
            f"split={config.split}: holds no question with gold; the data set {config.dataset.name} has "
            f"{len(judged)} of them. split=all takes all"
        )
    mine = pl.col("query_id").is_in(chosen)
    return replace(corpus, queries=corpus.queries.filter(mine), judgments=corpus.judgments.filter(mine))


def _draw(seed: int, what: str, name: str) -> str:
    return hashlib.sha256(f"{seed}/{what}/{name}".encode("utf-8", "surrogatepass")).hexdigest()
