"""Reading data files: bytes as they are, strict UTF-8 and JSON; what cannot be used raises `Bad`."""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from runner import tables
from runner.dataset._problems import Bad, Problems
from runner.errors import DataError, RequestError, StoreError, did_you_mean
from runner.text import one_line

Row = dict[str, Any]
T = TypeVar("T")

BOM = b"\xef\xbb\xbf"

_KINDS = {
    str: "text", int: "a whole number", float: "a number",
    bool: "true/false", list: "a list", dict: "an object",
}  # fmt: skip
_ABSENT: Any = object()


def content(path: Path) -> bytes:
    """The bytes of a file, unpacked where its name ends in `.gz`.

    Raises:
        DataError: it cannot be read or is no gzip.
    """
    try:
        raw = path.read_bytes()
        return gzip.decompress(raw) if path.suffix == ".gz" else raw
    except (OSError, EOFError, zlib.error) as e:
        raise DataError(f"{path}: cannot be read ({e})") from None


def decode(raw: bytes, offset: int = 0) -> str:
    """`raw`, which begins at byte `offset` of its file, as text; nothing is translated or replaced."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as e:
        raise Bad("not UTF-8", f"not UTF-8 at byte {offset + e.start} of the file ({e.reason})") from None


def text_file(path: Path) -> str:
    """The text of a file, line ends as they are; a leading byte-order mark is not part of the text.

    Raises:
        Bad: it is not UTF-8.
    """
    raw = content(path)
    skip = len(BOM) if raw.startswith(BOM) else 0
    return decode(raw[skip:], skip)


def parse(text: str) -> Any:
    """`text` as JSON, strictly: no NaN or infinity, no key twice in an object.

    Raises:
        Bad: it is not.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as e:
        where = f"line {e.lineno} column {e.colno}" if "\n" in text else f"column {e.colno}"
        raise Bad("bad JSON", f"not JSON: {e.msg} at {where}") from None
    except (ValueError, RecursionError) as e:  # a number of thousands of digits; nested beyond reason
        raise Bad("bad JSON", f"not JSON: {e}") from None


def jsonl(path: Path, problems: Problems) -> Iterator[tuple[str, Row]]:
    """`(place, object)` for each line that is one; the others are noted.

    Blank lines and a leading BOM do not count. Lines end at LF alone: U+2028 and its like are text.
    """
    raw = content(path)
    offset = len(BOM) if raw.startswith(BOM) else 0
    for number, line in enumerate(raw[offset:].split(b"\n"), 1):
        if line and not line.isspace():
            place = f"{path}:{number}"
            try:
                row = as_object(parse(decode(line, offset)))
            except Bad as bad:
                problems.add(bad, place)
            else:
                yield place, row
        offset += len(line) + 1


def rows(path: Path, problems: Problems) -> Iterator[tuple[str, Row]]:
    """`(place, row)` of a JSON-lines or Parquet file. In both a null is the same as an absent field."""
    if path.suffix != ".parquet":
        yield from jsonl(path, problems)
        return
    try:
        frame = tables.read(path)
    except StoreError as e:
        raise DataError(str(e)) from None
    for number, row in enumerate(frame.iter_rows(named=True), 1):
        yield f"{path}:row {number}", row


def entries(path: Path, what: str) -> Iterator[tuple[str, Row]]:
    """`(place, object)` for each entry of a JSON file that is a list; the place says which `what` it is.

    Raises:
        DataError: it is no such file. An entry that is no object comes as one without fields.
    """
    try:
        data = parse(text_file(path))
    except Bad as bad:
        raise DataError(f"{path}: {bad.reason}") from None
    if not isinstance(data, list):
        raise DataError(f"{path}: expected a list of JSON objects")
    return ((f"{path}: {what} {n}", row if isinstance(row, dict) else {}) for n, row in enumerate(data, 1))


def field(row: Row, key: str, kind: type[T], default: T = _ABSENT) -> T:
    """The value of `key`, which must be exactly a `kind` (true is no number). Null counts as absent.

    Raises:
        Bad: it is of another type, or absent without a `default`.
    """
    value = row.get(key)
    if value is None:
        if default is _ABSENT:
            raise Bad(f"missing {key}", f"has no `{key}`")
        return default
    if type(value) is not kind:
        raise Bad(f"wrong type of {key}", f"`{key}` must be {_KINDS[kind]}, found {describe(value)}")
    return value


def as_object(value: Any) -> Row:
    """`value`, if it is a JSON object. Raises Bad when it is none."""
    if not isinstance(value, dict):
        raise Bad("not an object", f"expected an object, found {describe(value)}")
    return value


def only(row: Row, known: Sequence[str]) -> None:
    """Refuse fields that mean nothing here: a misspelt `grade` must not silently count as 1."""
    for key, value in row.items():
        if key not in known and value is not None:
            raise Bad("unknown field", f"unknown field `{one_line(key)}`; {did_you_mean(key, known)}")


def one_of(folder: Path, names: Sequence[str]) -> Path:
    """The one of `names` that `folder` holds.

    Raises:
        DataError: there is none, or more than one.
    """
    found = [n for n in names if (folder / n).exists()]
    if len(found) != 1:
        has = f"holds both {' and '.join(found)}; keep one" if found else f"has no {' or '.join(names)}"
        raise DataError(f"{folder}: {has}")
    return folder / found[0]


def is_folder(path: Path) -> Path:
    """`path`, if it is a folder. Raises RequestError when it is a file."""
    if not path.is_dir():
        raise RequestError(f"dataset.path: '{path}' is a file; this data set is a folder")
    return path


def describe(value: Any) -> str:
    """A value of a data file as an error shows it: its type and, on one line, its start."""
    return f"{_KINDS.get(type(value), type(value).__name__)} ({one_line(repr(value), 40)})"


def _constant(token: str) -> NoReturn:
    raise Bad("NaN or Infinity", f"{token} is not JSON; leave the field out where there is no value")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise Bad("NaN or Infinity", f"{one_line(digits, 20)} is beyond the range of a number")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> Row:
    row = dict(pairs)
    if len(row) != len(pairs):
        raise Bad("key given twice", "an object gives the same key twice")
    return row


_DECODER = json.JSONDecoder(parse_constant=_constant, parse_float=_finite, object_pairs_hook=_unique)
