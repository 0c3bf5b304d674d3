"""The forms of an exported corpus: JSON lines with the whole header, and Parquet with a vector column."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl

from runner.export.corpus import Corpus
from runner.keys import canonical

_BREAKS = {ord(c): f"\\u{ord(c):04x}" for c in "\x85\u2028\u2029"}
"""Line breaks that JSON leaves as they are; a reader may split lines at them."""
_REPEATED = ["doc_id", "title", "heading", "metadata"]
"""Columns whose values come many times over; a dictionary of the others would only cost."""


def jsonl(corpus: Corpus, path: Path) -> None:
    """Write one JSON object per chunk: `context_header` is an object or null, `vector` a list or null.

    A number of a vector is the shortest decimal that gives the same float32 back.
    """
    with path.open("x", encoding="utf-8", newline="\n") as out:
        for frame in corpus.batches():
            rows = frame.drop("vector", strict=False).iter_rows(named=True)
            for row, vector in zip(rows, _decimals(frame), strict=True):
                row["metadata"] = json.loads(row["metadata"])
                head = json.dumps(row, ensure_ascii=False).translate(_BREAKS)
                out.write(f'{head[:-1]}, "vector": {vector}}}\n')


def _decimals(frame: pl.DataFrame) -> Iterator[str]:
    """The vectors as JSON. Polars writes them several times faster, and half as long, as `json` would."""
    if "vector" not in frame.columns:
        yield from ["null"] * frame.height
        return
    for line in frame.select(pl.col("vector").alias("v")).write_ndjson().splitlines():
        yield line.removeprefix('{"v":').removesuffix("}")


def parquet(corpus: Corpus, path: Path, *, context_columns: bool = False) -> None:
    """Write Parquet, a row group per batch; `Corpus.facts` are in its key-value metadata as `runner.<name>`.

    Args:
        corpus: what is written.
        path: the file.
        context_columns: with `context_header` (a JSON string) and `neighbor_entity_ids` (a list of strings),
            both null for a chunk without header.
    """
    import pyarrow as pa
    from pyarrow import parquet as pq

    facts = {f"runner.{k}": v if isinstance(v, str) else canonical(v) for k, v in corpus.facts.items()}
    with path.open("xb") as out:
        frames = (_columns(f, context_columns=context_columns) for f in corpus.batches())
        first = next(frames)
        schema = pa.schema([(name, _type(dtype)) for name, dtype in first.schema.items()])
        with pq.ParquetWriter(out, schema, compression="zstd", use_dictionary=_REPEATED) as writer:
            # Into the footer alone: the schema is the same, to the byte, whatever the run was.
            writer.add_key_value_metadata(facts)
            for frame in chain([first], frames):
                writer.write_table(frame.to_arrow(compat_level=pl.CompatLevel.oldest()).cast(schema))


def _columns(frame: pl.DataFrame, *, context_columns: bool) -> pl.DataFrame:
    """The columns of the Parquet form."""
    headers = frame["context_header"].to_list()
    frame = frame.drop("context_header")
    if not context_columns:
        return frame
    said = [None if h is None else json.dumps(h, ensure_ascii=False) for h in headers]
    near = [None if h is None else h["neighbor_node_ids"] for h in headers]
    return frame.with_columns(
        pl.Series("context_header", said, pl.String),
        pl.Series("neighbor_entity_ids", near, pl.List(pl.String)),
    )


def _type(dtype: pl.DataType) -> Any:
    """The Arrow type that other tools know best: plain strings, a list of fixed size for a vector."""
    import pyarrow as pa

    if isinstance(dtype, pl.Array):
        return pa.list_(pa.float32(), dtype.shape[0])
    if isinstance(dtype, pl.List):
        return pa.list_(pa.string())
    return pa.string() if dtype == pl.String else pa.int64()
