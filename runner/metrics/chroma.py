"""Chroma's chunking measures (Smith and Troynikov 2024), by the definitions of their code.

N is the size, in code points, of the union of (retrieved chunk ∩ reference of the same document):

- `ChromaR` = N ÷ sum of the references, `ChromaP` = N ÷ sum of the retrieved chunks: overlaps count twice in
  both sums, and chunks of any document are in the second;
- `ChromaIoU` = N ÷ (sum of the retrieved chunks + what no chunk covers of each reference);
- `ChromaPΩ` = with all chunks that touch a reference (`max(starts) <= min(ends)`, so abutting is enough) in
  place of the retrieved ones: N ÷ size of the union of these chunks and the references.

Chunks lie where they were cut. Upstream leaves out a chunk's trailing "." and takes the first place where
the rest of its text occurs, so that a repeated text is placed wrongly; `ChromaPΩ(searched)` and so on do the
same, to compare with published figures. Without hits R, P and IoU are 0.
Source: github.com/brandonstarxel/chunking_evaluation, evaluation_framework/base_evaluation.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from runner.config import Component
from runner.metrics._spans import Floats, Line, Pieces, Spans, ints, meetings, ratio, spans_of
from runner.metrics.contract import Judged, Measure, table

_OMEGA = {"ChromaPΩ", "ChromaPOmega", "ChromaP\u2126"}
"""The Greek letter, its name, and the ohm sign that some keyboards give."""
_SEARCHED = "(searched)"


class Chroma(Component):
    """Chroma's measures, over all queries with a positive span judgment."""

    version: ClassVar[int] = 1
    name: Literal["chroma"] = "chroma"

    def accepts(self, measure: Measure) -> bool:
        """`ChromaPΩ` as it is; the others on all hits or the first so many; each also `(searched)`."""
        name = measure.name.removesuffix(_SEARCHED)
        if name in _OMEGA:
            return measure.cutoff is None and measure.budget is None
        return name in {"ChromaR", "ChromaP", "ChromaIoU"} and not measure.expanded

    def needs_spans(self, measure: Measure) -> bool:
        """All of them."""
        return True

    def values(self, measures: Sequence[Measure], judged: Judged) -> pl.DataFrame:
        """`query, measure, value`: one row per query with a positive judgment and measure."""
        cut, gold = spans_of(judged)
        gold = gold.take((ints(judged.judgments["grade"]) > 0) & (gold.end > gold.start))
        places = {False: cut}
        of_hits: dict[tuple[int | None, bool], dict[str, Floats]] = {}
        out = {}
        for m in measures:
            name, searched = m.name.removesuffix(_SEARCHED), m.name.endswith(_SEARCHED)
            if searched not in places:
                places[searched] = _searched(cut, judged)
            chunks = places[searched]
            if name in _OMEGA:
                out[m.text] = omega(chunks, gold, judged.n_queries)
                continue
            if (m.cutoff, searched) not in of_hits:
                frame = judged.ranking.frame
                if m.cutoff is not None:
                    frame = frame.filter(pl.col("rank") <= m.cutoff)
                hits = chunks.take(ints(frame["chunk"]), ints(frame["query"]))
                of_hits[m.cutoff, searched] = scores(hits, gold, judged.n_queries)
            out[m.text] = of_hits[m.cutoff, searched][name]
        return table(judged, out)


def _searched(chunks: Spans, judged: Judged) -> Spans:
    """`chunks` where upstream's search finds their texts: first occurrence, without a trailing full stop."""
    texts = judged.texts()
    start, end = chunks.start.copy(), chunks.end.copy()
    for i, (doc, a, b) in enumerate(judged.chunks.select("doc_id", "start", "end").iter_rows()):
        wanted = texts[doc][a:b].removesuffix(".")
        start[i] = texts[doc].find(wanted)
        end[i] = start[i] + len(wanted)
    return Spans(chunks.query, chunks.doc, start, end)


def scores(hits: Spans, gold: Spans, n_queries: int) -> dict[str, Floats]:
    """`ChromaR`, `ChromaP` and `ChromaIoU` of the retrieved chunks `hits`, arrays of shape (n_queries,)."""
    line = Line(hits, gold)
    chunks, references = line.pieces(hits), line.pieces(gold)
    merged = chunks.union()
    n = line.totals(merged, merged.covered(references.union()), n_queries)
    retrieved = line.totals(chunks, chunks.sizes(), n_queries)
    missed = line.totals(references, references.sizes() - references.covered(merged), n_queries)
    wanted = line.totals(references, references.sizes(), n_queries)
    return {
        "ChromaR": ratio(n, wanted),
        "ChromaP": ratio(n, retrieved),
        "ChromaIoU": ratio(n, retrieved + missed),
    }


def omega(chunks: Spans, gold: Spans, n_queries: int) -> Floats:
    """`ChromaPΩ` of a chunking, shape (n_queries,).

    Args:
        chunks: ranges of all chunks, in any order, overlapping or equal; seen by query 0.
        gold: the references, seen by their query.
        n_queries: how many queries there are; one without references has 0.
    """
    line = Line(chunks, gold)
    which, chunk = meetings(line, chunks, gold, touching=True)
    touched, references = line.pieces(chunks.take(chunk, gold.query[which])), line.pieces(gold)
    merged = touched.union()
    n = line.totals(merged, merged.covered(references.union()), n_queries)
    start, end = np.append(touched.start, references.start), np.append(touched.end, references.end)
    whole = Pieces(start, end).union()
    return ratio(n, line.totals(whole, whole.sizes(), n_queries))
