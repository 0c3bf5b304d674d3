"""Tables: schemas come from the records, and equal tables give equal bytes."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Literal

import polars as pl
import pytest

from runner import records, tables
from runner.errors import StoreError


def test_schema_of_a_record() -> None:
    @dataclass(frozen=True)
    class Row:
        a: str
        b: int | None
        c: float = 0.0
        d: bool = True
        e: Literal["x", "y"] = "x"
        f: Literal["x", "y"] | None = None
        g: dict[str, int] = field(default_factory=dict)
        h: tuple[str, ...] = ()
        i: str | int = ""

    Row.__annotations__ = {f.name: f.type for f in fields(Row)}
    assert tables.schema(Row) == {
        "a": pl.String, "b": pl.Int64, "c": pl.Float64, "d": pl.Boolean, "e": pl.String, "f": pl.String,
    }  # fmt: skip


def test_schemas_of_our_records() -> None:
    assert tables.schema(records.Chunk) == {
        "chunk_id": pl.String, "doc_id": pl.String, "chunk_index": pl.Int64, "start": pl.Int64,
        "end": pl.Int64, "tokens": pl.Int64, "heading": pl.String, "row": pl.Int64, "row_type": pl.String,
        "parent_start": pl.Int64, "parent_end": pl.Int64, "parent_tokens": pl.Int64,
    }  # fmt: skip
    assert tables.schema(records.Judgment)["start"] == pl.Int64
    assert tables.schema(records.MeasureRow) == {
        "query_id": pl.String, "measure": pl.String, "value": pl.Float64,
    }  # fmt: skip
    candidate = tables.schema(records.Candidate)
    assert "legs" not in candidate
    assert candidate["fused_rank"] == candidate["final_rank"] == candidate["rerank_rank"] == pl.Int64
    assert candidate["fate"] == candidate["drop_stage"] == pl.String


def test_only_records_have_a_schema() -> None:
    with pytest.raises(TypeError, match="is no record"):
        tables.schema(dict)


def test_conform_orders_and_casts_and_leaves_absent_what_is_off() -> None:
    frame = pl.DataFrame(
        {"bm25_score": [1.0], "final_rank": pl.Series([1], dtype=pl.UInt8), "query_id": ["q"]},
    )
    got = tables.conform(frame, records.Candidate)
    assert got.columns == ["query_id", "final_rank", "bm25_score"]
    assert got.schema["final_rank"] == pl.Int64
    assert "rerank_score" not in got.columns


def _frame(rows: int) -> pl.DataFrame:
    numbers = pl.int_range(rows, eager=True)
    return pl.DataFrame(
        {"q": numbers % 97, "s": (numbers * 37 % 1000) / 8, "t": "doc" + (numbers % 13).cast(pl.String)}
    ).with_columns(z=pl.when(pl.col("q") > 50).then(pl.col("s")))


def test_equal_tables_give_equal_bytes_however_they_were_made(tmp_path: Path) -> None:
    whole = _frame(3000)
    made = {
        "whole": whole,
        "pieces": pl.concat([whole[:1], whole[1:999], whole[999:]], rechunk=False),
        "slice": pl.concat([whole, whole])[3000:],
        "reversed twice": whole.reverse().reverse(),
        "lazy": whole.lazy().filter(pl.col("q") >= 0).collect(),
        "through rows": pl.DataFrame(whole.rows(), schema=whole.schema, orient="row"),
        "a validity mask without a null": whole.with_columns(
            pl.when(pl.lit(value=True)).then("s").alias("s")
        ),
        "sorted": whole.with_row_index("i").sort("i").drop("i"),
    }
    found = {}
    for name, frame in made.items():
        assert frame.equals(whole), name
        tables.write(frame, tmp_path / "t.parquet")
        found[name] = (tmp_path / "t.parquet").read_bytes()
    assert [n for n, raw in found.items() if raw != found["whole"]] == []


def test_what_was_written_is_read(tmp_path: Path) -> None:
    frame = _frame(100)
    tables.write(frame, tmp_path / "t.parquet")
    assert tables.read(tmp_path / "t.parquet").equals(frame)
    assert tables.read(tmp_path / "t.parquet", ["t"]).columns == ["t"]
    tables.write(frame.head(0), tmp_path / "empty.parquet")
    assert tables.read(tmp_path / "empty.parquet").schema == frame.schema


def test_a_missing_or_damaged_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="nothing\\.parquet: cannot be read as Parquet"):
        tables.read(tmp_path / "nothing.parquet")
    path = tmp_path / "damaged.parquet"
    tables.write(_frame(100), path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(StoreError, match="damaged\\.parquet: cannot be read as Parquet"):
        tables.read(path)
