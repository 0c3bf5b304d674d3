"""The chunk counts of Chroma's chunking evaluation, on its own five corpora: every published row, exactly.

TokenText is windows of token ids at stride size - overlap. The published counts are those of a loop that
ends with the first window to reach the last token (819 for 800/400), which is our rule too (A02): nothing to
account for. A loop that ran on until its start passed the end would give a window more a corpus (824).
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest
from tokenizer import toys

from runner.strategy.contract import Tools
from runner.strategy.fixed_size import FixedSize
from runner.strategy.recursive import Recursive
from runner.strategy.stage import chunk
from runner.tokenizer.contract import Tokens
from runner.tokenizer.wordpiece import Wordpiece

ROWS = [
    (800, 400, 704, 819),
    (400, 200, 1_412, 1_639),
    (400, 0, 1_187, 824),
    (200, 0, 2_386, 1_644),
]
"""size, overlap, chunks of Recursive, chunks of TokenText; cl100k_base lengths."""


@pytest.fixture(scope="module")
def documents() -> pl.DataFrame:
    texts = toys.chroma_texts()
    return pl.DataFrame({"doc_id": list(texts), "text": list(texts.values())})


@pytest.fixture(scope="module")
def cl100k() -> Tokens:
    return toys.cl100k()


@pytest.mark.parametrize(("size", "overlap", "chunks"), [(s, o, n) for s, o, n, _ in ROWS])
def test_recursive_cl100k(
    documents: pl.DataFrame, cl100k: Tokens, size: int, overlap: int, chunks: int
) -> None:
    done = chunk(documents, Recursive(size=size, overlap=overlap), Tools(cl100k))
    assert (done.chunks.height, done.dropped_blank) == (chunks, 0)


@pytest.mark.parametrize(("size", "overlap", "chunks"), [(s, o, n) for s, o, _, n in ROWS])
def test_token_text_cl100k(
    documents: pl.DataFrame, cl100k: Tokens, size: int, overlap: int, chunks: int
) -> None:
    done = chunk(documents, FixedSize(size=size, overlap=overlap), Tools(cl100k))
    assert (done.chunks.height, done.dropped_blank) == (chunks, 0)


@pytest.mark.parametrize(("size", "overlap", "chunks"), [(250, 0, 1_980), (250, 125, 2_542), (200, 0, 2_523)])
def test_recursive_minilm(documents: pl.DataFrame, size: int, overlap: int, chunks: int) -> None:
    """WordPiece lengths with the two special tokens, as the published MiniLM rows were seen again."""
    tokens = Wordpiece(path=str(toys.minilm_tokenizer())).load()
    assert (
        chunk(documents, Recursive(size=size, overlap=overlap, special_tokens=2), Tools(tokens)).chunks.height
        == chunks
    )


@pytest.mark.parametrize(("size", "overlap", "chunks"), [(250, 0, 1_277), (250, 125, 2_546), (200, 0, 1_595)])
def test_token_text_minilm(documents: pl.DataFrame, size: int, overlap: int, chunks: int) -> None:
    """Plain WordPiece windows, as seen here; the published rows used other tokens and cannot be had."""
    tokens = Wordpiece(path=str(toys.minilm_tokenizer())).load()
    assert chunk(documents, FixedSize(size=size, overlap=overlap), Tools(tokens)).chunks.height == chunks


@pytest.mark.parametrize("make", [FixedSize, Recursive])
def test_overlapping_or_not_the_law_holds(
    documents: pl.DataFrame, cl100k: Tokens, make: Callable[[], FixedSize | Recursive]
) -> None:
    strategy = make()
    done = chunk(documents, strategy, Tools(cl100k))
    assert done.without_chunks == []
    if isinstance(strategy, FixedSize):  # tiles: the pieces joined are the corpus
        texts = dict(documents.select("doc_id", "text").iter_rows())
        for (doc_id,), rows in done.chunks.group_by("doc_id", maintain_order=True):
            text = texts[str(doc_id)]
            assert "".join(text[s:e] for s, e in rows.select("start", "end").iter_rows()) == text
