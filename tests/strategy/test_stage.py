"""The chunking stage: span law, numbers, ids, counts, and what is said when a strategy breaks the law."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest
from tokenizer import toys

from runner import tables
from runner.errors import ComponentError
from runner.records import Chunk
from runner.strategy.contract import Piece, Source, Tools
from runner.strategy.document import Document
from runner.strategy.fixed_size import FixedSize
from runner.strategy.sentence import Sentence
from runner.strategy.stage import chunk

TOOLS = Tools(toys.words())


class Told:
    """A strategy that answers what it was told to."""

    name = "told"
    windows: ClassVar[bool] = False
    lossy: ClassVar[bool] = False
    reads_vectors: ClassVar[bool] = False

    def __init__(self, spans: Sequence[Any]) -> None:
        self._pieces = [p if isinstance(p, Piece) else Piece(*p) for p in spans]

    def pieces(self, source: Source, tools: Tools) -> list[Piece]:
        return self._pieces


class LossyTold(Told):
    lossy: ClassVar[bool] = True


def _documents(**texts: str) -> pl.DataFrame:
    return pl.DataFrame({"doc_id": list(texts), "text": list(texts.values()), "title": ""})


def test_columns_ids_and_order() -> None:
    done = chunk(_documents(b="One. Two.", a="Three."), Sentence(), TOOLS)
    assert done.chunks.schema == pl.Schema(dict(list(tables.schema(Chunk).items())[:6]))
    assert done.chunks.rows() == [
        ("a#0000", "a", 0, 0, 6, 2),
        ("b#0000", "b", 0, 0, 4, 2),
        ("b#0001", "b", 1, 5, 9, 2),
    ]
    assert (done.dropped_blank, done.without_chunks) == (0, [])


def test_order_of_documents_is_by_code_point() -> None:
    done = chunk(_documents(**{"é": "x", "z": "x", "Z": "x", "doc10": "x", "doc9": "x"}), Document(), TOOLS)
    assert done.chunks["doc_id"].to_list() == ["Z", "doc10", "doc9", "z", "é"]


def test_blank_pieces_are_dropped_and_counted_before_numbering() -> None:
    text = "ab \n\n  cd"
    done = chunk(_documents(d=text), FixedSize(size=2, unit="characters"), TOOLS)
    assert done.dropped_blank == 2
    assert done.chunks.select("chunk_index", "start", "end").rows() == [(0, 0, 2), (1, 6, 8), (2, 8, 9)]


def test_a10_every_document_is_chunked() -> None:
    texts = {"1": "one", "2": "before <|endoftext|> after [SEP] <s> end", "3": "three"}
    done = chunk(_documents(**texts), Document(), TOOLS)
    spans = {d: texts[d][s:e] for d, s, e in done.chunks.select("doc_id", "start", "end").rows()}
    assert spans == texts
    assert done.without_chunks == []


@pytest.mark.parametrize("strategy", [FixedSize(), Sentence(), Document(), FixedSize(unit="characters")])
def test_a13_documents_without_chunks_are_named(strategy: Any) -> None:
    done = chunk(_documents(**{"1": "", "2": "   \n\t", "3": "x", "0": " "}), strategy, TOOLS)
    assert done.chunks.rows() == [("3#0000", "3", 0, 0, 1, 1)]
    assert done.without_chunks == ["0", "1", "2"]


def test_no_documents() -> None:
    done = chunk(_documents(), Document(), TOOLS)
    assert done.chunks.schema == pl.Schema(dict(list(tables.schema(Chunk).items())[:6]))
    assert done.chunks.height == 0


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([(0, 4), (4, 4)], r"span \[4, 4\) breaks 0 <= start < end <= 9"),
        ([(0, 10)], r"span \[0, 10\) breaks"),
        ([(-1, 9)], r"span \[-1, 9\) breaks"),
        ([(5, 9), (0, 5)], r"span \[0, 5\) is in no piece, yet holds text: 'One\.'"),
        ([(0, 9), (0, 5)], r"span \[0, 5\) does not come after the one before, \(0, 9\)"),
        ([(0, 9), (0, 9)], r"span \[0, 9\) does not come after the one before, \(0, 9\)"),
        ([(0, 6), (5, 9), (2, 9)], r"span \[2, 9\) does not come after the one before, \(5, 9\)"),
        ([(0, 4)], r"span \[4, 9\) is in no piece, yet holds text: 'Two\.'"),
        ([], r"span \[0, 9\) is in no piece"),
        ([(0, 4.5)], r"span \[0, 4\.5\) is no pair of whole numbers"),
        ([Piece(0, 9, parent=(1, 9))], r"span \[0, 9\) does not lie in its parent \(1, 9\)"),
        ([Piece(0, 9, parent=(0, 10))], r"span \[0, 9\) does not lie in its parent \(0, 10\)"),
    ],
)
def test_a_breach_names_strategy_document_and_span(spans: list[Any], message: str) -> None:
    with pytest.raises(ComponentError, match="strategy told: document 'd': " + message):
        chunk(_documents(d="One. Two."), Told(spans), TOOLS)


def test_white_space_may_be_in_no_piece_and_a_lossy_strategy_may_lose_more() -> None:
    assert chunk(_documents(d="One. Two."), Told([(0, 4), (5, 9)]), TOOLS).chunks.height == 2
    assert chunk(_documents(d="One. Two."), LossyTold([(0, 4)]), TOOLS).chunks.height == 1
    with pytest.raises(ComponentError, match="breaks"):
        chunk(_documents(d="One. Two."), LossyTold([(4, 0)]), TOOLS)


def test_tokens_are_counted_for_each_piece_by_itself() -> None:
    done = chunk(_documents(d="unbroken word"), FixedSize(size=3, unit="characters"), TOOLS)
    # unb | rok | en_ | wor | d : every piece is one token by itself, the text has two.
    assert done.chunks["tokens"].to_list() == [1, 1, 1, 1, 1]


def test_what_no_piece_knows_is_no_column() -> None:
    pieces = [Piece(0, 4, heading="A", parent=(0, 9)), Piece(5, 9, row=1, row_type="relation")]
    done = chunk(_documents(d="One. Two."), Told(pieces), TOOLS)
    assert done.chunks.schema == pl.Schema(tables.schema(Chunk))
    assert done.chunks.rows() == [
        ("d#0000", "d", 0, 0, 4, 2, "A", None, None, 0, 9, 4),
        ("d#0001", "d", 1, 5, 9, 2, None, 1, "relation", None, None, None),
    ]


def test_progress_is_told_after_each_document() -> None:
    told: list[tuple[int, int]] = []
    chunk(_documents(a="x", b="y"), Document(), TOOLS, progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 2), (2, 2)]


def test_checking_the_law_takes_no_time() -> None:
    text = "word " * 300_000
    spans = [(i, i + 50) for i in range(0, len(text), 50)]
    documents = _documents(d=text)

    class NoTokens:
        def offsets(self, text: str) -> Any:
            raise NotImplementedError

        def counts(self, texts: list[str]) -> Any:
            return np.zeros(len(texts), np.int32)

    started = time.perf_counter()
    chunk(documents, Told(spans), Tools(NoTokens()))  # type: ignore[arg-type]
    assert time.perf_counter() - started < 2  # 0.1 s where it was written
