"""Writing a native folder: whole, read back and found equal, or not at all."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from runner.dataset.contract import Corpus
from runner.dataset.stage import counts, fingerprints
from runner.disk import sync
from runner.errors import DataError, RequestError, StoreError
from runner.importing.loaded import Loaded, native
from runner.keys import file_digest
from runner.text import one_line

FILES = ("documents.jsonl", "queries.jsonl", "gold.jsonl")
NOTE = "SOURCE.md"


def publish(loaded: Loaded, target: Path, about: Mapping[str, str]) -> dict[str, Any]:
    """Write `target`, which must not exist: a draft beside it is read back, compared, and gets its name.

    Args:
        loaded: what is written.
        target: the folder; folders above it are made.
        about: lines of the note: kind, date, licence and settings.

    Returns:
        What was written: `counts` and `fingerprints`.

    Raises:
        RequestError: the target is there already.
        DataError: what was read back is not what was read.
        StoreError: the disk refused.
    """
    if target.exists() or target.is_symlink():
        raise RequestError(f"--to: '{target}' is there already; name a folder that is not, or remove it")
    draft = target.absolute().parent / f".draft-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    try:
        draft.mkdir(parents=True)
        _write(loaded.corpus, draft)
        prints = fingerprints(loaded.corpus)
        if fingerprints(native(draft)) != prints:
            raise DataError(f"{target}: what was written does not read back as what was read; this is a bug")
        said = {"counts": counts(loaded.corpus), "fingerprints": prints}
        (draft / NOTE).write_text(_note(target.name, loaded, about, said, draft), "utf-8")
        for path in sorted(draft.iterdir()):
            sync(path)
        sync(draft)
        draft.rename(target)  # refused by the system when somebody made a folder with files there meanwhile
        sync(target.absolute().parent)
    except OSError as e:
        raise StoreError(f"{target}: could not be written ({e.strerror or e}); nothing was left") from e
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return said


def _write(corpus: Corpus, folder: Path) -> None:
    documents, queries, gold = (folder / name for name in FILES)
    _lines(
        documents,
        (
            {"doc_id": d["doc_id"], "title": d["title"], "text": d["text"], **_given("metadata", d)}
            for d in corpus.documents.iter_rows(named=True)
        ),
    )
    _lines(
        queries,
        (
            {"query_id": q["query_id"], "text": q["text"], **_given("tags", q)}
            for q in corpus.queries.iter_rows(named=True)
        ),
    )
    judged = corpus.judgments.iter_rows(named=True)
    _lines(gold, ({k: v for k, v in row.items() if v is not None} for row in judged))


def _given(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """A column of JSON as a field of its own; nothing where it is empty."""
    value = json.loads(row[name])
    return {name: value} if value else {}


def _lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    with path.open("x", encoding="utf-8", newline="\n") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _note(name: str, loaded: Loaded, about: Mapping[str, str], said: Mapping[str, Any], folder: Path) -> str:
    """SOURCE.md: where the data came from, as a person and a second import can check it."""
    top = Path(os.path.commonpath([p.absolute().parent for p in loaded.inputs]))
    left_out = {f"left out: {reason}": n for reason, n in loaded.corpus.rejected.items()}
    inputs = [(p.absolute().relative_to(top).as_posix(), p) for p in loaded.inputs]
    written = [(n, folder / n) for n in FILES]
    return "\n".join(
        [
            f"# {one_line(name)}",
            "",
            "A native data set of runner, imported; made anew rather than edited.",
            "",
            *(f"- {k}: {one_line(v, 500)}" for k, v in about.items()),
            "",
            "## Counts",
            "",
            *(f"- {k}: {v}" for k, v in {**said["counts"], **left_out}.items()),
            "",
            "## Fingerprints of the content",
            "",
            *(f"- {k}: {v}" for k, v in said["fingerprints"].items()),
            "",
            *_table("Inputs", inputs),
            *_table("Files", written),
        ]
    )


def _table(title: str, files: list[tuple[str, Path]]) -> list[str]:
    rows = [f"| {one_line(n, 200)} | {p.stat().st_size} | {file_digest(p)} |" for n, p in files]
    return [f"## {title}", "", "| file | bytes | SHA-256 |", "|---|---:|---|", *rows, ""]
