"""`parent`: windows in their parents, and a run in which a parent is returned, paid for and judged once."""

from __future__ import annotations

from pathlib import Path

import helpers
import polars as pl
import pytest
from dataset.native_folders import Rows
from tokenizer import toys

from runner import parents, registry
from runner.errors import RequestError
from runner.runs import Run
from runner.strategy.contract import Source, Tools
from runner.strategy.parent import Parent
from runner.traces import traces as query_traces

TOOLS = Tools(toys.words())
DOCUMENTS: Rows = [
    {"doc_id": "a", "text": "# A\nred green red blue\n# B\nblue pink gray teal\n"},
    {"doc_id": "b", "text": "red gold\n\nblack white plum rose\n"},
]
QUERIES: Rows = [{"query_id": "q", "text": "red"}, {"query_id": "r", "text": "gray"}]
GOLD: Rows = [
    {"query_id": "q", "doc_id": "a", "quote": "green red"},
    {"query_id": "r", "doc_id": "a", "quote": "pink gray"},
]
PARENT = {"name": "parent", "size": 2, "overlap": 0, "parent_unit": "section", "parent_size": 50}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    data = helpers.tiny(tmp_path / "data", documents=DOCUMENTS, queries=QUERIES, gold=GOLD)
    metrics = {
        "name": "span",
        "measures": ["SpanR@1", "SpanP@1", "SpanR@7t", "Tokens@2", "R@2", "nDCG@2", "SpanPΩ", "ChromaR@1"],
    }
    return helpers.done(
        data, tmp_path / "outputs", strategy=PARENT, retrieval="bm25", metrics=metrics, top_k=2
    )


def test_windows_lie_in_their_sections() -> None:
    text = str(DOCUMENTS[0]["text"])
    found = Parent(size=2).pieces(Source("a", text), TOOLS)
    # `#` is a token: [# A] [red green] [red blue], and the same of B.
    assert [(text[p.start : p.end], p.heading, p.parent) for p in found] == [
        ("# A\n", "A", (0, 23)), ("red green ", "A", (0, 23)), ("red blue\n", "A", (0, 23)),
        ("# B\n", "B", (23, 47)), ("blue pink ", "B", (23, 47)), ("gray teal\n", "B", (23, 47)),
    ]  # fmt: skip


def test_parents_of_paragraphs_and_windows() -> None:
    text = "one two\n\nthree\n\nfour five six\n\nseven"
    by_paragraph = Parent(size=2, parent_unit="paragraph", parent_size=3)
    found = by_paragraph.pieces(Source("d", text), TOOLS)
    assert [text[slice(*p.parent)] for p in found if p.parent] == [
        "one two\n\nthree", "one two\n\nthree", "four five six", "four five six", "seven",
    ]  # fmt: skip
    windows = Parent(size=2, overlap=1, parent_unit="window", parent_size=3).pieces(Source("d", text), TOOLS)
    assert [(text[p.start : p.end].split(), text[slice(*p.parent or (0, 0))].split()) for p in windows] == [
        (["one", "two"], ["one", "two", "three"]),
        (["two", "three"], ["one", "two", "three"]),
        (["four", "five"], ["four", "five", "six"]),
        (["five", "six"], ["four", "five", "six"]),
        (["seven"], ["seven"]),
    ]


def test_a_parent_that_is_too_long_is_cut() -> None:
    text = "# A\none two three. four five six."
    found = Parent(size=2, parent_size=6).pieces(Source("d", text), TOOLS)
    assert list(dict.fromkeys(p.parent for p in found)) == [(0, 19), (19, 33)]
    assert {p.heading for p in found} == {"A"}


def test_a01_a_window_that_never_advances_is_refused() -> None:
    with pytest.raises(RequestError, match="size 4, overlap 4"):
        registry.parse("strategy", {**PARENT, "size": 4, "overlap": 4})


def test_a_parent_is_a_hit_once_and_ranks_have_no_gap(run: Run) -> None:
    """Three windows of two tokens hold `red`: document order decides, and the first two are A's."""
    frame = run.table("candidates").filter(pl.col("query_id") == "q")
    assert frame.select("chunk_id", "fused_rank", "final_rank", "drop_stage", "drop_value").rows() == [
        ("a#0001", 1, 1, None, None),
        ("b#0000", 3, 2, None, None),
        ("a#0002", 2, None, "parent", 1.0),
    ]
    stage = next(s for s in run.meta["stages"] if s["stage"] == "parent")
    assert (stage["rows_in"], stage["rows_out"], stage["dropped"]) == (4, 3, 1)


def test_context_and_tree_hold_the_parent_and_its_tokens(run: Run) -> None:
    text = str(DOCUMENTS[0]["text"])
    (trace,) = query_traces(run, ["q"])
    first = trace.expansion_tree[0].hit
    assert (first.chunk_id, first.start, first.end, first.tokens) == ("a#0001", 0, 23, 6)
    assert first.text == text[:23]
    assert [(m.chunk_id, m.tokens) for m in trace.retrieved_chunks] == [("a#0001", 6), ("b#0000", 6)]
    assert run.table("context")["tokens"].to_list()[:2] == [6, 6]


def test_measures_are_of_parents(run: Run) -> None:
    found = {(r["query_id"], r["measure"]): r["value"] for r in run.table("measures").to_dicts()}
    # Gold of q is `green red`, 9 code points of the 23 of its parent; of r `pink gray`, 9 of 24.
    assert found["q", "SpanR@1"] == 1
    assert found["q", "SpanP@1"] == pytest.approx(9 / 23)
    assert found["q", "SpanPΩ"] == pytest.approx(9 / 23)
    assert found["q", "ChromaR@1"] == 1
    assert found["q", "SpanR@7t"] == 1
    assert found["q", "Tokens@2"] == 6 + 6
    # The gold lies in two windows and one parent: finding that parent is all there is to find.
    assert found["q", "R@2"] == found["r", "R@2"] == found["q", "nDCG@2"] == 1
    assert found["r", "SpanP@1"] == pytest.approx(9 / 24)


def test_what_is_searched_stays_the_window(run: Run) -> None:
    chunks = pl.read_parquet(run.outputs / "store" / "chunks" / run.meta["keys"]["chunks"] / "chunks.parquet")
    own = chunks.filter(pl.col("chunk_id") == "a#0001").select("start", "end", "tokens", "parent_tokens")
    assert own.row(0) == (4, 14, 2, 6)
    assert parents.units(chunks).to_list() == [0, 0, 0, 3, 3, 3, 6, 6, 6]


def test_a_run_without_parents_has_no_trace_of_them(tmp_path: Path) -> None:
    run = helpers.done(helpers.tiny(tmp_path / "data"), tmp_path / "outputs")
    assert "parent" not in {s["stage"] for s in run.meta["stages"]}
    assert not any("parent" in c for c in run.chunks.columns)
