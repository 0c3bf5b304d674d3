"""Kind `hf`: a local folder of a Hugging Face data set in Parquet, in the layout of BEIR and MTEB exports."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from runner.dataset import _read as read
from runner.dataset._build import Builder
from runner.dataset._problems import Bad, Problems
from runner.dataset._qrels import Qrel
from runner.dataset._read import Row
from runner.dataset.beir import Beir
from runner.dataset.contract import OnBad
from runner.errors import RequestError, did_you_mean
from runner.importing.loaded import Loaded

_QRELS = ("qrels", "default", "data")
"""What the folder of the judgments is called: newer MTEB exports, older ones, and those of one config."""


@dataclass(frozen=True, slots=True)
class HuggingFaceFolder:
    """`corpus/*.parquet`, `queries/*.parquet` and `qrels/<split>*.parquet`; nothing is fetched.

    Columns as in BEIR: `_id` (or `id`), `title`, `text`; `query-id`, `corpus-id`, `score` (without it 1).
    The judgments may also lie in `default/` or `data/`. As in BEIR, queries that the split does not judge are
    left out and counted.
    """

    source: Path
    split: str = "test"
    """Which judgments; of corpus and queries that have splits, those of this one."""
    subset: str = ""
    """`en` where the folders are called `en-corpus`, `en-queries`, `en-qrels`."""
    title: Literal["prepend", "separate"] = "prepend"
    on_bad: OnBad = "error"

    def load(self) -> Loaded:
        """Read and check everything."""
        corpus = self._split(self._part("corpus"), needed=False)
        queries = self._split(self._part("queries"), needed=False)
        qrels = self._split(self._part(*_QRELS), needed=True)
        build = Builder(self.on_bad)
        whole = Beir(path=str(self.source), split=self.split, title=self.title, on_bad=self.on_bad).assemble(
            build,
            documents=_texts(corpus, build.problems),
            queries=_texts(queries, build.problems),
            judgments=_judgments(qrels, build.problems),
            source=qrels[0],
        )
        return Loaded(whole, (*corpus, *queries, *qrels))

    def _part(self, *names: str) -> list[Path]:
        """The Parquet files of a part of the data set, shards in order."""
        prefix = f"{self.subset}-" if self.subset else ""
        wanted = [f"{prefix}{name}" for name in names]
        for name in wanted:
            files = sorted((self.source / name).rglob("*.parquet"))
            if files:
                return files
        where = " or ".join(f"{name}/*.parquet" for name in wanted)
        mend = "where the folders have a prefix, such as en-corpus, name it: --subset en"
        raise RequestError(f"SOURCE: {self.source} has no {where}; {mend}")

    def _split(self, files: list[Path], *, needed: bool) -> list[Path]:
        """Those of `files` that are of the split; where it is not `needed` and there is no such, all."""
        found = [p for p in files if _split_of(p) == self.split]
        if needed and not found:
            raise RequestError(f"--split: {did_you_mean(self.split, {_split_of(p) for p in files})}")
        return found or files


def _split_of(path: Path) -> str:
    """`test` of `test-00000-of-00001.parquet`, `test.parquet` and `test/0000.parquet`."""
    stem = path.stem.split("-")[0]
    return path.parent.name if stem.isdigit() else stem


def _each(files: Sequence[Path], problems: Problems) -> Iterator[tuple[str, Row]]:
    return itertools.chain.from_iterable(read.rows(p, problems) for p in files)


def _texts(files: Sequence[Path], problems: Problems) -> Iterator[tuple[str, Row]]:
    for place, row in _each(files, problems):
        found = [row[c] for c in ("_id", "id") if row.get(c) is not None]
        yield place, {**row, "_id": str(found[0]) if found else None}


def _judgments(files: Sequence[Path], problems: Problems) -> Iterator[tuple[str, Qrel]]:
    for place, row in _each(files, problems):
        try:
            yield place, (_label(row, "query-id"), _label(row, "corpus-id"), _grade(row.get("score", 1)))
        except Bad as bad:
            problems.add(bad, place)


def _label(row: Row, column: str) -> str:
    """An id; some exports hold it as a number."""
    if row.get(column) is None:
        raise Bad(f"missing {column}", f"has no `{column}`; there are: {', '.join(row)}")
    return str(row[column])


def _grade(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not float(value).is_integer():
        raise Bad("bad grade", f"the grade must be a whole number, found {read.describe(value)}")
    return int(value)
