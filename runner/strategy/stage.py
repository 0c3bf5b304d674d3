"""Chunking: runs a strategy over documents, checks the span law, numbers the pieces, counts tokens."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import polars as pl

from runner import tables
from runner.errors import ComponentError
from runner.records import Chunk
from runner.strategy.contract import Span, Strategy
from runner.text import is_blank, one_line
from runner.tokenizer.contract import Tokens


@dataclass(frozen=True, slots=True)
class Chunked:
    """The chunks of a corpus, and what did not become one."""

    chunks: pl.DataFrame
    """One row per chunk, columns of `records.Chunk`, by doc_id and chunk_index (from 0 in each document)."""
    dropped_blank: int
    """Pieces of white space only, left out before numbering."""
    without_chunks: list[str]
    """Documents that gave no chunk, in doc_id order; gold in them cannot be reached."""


def chunk(
    documents: pl.DataFrame,
    strategy: Strategy,
    tokens: Tokens,
    progress: Callable[[int, int], None] | None = None,
) -> Chunked:
    """The chunks of `documents` (columns doc_id, text).

    Args:
        documents: one row per document, in any order.
        strategy: what cuts.
        tokens: the run's tokenizer, loaded.
        progress: called with (documents done, documents in all) after each.

    Raises:
        ComponentError: a span breaks the law; names strategy, document and span. Nothing is then returned.
    """
    rows: dict[str, list[str | int]] = {c: [] for c in ("chunk_id", "doc_id", "chunk_index", "start", "end")}
    texts: list[str] = []
    blank = 0
    without: list[str] = []
    ordered = documents.select("doc_id", "text").sort("doc_id")
    for done, (doc_id, text) in enumerate(ordered.iter_rows(), start=1):
        spans = _lawful(strategy, doc_id, text, strategy.spans(text, tokens))
        kept = [(start, end) for start, end in spans if not is_blank(text[start:end])]
        blank += len(spans) - len(kept)
        if not kept:
            without.append(doc_id)
        for index, (start, end) in enumerate(kept):
            row = (f"{doc_id}#{index:04d}", doc_id, index, start, end)
            for column, value in zip(rows.values(), row, strict=True):
                column.append(value)
            texts.append(text[start:end])
        if progress:
            progress(done, documents.height)
    schema = {name: dtype for name, dtype in tables.schema(Chunk).items() if name in rows}
    counted = pl.Series("tokens", tokens.counts(texts) if texts else [], dtype=pl.Int64)
    return Chunked(tables.conform(pl.DataFrame(rows, schema).with_columns(counted), Chunk), blank, without)


def _lawful(strategy: Strategy, doc_id: str, text: str, found: Iterable[Span]) -> list[Span]:
    """`found` as spans of plain integers, if they keep the span law.

    0 <= start < end <= len(text), each start above the one before, and, unless the strategy is lossy, every
    visible character in a span. Only the gaps between spans are looked at, so a long text takes no time.
    """
    spans: list[Span] = []
    last, covered = -1, 0
    for span in found:
        try:
            start, end = (operator.index(x) for x in span)
        except (TypeError, ValueError):
            raise _breach(strategy, doc_id, span, "is no pair of whole numbers") from None
        if not 0 <= start < end <= len(text):
            raise _breach(
                strategy, doc_id, span, f"breaks 0 <= start < end <= {len(text)} (the text's length)"
            )
        if start <= last:
            raise _breach(
                strategy, doc_id, span, f"does not start after the start of the one before ({last})"
            )
        _no_gap(strategy, doc_id, text, covered, start)
        spans.append((start, end))
        last, covered = start, max(covered, end)
    _no_gap(strategy, doc_id, text, covered, len(text))
    return spans


def _no_gap(strategy: Strategy, doc_id: str, text: str, start: int, end: int) -> None:
    if start < end and not strategy.lossy and not is_blank(text[start:end]):
        lost = one_line(text[start:end], 40)
        raise _breach(strategy, doc_id, (start, end), f"is in no piece, yet holds text: '{lost}'")


def _breach(strategy: Strategy, doc_id: str, span: object, what: str) -> ComponentError:
    shown = f"[{span[0]}, {span[1]})" if isinstance(span, tuple) and len(span) == 2 else repr(span)
    return ComponentError(f"strategy {strategy.name}: document '{doc_id}': span {shown} {what}")
