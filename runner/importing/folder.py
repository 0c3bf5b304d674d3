"""Kind `folder`: a tree of text files and a file of questions; there is no gold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from runner.dataset import _files
from runner.dataset import _read as read
from runner.dataset._build import Builder
from runner.dataset._problems import Bad, Problems
from runner.dataset._read import Row, field
from runner.dataset.contract import OnBad
from runner.errors import RequestError
from runner.importing.loaded import Loaded, named

_QUESTIONS = ("questions.txt", "questions.jsonl", "queries.txt", "queries.jsonl")


@dataclass(frozen=True, slots=True)
class PlainFolder:
    """`.md` and `.txt` files, and questions: one a line, or JSON lines with `text` (or `question`).

    A question without a `query_id` is called `q001`, `q002`, … in order of the file.
    """

    source: Path
    questions: str = ""
    """The file of questions; without it `questions.txt` or `.jsonl`, `queries.txt` or `.jsonl`."""
    on_bad: OnBad = "error"

    def load(self) -> Loaded:
        """Read and check everything."""
        if not self.source.is_dir():
            raise RequestError(f"SOURCE: '{self.source}' is a file; this kind takes a folder of texts")
        questions = named(self.source, self.questions, "--questions", _QUESTIONS)
        files = [p for p in _files.tree(self.source, self.source) if not p.samefile(questions)]
        build = Builder(self.on_bad)
        _files.add(build, files, self.source)
        rows = list(_rows(questions, build.problems))
        width = max(3, len(str(len(rows))))
        numbered = ((place, (f"q{n:0{width}}", row)) for n, (place, row) in enumerate(rows, 1))
        build.problems.each(numbered, lambda numbered: _question(build, *numbered))
        return Loaded(build.corpus(self.source), (*files, questions))


def _rows(path: Path, problems: Problems) -> Iterator[tuple[str, Row]]:
    if path.suffix in (".jsonl", ".parquet"):
        yield from read.rows(path, problems)
        return
    try:
        text = read.text_file(path)
    except Bad as bad:
        problems.add(bad, f"{path}:1")
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"{path}:{number}", {"text": line.strip()}


def _question(build: Builder, name: str, row: Row) -> None:
    read.only(row, ("query_id", "text", "question", "tags"))
    text = field(row, "question" if row.get("text") is None else "text", str)
    build.query(field(row, "query_id", str, name), text, field(row, "tags", list, []))
