"""Chunking: runs a strategy over documents, checks the span law, numbers the pieces, counts tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from runner import tables
from runner.errors import ComponentError
from runner.records import Chunk
from runner.strategy.contract import Piece, Source, Span, Strategy, Tools
from runner.text import is_blank, one_line


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
    tools: Tools,
    given: Mapping[str, Sequence[Span]] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Chunked:
    """The chunks of `documents` (columns doc_id, text).

    Args:
        documents: one row per document, in any order.
        strategy: what cuts.
        tools: the run's tokenizer, loaded, and its embedding model for a strategy that reads vectors.
        given: the chunks that the data set brings, by doc_id.
        progress: called with (documents done, documents in all) after each.

    Raises:
        ComponentError: a span breaks the law; names strategy, document and span. Nothing is then returned.
    """
    rows: list[tuple[str, str, int, Piece]] = []
    texts: list[str] = []
    whole: list[str] = []
    blank = 0
    without: list[str] = []
    ordered = documents.select("doc_id", "text").sort("doc_id")
    for done, (doc_id, text) in enumerate(ordered.iter_rows(), start=1):
        source = Source(doc_id, text, (given or {}).get(doc_id, ()))
        pieces = _lawful(strategy, doc_id, text, strategy.pieces(source, tools))
        kept = [p for p in pieces if not is_blank(text[p.start : p.end])]
        blank += len(pieces) - len(kept)
        if not kept:
            without.append(doc_id)
        for index, piece in enumerate(kept):
            rows.append((f"{doc_id}#{index:04d}", doc_id, index, piece))
            texts.append(text[piece.start : piece.end])
            whole.append(text[slice(*piece.parent)] if piece.parent else "")
        if progress:
            progress(done, documents.height)
    return Chunked(_table(rows, texts, whole, tools), blank, without)


def _table(
    rows: list[tuple[str, str, int, Piece]], texts: list[str], parents: list[str], tools: Tools
) -> pl.DataFrame:
    """The chunk table; a column that no piece fills is left out."""
    pieces = [piece for *_, piece in rows]
    spans = [p.parent for p in pieces]
    columns: dict[str, list[object]] = {
        "chunk_id": [r[0] for r in rows],
        "doc_id": [r[1] for r in rows],
        "chunk_index": [r[2] for r in rows],
        "start": [p.start for p in pieces],
        "end": [p.end for p in pieces],
        "tokens": _counts(texts, tools),
        "heading": [p.heading for p in pieces],
        "row": [p.row for p in pieces],
        "row_type": [p.row_type for p in pieces],
        "parent_start": [s[0] if s else None for s in spans],
        "parent_end": [s[1] if s else None for s in spans],
        "parent_tokens": [n if s else None for n, s in zip(_counts(parents, tools), spans, strict=True)]
        if any(spans)
        else [None] * len(rows),
    }
    always = 6
    kept = {c: v for i, (c, v) in enumerate(columns.items()) if i < always or any(x is not None for x in v)}
    return tables.conform(pl.DataFrame(kept, {c: tables.schema(Chunk)[c] for c in kept}), Chunk)


def _counts(texts: list[str], tools: Tools) -> list[object]:
    return list(tools.tokens.counts(texts).tolist()) if texts else []


def _lawful(strategy: Strategy, doc_id: str, text: str, found: Iterable[Piece]) -> list[Piece]:
    """`found`, if it keeps the span law.

    0 <= start < end <= len(text), each (start, end) above the one before, a parent that holds its piece, and,
    unless the strategy is lossy, every visible character in a piece. Only the gaps between pieces are looked
    at, so a long text takes no time.
    """
    pieces: list[Piece] = []
    last, covered = (-1, -1), 0
    for piece in found:
        span = (piece.start, piece.end)
        if not all(isinstance(x, int | np.integer) for x in span):
            raise _breach(strategy, doc_id, span, "is no pair of whole numbers")
        if not 0 <= piece.start < piece.end <= len(text):
            raise _breach(
                strategy, doc_id, span, f"breaks 0 <= start < end <= {len(text)} (the text's length)"
            )
        if span <= last:
            raise _breach(strategy, doc_id, span, f"does not come after the one before, {last}")
        if piece.parent and not 0 <= piece.parent[0] <= piece.start < piece.end <= piece.parent[1] <= len(
            text
        ):
            raise _breach(strategy, doc_id, span, f"does not lie in its parent {piece.parent}")
        _no_gap(strategy, doc_id, text, covered, piece.start)
        pieces.append(piece)
        last, covered = span, max(covered, piece.end)
    _no_gap(strategy, doc_id, text, covered, len(text))
    return pieces


def _no_gap(strategy: Strategy, doc_id: str, text: str, start: int, end: int) -> None:
    if start < end and not strategy.lossy and not is_blank(text[start:end]):
        lost = one_line(text[start:end], 40)
        raise _breach(strategy, doc_id, (start, end), f"is in no piece, yet holds text: '{lost}'")


def _breach(strategy: Strategy, doc_id: str, span: object, what: str) -> ComponentError:
    shown = f"[{span[0]}, {span[1]})" if isinstance(span, tuple) and len(span) == 2 else repr(span)
    return ComponentError(f"strategy {strategy.name}: document '{doc_id}': span {shown} {what}")
