"""The hits of a run and its gold in the files of trec_eval, in the unit that the measures judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from runner import parents, store
from runner.errors import DataError
from runner.inspector.stored import Stored
from runner.runs import Run

RUN, QRELS = "run.trec", "qrels.txt"
_LINE = ("query", "q0", "unit", "rank", "score", "tag")


def trec(run: Run, folder: Path) -> dict[str, Any]:
    """Write `run.trec` and `qrels.txt` into a new folder; `trec_eval -c` then gives the run's rank measures.

    With span gold the unit is the chunk (of chunks that return one span, the first), relevant where it shares
    a code point with a gold span; a gold span that no chunk meets stays as a unit that no ranking can find.
    With document gold the unit is the document, at its best chunk's rank (MaxP). Queries without a positive
    judgment are left out of the qrels, as they are of every mean.

    Returns:
        Counts: `unit, queries, judgments, hits`.

    Raises:
        DataError: two ids become one.
        StoreError: something that the run stands on is damaged or gone.
    """
    stored = Stored(run)
    for path in (run.path, *(stored.path(s, stored.keys[s]) for s in ("corpus", "chunks"))):
        store.check(path)
    judgments = run.judgments.filter((pl.col("grade") >= 1).any().over("query_id"))
    spans = judgments["start"].null_count() < judgments.height
    chunks = stored.chunks
    names = chunks["chunk_id"].gather(parents.units(chunks)) if spans else chunks["doc_id"]
    chunks = chunks.with_columns(names.alias("unit"))
    qrels = _of_chunks(judgments, chunks) if spans else judgments.rename({"doc_id": "unit"})
    qrels = qrels.group_by("query_id", "unit").agg(pl.col("grade").max()).sort("query_id", "unit")
    hits = _hits(run, chunks)
    folder.mkdir()
    _write(hits.select(_LINE), folder / RUN)
    q0 = pl.lit(0).alias("q0")
    lines = qrels.select(_id(qrels["query_id"]), q0, _id(qrels["unit"]), "grade")
    _write(lines, folder / QRELS)
    return {
        "unit": "chunk" if spans else "document",
        "queries": qrels["query_id"].n_unique(),
        "judgments": qrels.height,
        "hits": hits.height,
    }


def _of_chunks(judgments: pl.DataFrame, chunks: pl.DataFrame) -> pl.DataFrame:
    """`query_id, unit, grade` of chunks that share text with a gold span, and of spans that none meets."""
    gold = judgments.rename({"start": "from", "end": "to"}).with_row_index("gold")
    own = parents.returned(chunks).select("doc_id", "start", "end", "unit")
    shared = (pl.col("start") < pl.col("to")) & (pl.col("from") < pl.col("end"))
    met = gold.join(own, on="doc_id").filter(shared)
    lost = gold.join(met, on="gold", how="anti").filter(pl.col("grade") >= 1)
    # No chunk is named so: the number of a chunk ends its name.
    lost = lost.with_columns(unit=pl.format("{}[{},{})", "doc_id", "from", "to"))
    return pl.concat([f.select("query_id", "unit", "grade") for f in (met, lost)])


def _hits(run: Run, chunks: pl.DataFrame) -> pl.DataFrame:
    """The lines of the recorded run, each unit at its best rank; scores stay, so they still fall strictly."""
    lines = pl.read_csv(
        run.path / RUN, separator=" ", has_header=False, quote_char=None, raise_if_empty=False,
        schema=dict.fromkeys([c if c != "unit" else "chunk" for c in _LINE], pl.String),
    )  # fmt: skip
    named = chunks.select(_id(chunks["chunk_id"]).alias("chunk"), _id(chunks["unit"]))
    units = lines.join(named, on="chunk", how="left", maintain_order="left")
    units = units.unique(["query", "unit"], keep="first", maintain_order=True)
    return units.with_columns(rank=pl.int_range(1, pl.len() + 1).over("query"))


def _id(ids: pl.Series) -> pl.Series:
    """Ids as the run file has them, white space percent-encoded: the form separates by it."""
    plain = ids.str.replace_all(r"\s", "%20")
    if plain.n_unique() != ids.n_unique():
        raise DataError(f"{RUN}: two ids of '{ids.name}' differ in white space alone; rename one")
    return plain


def _write(lines: pl.DataFrame, path: Path) -> None:
    lines.write_csv(path, separator=" ", include_header=False, quote_style="never")
