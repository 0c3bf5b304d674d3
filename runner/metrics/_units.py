"""What a ranking is judged by: documents (MaxP) or chunks, their grades, and where each judged one is ranked.

With document judgments the unit is the document: its rank is that of its best chunk, and later chunks of it
are taken out before ranks are counted again. With span judgments the unit is the chunk: its grade is the
highest of the gold spans it shares at least one code point with. A positive gold span that no chunk shares
anything with stays in the ideal as a unit that no ranking can find, or a strategy could raise its score by
losing gold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from runner.metrics._spans import Ints, Line, Spans, ints, meetings, spans_of
from runner.metrics.contract import Judged


@dataclass(frozen=True, slots=True)
class Units:
    """The judged units of every query, sorted by query, then unit; `query, unit, grade` of shape (n,)."""

    of_chunk: Ints
    """The unit of each chunk, shape (n_chunks,)."""
    several: bool
    """Some unit has several chunks."""
    query: Ints
    unit: Ints
    grade: Ints

    def find(self, query: Ints, unit: Ints) -> Ints:
        """For each (query, unit) its row among the judged units, or -1; shape of `query`."""
        found = np.full(len(query), -1, np.int64)
        if not len(self.unit):
            return found
        width = max(int(self.of_chunk.max(initial=0)), int(self.unit.max())) + 1
        # Most hits are of units that nobody judged for any query; a look at one flag spares them the search.
        judged = np.zeros(width, np.bool_)
        judged[self.unit] = True
        rows = np.flatnonzero(judged[unit])
        keys, wanted = self.query * width + self.unit, query[rows] * width + unit[rows]
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        found[rows] = np.where(keys[at] == wanted, at, -1)
        return found


def units_of(judged: Judged) -> Units:
    """The judged units of `judged`."""
    chunks, gold = spans_of(judged)
    grade = ints(judged.judgments["grade"])
    if judged.spans:
        units = np.arange(judged.chunks.height)
        return Units(units, False, *_chunks(chunks, gold, grade))
    several = len(np.unique(chunks.doc)) < len(chunks.doc)
    return Units(chunks.doc, several, *_best(gold.query, gold.doc, grade))


def _chunks(chunks: Spans, gold: Spans, grade: Ints) -> tuple[Ints, Ints, Ints]:
    which, chunk = meetings(Line(chunks, gold), chunks, gold)
    lost = (grade > 0) & (np.bincount(which, minlength=len(grade)) == 0)
    phantom = len(chunks.doc) + np.flatnonzero(lost)
    return _best(
        np.concatenate((gold.query[which], gold.query[lost])),
        np.concatenate((chunk, phantom)),
        np.concatenate((grade[which], grade[lost])),
    )


def _best(query: Ints, unit: Ints, grade: Ints) -> tuple[Ints, Ints, Ints]:
    """Each (query, unit) once, sorted, with its highest grade."""
    order = np.lexsort((-grade, unit, query))
    query, unit, grade = query[order], unit[order], grade[order]
    new = np.ones(len(query), np.bool_)
    new[1:] = (query[1:] != query[:-1]) | (unit[1:] != unit[:-1])
    return query[new], unit[new], grade[new]


@dataclass(frozen=True, slots=True)
class Found:
    """Where a ranking has the judged units."""

    rank: Ints
    """Per judged unit its rank among units, from 1; 0: not ranked (deep enough)."""
    depth: Ints
    """Per query how many units are ranked, shape (n_queries,)."""


def locate(units: Units, judged: Judged, depth: int | None) -> Found:
    """Where the ranking of `judged` has the judged units, among its first `depth` units (None: all)."""
    frame = judged.ranking.frame
    if depth is not None and not units.several:
        frame = frame.filter(pl.col("rank") <= depth)
    query, rank = ints(frame["query"]), ints(frame["rank"])
    unit = units.of_chunk[ints(frame["chunk"])]
    if units.several:
        query, unit, rank = _collapsed(query, unit, len(units.of_chunk), depth)
    at = units.find(query, unit)
    ranks = np.zeros(len(units.unit), np.int64)
    ranks[at[at >= 0]] = rank[at >= 0]
    return Found(ranks, np.bincount(query, minlength=judged.n_queries))


def _collapsed(query: Ints, unit: Ints, width: int, depth: int | None) -> tuple[Ints, Ints, Ints]:
    """The first row of each (query, unit), with ranks counted again from 1, down to `depth`."""
    first = pl.Series(query * width + unit).is_first_distinct().to_numpy()
    query, unit = query[first], unit[first]
    new = np.flatnonzero(np.concatenate(([True], query[1:] != query[:-1]))) if len(query) else query
    rank = np.arange(1, len(query) + 1) - np.repeat(new, np.diff(np.append(new, len(query))))
    keep = rank <= depth if depth is not None else np.ones(len(rank), np.bool_)
    return query[keep], unit[keep], rank[keep]
