"""Small cases for the measures: a `Judged` from plain tuples, and the data of Chroma's evaluation."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from runner.metrics.contract import Family, Judged, parse_measure
from runner.order import Ranking

NAMES = ("chatlogs", "finance", "pubmed", "state_of_the_union", "wikitexts")
Gold = tuple[int, str, int | None, int | None, int]
INTS = {"query": pl.UInt32, "chunk": pl.UInt32}


def case(
    chunks: Sequence[tuple[str, int, int, int]],
    hits: Mapping[int, Sequence[int]],
    gold: Sequence[Gold],
    n_queries: int,
    window: tuple[int, int] = (0, 0),
    top_k: int | None = None,
) -> Judged:
    """`chunks`: (doc, start, end, tokens) in document order; `hits`: query → chunks, best first."""
    ranks = [(q, c, r) for q, some in sorted(hits.items()) for r, c in enumerate(some, 1)]
    ranking = pl.DataFrame(ranks, schema={**INTS, "rank": pl.Int32}, orient="row")
    members = [
        (q, r, o, c + o, "neighbor" if o else "hit")
        for q, c, r in ranks
        for o in range(-window[0], window[1] + 1)
        if 0 <= c + o < len(chunks) and chunks[c + o][0] == chunks[c][0]
    ]
    expansion = pl.DataFrame(
        members,
        schema={
            "query": pl.UInt32,
            "hit_rank": pl.Int32,
            "offset": pl.Int32,
            "chunk": pl.UInt32,
            "role": pl.String,
        },
        orient="row",
    )
    table = pl.DataFrame(
        list(chunks),
        schema={"doc_id": pl.String, "start": pl.Int64, "end": pl.Int64, "tokens": pl.Int64},
        orient="row",
    )
    judgments = pl.DataFrame(
        list(gold),
        schema={
            "query": pl.UInt32,
            "doc_id": pl.String,
            "start": pl.Int64,
            "end": pl.Int64,
            "grade": pl.Int64,
        },
        orient="row",
    )
    docs = sorted({c[0] for c in chunks} | {g[1] for g in gold})
    return Judged(n_queries, Ranking(ranking), expansion, table, judgments, docs, top_k)


def documents(hits: Mapping[int, str], gold: Mapping[int, Mapping[str, int]], n_queries: int) -> Judged:
    """One-chunk documents, named by a letter; `hits`: query → letters, best first; `gold`: query → grades."""
    letters = sorted(set("".join(hits.values())) | {d for some in gold.values() for d in some})
    place = {d: i for i, d in enumerate(letters)}
    return case(
        [(d, 0, 10, 1) for d in letters],
        {q: [place[d] for d in some] for q, some in hits.items()},
        [(q, d, None, None, g) for q, some in gold.items() for d, g in some.items()],
        n_queries,
    )


def values(family: Family, judged: Judged, *names: str) -> dict[str, list[float]]:
    """Per measure its values, in the order of the judged queries."""
    measures = [parse_measure(n) for n in names]
    assert all(family.accepts(m) for m in measures)
    frame = family.values(measures, judged)
    return {n: frame.filter(pl.col("measure") == n).sort("query")["value"].to_list() for n in names}


def chroma_texts(root: Path) -> dict[str, str]:
    """The five corpora, byte-exact."""
    return {n: (root / "chroma" / f"{n}.md").read_bytes().decode() for n in NAMES}


def chroma_gold(root: Path) -> list[Gold]:
    """The 790 references of the 472 questions."""
    with (root / "chroma" / "questions_df.csv").open(encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    return [
        (q, row["corpus_id"], int(ref["start_index"]), int(ref["end_index"]), 1)
        for q, row in enumerate(rows)
        for ref in json.loads(row["references"])
    ]
