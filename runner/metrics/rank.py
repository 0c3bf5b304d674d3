"""Rank measures (nDCG@10, R@100, RR@10, AP, …): every value comes from `ir_measures`, trec_eval underneath.

What is ours is the unit (`_units.py`) and the form in which a ranking is handed over. A rank measure asks
only which ranks hold a judged unit, and of which grade, so each unit is called by its rank: queries then
share a run, instead of having one dictionary of ids each. The run may end after the last judged unit where
nothing below it can change a value. Scores are -rank, strictly falling, so that trec_eval (which breaks ties
by name, descending, in float32) has nothing to re-order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl

from runner.config import Component
from runner.metrics._spans import Floats, Ints
from runner.metrics._units import Found, Units, locate, units_of
from runner.metrics.contract import Judged, Measure, table

_PROVIDERS = ("pytrec_eval", "msmarco", "judged")
"""Providers of ir_measures that are taken; msmarco gives RR with a cutoff, judged gives Judged."""
_BY_JUDGED_RANKS = {"nDCG", "R", "P", "RR", "AP", "Success"}
"""Measures of the ranks of judged units alone: unjudged units below the last of them change nothing."""


class Rank(Component):
    """Rank measures, on score order, over all queries with a positive judgment."""

    name: Literal["rank"] = "rank"
    version: ClassVar[int] = 1

    def accepts(self, measure: Measure) -> bool:
        """Whether ir_measures knows `measure`; all are of hits alone, so `+` and `t` are refused."""
        return not measure.expanded and _theirs(measure.text) is not None

    def needs_spans(self, measure: Measure) -> bool:
        """None of them; with span judgments the unit is the chunk."""
        return False

    def values(self, measures: Sequence[Measure], judged: Judged) -> pl.DataFrame:
        """`query, measure, value`: one row per query with a positive judgment and measure."""
        theirs = {m.text: _theirs(m.text) for m in measures}
        cutoffs = [m.cutoff for m in measures]
        deepest = None if None in cutoffs else max(c for c in cutoffs if c is not None)
        units = units_of(judged)
        found = locate(units, judged, deepest)
        queries = judged.judged_queries()
        short = {m for m in theirs.values() if m.NAME in _BY_JUDGED_RANKS}
        out: dict[Any, Floats] = {}
        for some, depth in ((short, _enough(units, found)), (set(theirs.values()) - short, found.depth)):
            if some:
                out |= _evaluate(some, units, found.rank, queries, depth)
        return table(judged, {text: out[measure] for text, measure in theirs.items()})


@cache
def _theirs(text: str) -> Any:
    """The measure of ir_measures that `text` names, or None when it knows none or cannot compute it here."""
    import ir_measures

    try:
        measure = ir_measures.parse_measure(text)
        known = any(ir_measures.providers.registry[p].supports(measure) for p in _PROVIDERS)
    except (AssertionError, NameError, SyntaxError, TypeError, ValueError):
        return None
    return measure if known else None


def _evaluate(measures: set[Any], units: Units, rank: Ints, queries: Ints, depth: Ints) -> dict[Any, Floats]:
    """Per measure its values, shape (n_queries,); 0 where a query has no hits or no positive judgment.

    Args:
        measures: of ir_measures.
        units: the judged units.
        rank: of each judged unit, 0 where it is not ranked.
        queries: those with a positive judgment.
        depth: ranks to hand over per query, shape (n_queries,); none: as a query without hits.
    """
    import ir_measures

    first, last = np.searchsorted(units.query, queries), np.searchsorted(units.query, queries, side="right")
    names = [str(r) if r else f"-{i}" for i, r in enumerate(rank.tolist())]
    grades = units.grade.tolist()
    qrels = {
        str(q): dict(zip(names[a:b], grades[a:b], strict=True))
        for q, a, b in zip(queries.tolist(), first.tolist(), last.tolist(), strict=True)
    }
    ranks = {int(d): {str(r): -float(r) for r in range(1, d + 1)} for d in np.unique(depth) if d}
    run = {q: ranks[d] for q, d in zip(qrels, depth[queries].tolist(), strict=True) if d}
    out = {m: np.zeros(len(depth)) for m in measures}
    for row in ir_measures.iter_calc(list(measures), qrels, run):
        out[row.measure][int(row.query_id)] = row.value
    return out


def _enough(units: Units, found: Found) -> Ints:
    """Per query a depth that holds all its ranked judged units: a power of two, so that few runs are made."""
    last = np.zeros(len(found.depth), np.int64)
    np.maximum.at(last, units.query, found.rank)
    return np.where(last > 0, 1 << np.ceil(np.log2(np.maximum(last, 1))).astype(np.int64), 0)
