"""A tree of text files as documents: doc_id is the path in the tree, title the first Markdown heading."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Sequence
from pathlib import Path

from runner.dataset import _read as read
from runner.dataset._build import Builder
from runner.errors import DataError

log = logging.getLogger(__name__)

_SUFFIXES = {".md", ".txt"}
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(\S.*)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def tree(root: Path, folder: Path) -> list[Path]:
    """The text files under `root`, sorted by their path in it.

    Names that begin with a dot, linked folders and links that leave `folder` are left out.

    Raises:
        DataError: there is none, or a folder cannot be read.
    """

    def refuse(e: OSError) -> None:
        raise DataError(f"{e.filename}: cannot be read ({e.strerror})")

    found: list[Path] = []
    for here, folders, files in os.walk(root, onerror=refuse):  # it does not enter linked folders
        folders[:] = [f for f in folders if not f.startswith(".")]
        seen = (Path(here, f) for f in files if not f.startswith("."))
        found += (p for p in seen if p.suffix.lower() in _SUFFIXES)
    top = folder.resolve()
    kept = [p for p in found if p.is_file() and (not p.is_symlink() or p.resolve().is_relative_to(top))]
    if len(kept) < len(found):
        log.warning("%s: left out %d links that lead out of it or nowhere", root, len(found) - len(kept))
    if not kept:
        raise DataError(f"{folder}: has no documents.jsonl or documents.parquet and no .md or .txt file")
    return sorted(kept, key=lambda p: p.relative_to(root).as_posix())


def add(build: Builder, files: Sequence[Path], root: Path) -> None:
    """Make each of `files`, which lie under `root`, a document."""
    named = ((f"{p}:1", p) for p in files)
    build.problems.each(named, lambda p: _document(build, p, p.relative_to(root).as_posix()))


def _document(build: Builder, path: Path, doc_id: str) -> None:
    text = read.text_file(path)
    build.document(doc_id, text, _title(text) if path.suffix.lower() == ".md" else "")


def _title(text: str) -> str:
    """The first `#` heading outside fenced code, or nothing."""
    fence = ""
    for line in re.split(r"\r\n|\n|\r", text):
        mark = _FENCE.match(line)
        rest = line[mark.end() :] if mark else ""
        if mark and not fence and not (mark[1][0] == "`" and "`" in rest):  # else it is code within a line
            fence = mark[1]
        elif mark and fence and mark[1].startswith(fence) and not rest.strip():
            fence = ""
        heading = None if fence else _HEADING.fullmatch(line)
        if heading:
            title = heading[1].rstrip()
            bare = title.rstrip("#")  # closing hashes, as in `## Title ##`; the hash of `# C#` is its own
            return bare.rstrip() if bare[-1:] in ("", " ", "\t") else title
    return ""
