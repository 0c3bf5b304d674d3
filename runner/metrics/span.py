"""Span measures: how much of the gold text a context holds and at what cost, on unions of code points.

G is the union of a query's positive gold spans, C the union of the chunks retrieved for it, |.| code points:

    SpanR     |C ∩ G| ÷ |G|
    SpanP     |C ∩ G| ÷ |C|
    SpanIoU   |C ∩ G| ÷ |C ∪ G|
    Tokens    sum of the tokens of the distinct chunks retrieved
    Yield@k+  gained |C ∩ G| ÷ gained |C|, from the first k hits to their windows; 0 when nothing was added
    SpanPΩ    SpanP of all chunks that share a code point with G: the best precision of this chunking

All are 0 when nothing is retrieved (SpanPΩ asks no ranking; it is 0 when no chunk meets G).

What is retrieved: `@5` the first 5 hits, no cutoff all hits, `@5+` the windows of the first 5 hits, `@1500t`
a context filled up to 1,500 tokens: hit after hit in score order, each hit first, then its neighbors, nearest
first and at equal distance the previous before the next; a chunk is paid for once. The first chunk that would
pass the budget is left out whole and filling stops there, as for one who builds the prompt without the gold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from runner.config import Component
from runner.metrics._spans import Floats, Ints, Line, ints, meetings, ratio, spans_of
from runner.metrics.contract import Judged, Measure, table

_OMEGA = {"SpanPΩ", "SpanPOmega", "SpanP\u2126"}
"""The Greek letter, its name, and the ohm sign that some keyboards give."""


class Span(Component):
    """Span measures, over all queries with a positive span judgment."""

    version: ClassVar[int] = 1
    name: Literal["span"] = "span"

    def accepts(self, measure: Measure) -> bool:
        """See the table of this module for names and cutoffs."""
        if measure.name in _OMEGA:
            return measure.cutoff is None and measure.budget is None
        if measure.name == "Yield":
            return measure.cutoff is not None and measure.expanded
        return measure.name in {"SpanR", "SpanP", "SpanIoU", "Tokens"}

    def needs_spans(self, measure: Measure) -> bool:
        """All but `Tokens`, which asks nothing of the gold."""
        return measure.name != "Tokens"

    def values(self, measures: Sequence[Measure], judged: Judged) -> pl.DataFrame:
        """`query, measure, value`: one row per query with a positive judgment and measure."""
        work = _Work(judged)
        return table(judged, {m.text: work.value(m) for m in measures})


@dataclass(frozen=True, slots=True)
class _Context:
    """What one selection retrieves, per query; arrays of shape (n_queries,)."""

    gold: Floats
    """Gold code points in it."""
    size: Floats
    """Code points of it."""
    tokens: Floats


class _Work:
    """Everything the measures of one run share: the merged gold, and each selection once."""

    def __init__(self, judged: Judged) -> None:
        self._n = judged.n_queries
        self._judged = judged
        self._chunks, gold = spans_of(judged)
        self._tokens = ints(judged.chunks["tokens"])
        self._line = Line(self._chunks, gold)
        self._relevant = gold.take((ints(judged.judgments["grade"]) > 0) & (gold.end > gold.start))
        self._gold = self._line.pieces(self._relevant).union()
        self._gold_size = self._line.totals(self._gold, self._gold.sizes(), self._n)
        self._contexts: dict[tuple[int | None, int | None, bool], _Context] = {}

    def value(self, measure: Measure) -> Floats:
        """Shape (n_queries,); meaningless for queries without gold."""
        if measure.name in _OMEGA:
            which, chunk = meetings(self._line, self._chunks, self._relevant)
            best = self._measured(*_distinct(self._relevant.query[which], chunk))
            return ratio(best.gold, best.size)
        c = self._context(measure.cutoff, measure.budget, measure.expanded)
        if measure.name == "Yield":
            before = self._context(measure.cutoff, None, False)
            return ratio(c.gold - before.gold, c.size - before.size)
        if measure.name == "Tokens":
            return c.tokens
        whole = {"SpanR": self._gold_size, "SpanP": c.size, "SpanIoU": c.size + self._gold_size - c.gold}
        return ratio(c.gold, whole[measure.name])

    def _context(self, cutoff: int | None, budget: int | None, expanded: bool) -> _Context:
        key = (cutoff, budget, expanded)
        if key not in self._contexts:
            query, rank, chunk = self._windows if expanded else self._hits
            keep = np.ones(len(query), np.bool_)
            if cutoff is not None:
                keep = rank <= cutoff
            if budget is not None:
                keep = self._spent <= budget
            self._contexts[key] = self._measured(query[keep], chunk[keep])
        return self._contexts[key]

    @cached_property
    def _hits(self) -> tuple[Ints, Ints, Ints]:
        """Query, rank and chunk of every hit."""
        frame = self._judged.ranking.frame
        return ints(frame["query"]), ints(frame["rank"]), ints(frame["chunk"])

    @cached_property
    def _windows(self) -> tuple[Ints, Ints, Ints]:
        """Query, hit rank and chunk of all members of windows, once each, in the order a budget is spent."""
        hits, frame = self._hits, self._judged.expansion
        query = np.concatenate((hits[0], ints(frame["query"])))
        rank = np.concatenate((hits[1], ints(frame["hit_rank"])))
        chunk = np.concatenate((hits[2], ints(frame["chunk"])))
        offset = np.concatenate((np.zeros_like(hits[0]), ints(frame["offset"])))
        order = np.lexsort((offset > 0, np.abs(offset), rank, query))
        query, rank, chunk = query[order], rank[order], chunk[order]
        first = pl.Series(query * (len(self._tokens) + 1) + chunk).is_first_distinct().to_numpy()
        return query[first], rank[first], chunk[first]

    @cached_property
    def _spent(self) -> Ints:
        """Tokens of a query's context up to and with each row of `_windows`."""
        query, _, chunk = self._windows
        total = np.cumsum(self._tokens[chunk])
        new = np.searchsorted(query, query)
        return total - (total[new] - self._tokens[chunk[new]])

    def _measured(self, query: Ints, chunk: Ints) -> _Context:
        """The context of the distinct pairs of query and chunk."""
        merged = self._line.pieces(self._chunks.take(chunk, query)).union()
        return _Context(
            self._line.totals(merged, merged.covered(self._gold), self._n),
            self._line.totals(merged, merged.sizes(), self._n),
            np.bincount(query, self._tokens[chunk], self._n).astype(np.float64),
        )


def _distinct(query: Ints, chunk: Ints) -> tuple[Ints, Ints]:
    """Each pair once, sorted."""
    width = int(chunk.max(initial=0)) + 1
    keys = np.unique(query * width + chunk)
    return keys // width, keys % width
