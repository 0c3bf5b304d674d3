"""Spans in chunks, against trying every pair."""

from __future__ import annotations

import random

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.enrichment._places import inside, overlapping


def _drawn(draw: random.Random, n: int) -> pl.DataFrame:
    rows = []
    for _ in range(n):
        start = draw.randint(0, 12)
        rows.append((f"d{draw.randint(0, 2)}", start, start + draw.randint(1, 8)))
    return pl.DataFrame(rows, schema={"doc_id": pl.String, "start": pl.Int64, "end": pl.Int64}, orient="row")


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 12), st.integers(0, 12))
def test_every_pair_once(seed: int, n: int, m: int) -> None:
    draw = random.Random(seed)
    spans = _drawn(draw, m)
    chunks = _drawn(draw, n).with_row_index("chunk").cast({"chunk": pl.Int64})
    pairs = [
        (chunk, span, min(ce, se) - max(cs, ss), cs <= ss and se <= ce)
        for chunk, cd, cs, ce in chunks.iter_rows()
        for span, (sd, ss, se) in enumerate(spans.iter_rows())
        if cd == sd
    ]
    assert sorted(inside(chunks, spans).rows()) == sorted((c, s) for c, s, _, whole in pairs if whole)
    found = overlapping(chunks, spans)
    assert found.columns == ["chunk", "span", "shared"]
    assert sorted(found.rows()) == sorted((c, s, n) for c, s, n, _ in pairs if n > 0)


def test_documents_do_not_run_into_each_other() -> None:
    chunks = pl.DataFrame({"chunk": [0, 1], "doc_id": ["a", "b"], "start": [0, 0], "end": [5, 5]})
    spans = pl.DataFrame({"doc_id": ["a"], "start": [4], "end": [9]})
    assert inside(chunks, spans).rows() == []
    assert overlapping(chunks, spans).rows() == [(0, 0, 1)]
