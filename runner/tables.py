"""Tables: Polars schemas derived from the records, and Parquet whose bytes depend on the content alone."""

from __future__ import annotations

import types
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import polars as pl

from runner.errors import StoreError

_PLAIN: dict[Any, pl.DataType] = {
    str: pl.String(), int: pl.Int64(), float: pl.Float64(), bool: pl.Boolean(),
}  # fmt: skip


@cache
def schema(record: type) -> dict[str, pl.DataType]:
    """Column names and types of a table with one row per `record` (a dataclass of plain fields).

    Fields that are no plain column (a mapping of legs) are left out; whoever writes the table adds their
    columns.
    """
    if not is_dataclass(record):
        raise TypeError(f"{record} is no record")
    hints = get_type_hints(record)
    out = {f.name: _column(hints[f.name]) for f in fields(record)}
    return {name: dtype for name, dtype in out.items() if dtype is not None}


def _column(hint: Any) -> pl.DataType | None:
    if hint in _PLAIN:
        return _PLAIN[hint]
    if get_origin(hint) is Literal:
        return pl.String()
    if get_origin(hint) in (Union, types.UnionType):
        some = [a for a in get_args(hint) if a is not type(None)]
        return _column(some[0]) if len(some) == 1 else None
    return None


def conform(frame: pl.DataFrame, record: type) -> pl.DataFrame:
    """`frame` with the columns of `record` first, in the record's order and types, then its other columns.

    Columns of optional fields that `frame` does not have stay absent: off means absent.
    """
    want = {k: t for k, t in schema(record).items() if k in frame.columns}
    rest = [c for c in frame.columns if c not in want]
    return frame.select([pl.col(k).cast(t) for k, t in want.items()] + [pl.col(c) for c in rest])


def write(frame: pl.DataFrame, path: Path) -> None:
    """Write Parquet: one row group per 2^20 rows, zstd, no times; equal frames give equal bytes."""
    frame.write_parquet(path, compression="zstd", statistics=False, row_group_size=1 << 20)


def read(path: Path, columns: list[str] | None = None) -> pl.DataFrame:
    """Read a Parquet table.

    Raises:
        StoreError: the file is missing or is no Parquet.
    """
    try:
        return pl.read_parquet(path, columns=columns, use_statistics=False)
    except (OSError, pl.exceptions.PolarsError) as e:
        raise StoreError(f"{path}: cannot be read as Parquet ({e})") from e
