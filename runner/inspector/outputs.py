"""What each stage of a run gave for a query, as chunks with ranks and scores: what `diff` compares."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import polars as pl

from runner import parents
from runner.inspector.stored import Stored

Row = Mapping[str, Any]
Output = dict[str, tuple[int | None, float | None]]
"""Chunk -> rank and score, best first; None where a stage gives none."""
_LATE = (None, "parent", "cut")
"""Fates of candidates that came through every threshold."""


class Outputs:
    """The recorded outputs of one run, by query and stage."""

    def __init__(self, stored: Stored, *, spans: bool) -> None:
        """Chunks are called by their id or, to compare across chunkings, by document and span (`spans`)."""
        self.stored, self.run, self._spans = stored, stored.run, spans

    @cached_property
    def _called(self) -> dict[str, str]:
        if not self._spans:
            return {c: c for c in self.stored.chunks["chunk_id"]}
        places = self.stored.chunks.select("chunk_id", "doc_id", "start", "end").iter_rows()
        return {c: f"{d}[{s}, {e})" for c, d, s, e in places}

    @cached_property
    def returned(self) -> dict[str, tuple[str, int, int]]:
        """By chunk id the document and span that it returns."""
        frame = parents.returned(self.stored.chunks).select("chunk_id", "doc_id", "start", "end")
        return {c: (d, s, e) for c, d, s, e in frame.iter_rows()}

    @cached_property
    def _candidates(self) -> dict[str, list[dict[str, Any]]]:
        return _by_query(self.run.table("candidates"))

    @cached_property
    def contexts(self) -> dict[str, list[dict[str, Any]]]:
        """The rows of every query's context, in its order."""
        return _by_query(self.run.table("context"))

    @cached_property
    def measures(self) -> dict[str, dict[str, float]]:
        """By query, value of each measure."""
        out: dict[str, dict[str, float]] = {}
        for query, measure, value in self.run.table("measures").select("query_id", "measure", "value").rows():
            out.setdefault(query, {})[measure] = value
        return out

    @cached_property
    def questions(self) -> dict[str, tuple[str, str]]:
        """Query id -> text, and why something did not happen."""
        rows = self.run.table("queries").select("query_id", "text", "reasons").rows()
        return {q: (text, reasons) for q, text, reasons in rows}

    def of(self, query_id: str, stages: Sequence[str]) -> dict[str, Output]:
        """The output of each of `stages` for a query; a stage that the run has not gives what it got."""
        rows = self._candidates.get(query_id, [])
        return {stage: self._output(stage, rows, query_id) for stage in stages}

    def _output(self, stage: str, rows: Sequence[Row], query_id: str) -> Output:
        if stage == "expansion":
            context = self.contexts.get(query_id, [])
            return {self._called[r["chunk_id"]]: (r["position"], None) for r in context}
        if stage in ("filter", "threshold.similarity", "threshold.score"):
            return {self._called[r["chunk_id"]]: (None, None) for r in rows if _passed(stage, r)}
        if stage == "reranker":
            late = [r for r in rows if r["drop_stage"] in _LATE]
            return self._ranked(late, lambda r: _first(r, "rank"), lambda r: _first(r, "score"))
        of = {"fusion": "fused", "cut": "final"}.get(stage, stage.removeprefix("retrieval."))
        return self._ranked(rows, lambda r: r.get(f"{of}_rank"), lambda r: r.get(f"{of}_score"))

    def _ranked(
        self, rows: Sequence[Row], rank: Callable[[Row], int | None], score: Callable[[Row], float | None]
    ) -> Output:
        found = [(r, i, score(row)) for i, row in enumerate(rows) if (r := rank(row)) is not None]
        return {self._called[rows[i]["chunk_id"]]: (r, s) for r, i, s in sorted(found, key=lambda f: f[:2])}


def _first(row: Row, part: str) -> Any:
    """The reranker's word on a candidate, else the fusion's."""
    reranked = row.get(f"rerank_{part}")
    return row[f"fused_{part}"] if reranked is None else reranked


def _passed(stage: str, row: Row) -> bool:
    """Whether a candidate came through a stage that marks."""
    dropped, why = row["drop_stage"], row["drop_reason"] or ""
    if stage == "filter":
        return bool(dropped != "filter")
    similarity = dropped == "threshold" and "similarity below" in why
    before = dropped == "filter" or similarity
    return not before if stage == "threshold.similarity" else not before and dropped != "threshold"


def _by_query(frame: pl.DataFrame) -> dict[str, list[dict[str, Any]]]:
    out: dict[str, list[dict[str, Any]]] = {}
    for row in frame.iter_rows(named=True):
        out.setdefault(row["query_id"], []).append(row)
    return out
