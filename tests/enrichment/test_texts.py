"""Headers that are a text: `title`, `heading_path`, `precomputed`, and what a budget leaves of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from enrichment.graphs import headers, material, texts
from tokenizer.toys import byte_level_json, nasty_texts

from runner import tables
from runner.enrichment.contract import Enrichment
from runner.enrichment.heading_path import HeadingPath
from runner.enrichment.precomputed import Precomputed
from runner.enrichment.stage import facts, warnings
from runner.enrichment.title import Title
from runner.errors import ComponentError
from runner.records import SituatingText
from runner.tokenizer._fast import from_json

CUTS = [("a", 0, 10), ("a", 10, 20), ("b", 0, 10)]


def test_a_title_stands_before_every_chunk_of_its_document() -> None:
    found = material(CUTS, titles={"a": "Alpha\nand omega"})
    assert texts(Title(), found) == {0: "Alpha and omega", 1: "Alpha and omega"}
    assert headers(Title(), found)["situating_sentence"].to_list() == ["Alpha\nand omega"] * 2
    assert texts(Title(max_header_tokens=2), found) == {0: "Alpha and", 1: "Alpha and"}


def test_a_heading_path_where_the_strategy_knows_one() -> None:
    found = material(CUTS)
    assert texts(HeadingPath(), found) == {}
    chunks = found.chunks.with_columns(pl.Series("heading", ["Guide > Search", "", None]))
    found = material(CUTS)
    found = type(found)(found.documents, chunks, found.texts, found.tokens)
    assert texts(HeadingPath(), found) == {0: "Guide > Search"}


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (HeadingPath(), "none of 3 chunks has a heading (only the strategies heading and notes know any)"),
        (Title(), "none of 3 chunks has a document with a title"),
    ],
)
def test_no_header_at_all_is_warned_of(made: Enrichment, why: str) -> None:
    (said,) = warnings(made, facts(headers(made, material(CUTS)), 3))
    assert why in said
    assert said.endswith("so none has a header: vectors are those of enrichment=none")


def _situating(*rows: tuple[Any, ...]) -> pl.DataFrame:
    """(doc_id, text, start, end)."""
    return pl.DataFrame(list(rows), schema=tables.schema(SituatingText), orient="row")


@pytest.mark.parametrize(
    ("rows", "right"),
    [
        ([("a", "of all", None, None)], {0: "of all", 1: "of all"}),
        ([("a", "first", 0, 10)], {0: "first"}),
        # 6 characters of chunk 0 against 4: the one that covers more; chunk 1 shares none with either
        ([("a", "six", 0, 6), ("a", "four", 6, 10)], {0: "six"}),
        # as much of the chunk: the shorter span, then the earlier, then the smaller text
        ([("a", "wide", 0, 20), ("a", "exact", 10, 20)], {0: "wide", 1: "exact"}),
        ([("a", "right", 5, 10), ("a", "left", 0, 5)], {0: "left"}),
        ([("a", "y", 0, 5), ("a", "x", 0, 5)], {0: "x"}),
        # a place is said before the whole
        ([("a", "of all", None, None), ("a", "first", 9, 10)], {0: "first", 1: "of all"}),
        ([("a", "y of all", None, None), ("a", "x of all", None, None)], {0: "x of all", 1: "x of all"}),
        ([("a", " ", None, None)], {}),
    ],
)
def test_the_text_that_covers_most_of_a_chunk(rows: list[tuple[Any, ...]], right: dict[int, str]) -> None:
    for order in (rows, rows[::-1]):
        assert texts(Precomputed(), material(CUTS, situating=_situating(*order))) == right


def test_precomputed_without_texts() -> None:
    with pytest.raises(ComponentError, match="brings no situating texts"):
        Precomputed().headers(material(CUTS))
    assert texts(Precomputed(), material(CUTS, situating=_situating())) == {}


@pytest.mark.parametrize("limit", [1, 5, 12])
def test_a_text_is_cut_to_the_budget_of_any_tokenizer(limit: int, tmp_path: Path) -> None:
    tokens = from_json(byte_level_json(tmp_path))
    found = [t for t in nasty_texts() if t.isascii() or "\ud83d" not in t]
    cuts = [(f"d{i:03d}", 0, 1) for i in range(len(found))]
    given = material(cuts, titles=dict(zip((d for d, *_ in cuts), found, strict=True)), tokens=tokens)
    whole, cut = texts(Title(), given), texts(Title(max_header_tokens=limit), given)
    for chunk, text in cut.items():
        assert whole[chunk].startswith(text)
        assert len(text.encode()) <= limit
    short = {c for c, t in whole.items() if len(t.encode()) <= limit}
    assert {c: cut[c] for c in short} == {c: whole[c] for c in short}
