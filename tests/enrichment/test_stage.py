"""The books of enrichment: what they refuse, the line, the roll-up, warnings and money."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from enrichment.graphs import material
from tokenizer.toys import words

from runner.enrichment.contract import line
from runner.enrichment.none import NoEnrichment
from runner.enrichment.situating import Situating
from runner.enrichment.stage import Remembered, checked, facts, money, warnings
from runner.enrichment.title import Title
from runner.errors import ComponentError

GIVEN = material([("d", 0, 5), ("d", 5, 9), ("e", 0, 5)])


def _checked(**columns: Any) -> pl.DataFrame:
    return checked(pl.DataFrame(columns), GIVEN, "mine")


def test_headers_are_sorted_named_and_counted() -> None:
    got = _checked(chunk=[2, 0], entities=[["Acme", "Beta"], ["Gamma"]], neighbor_triples=[["a —b→ c"], []])
    assert got.select("chunk", "chunk_id", "text", "tokens").rows() == [
        (0, "d#0000", "Gamma", 1),
        (2, "e#0000", "Acme, Beta | a —b→ c", 9),  # 3 + 1 + 5
    ]
    assert got["situating_sentence"].to_list() == [None, None]
    assert got["kg_node_ids"].to_list() == [[], []]


def test_the_line() -> None:
    frame = pl.DataFrame(
        {"situating_sentence": ["S.", "S.", None, "", " "], "entities": [["A", "B"], [], ["A"], None, []],
         "neighbor_triples": [["x", "y"], ["x"], [], [], None]}
    )  # fmt: skip
    assert frame.select(line(frame.columns)).to_series().to_list() == [
        "S. | A, B | x; y", "S. | x", "A", "", ""
    ]  # fmt: skip
    assert frame.select(line(["entities"])).to_series().to_list()[0] == "A, B"


def test_what_says_nothing_is_no_header() -> None:
    assert _checked(chunk=[0, 1], entities=[[], [" "]]).is_empty()
    assert checked(pl.DataFrame({"chunk": []}, schema={"chunk": pl.Int64}), GIVEN, "mine").is_empty()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"entities": [["A"]]}, r"enrichment mine: gave the columns \['entities'\]; known: chunk, entities"),
        ({"chunk": [0], "mood": ["gay"]}, "gave the columns"),
        ({"chunk": [0], "text": ["ours"]}, "gave the columns"),
        ({"chunk": [0, 0], "entities": [["A"], ["B"]]}, "two headers for one chunk"),
        ({"chunk": [3], "entities": [["A"]]}, "a header for a chunk that there is not"),
        ({"chunk": [-1], "entities": [["A"]]}, "a header for a chunk that there is not"),
        ({"chunk": [None], "entities": [["A"]]}, "a header for a chunk that there is not"),
        ({"chunk": ["first"], "entities": [["A"]]}, "a column of another type than its record has"),
        ({"chunk": [0], "entities": [[["A"]]]}, "a column of another type than its record has"),
    ],
)
def test_what_breaks_the_contract_is_refused(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(ComponentError, match=message):
        _checked(**columns)


def test_the_roll_up() -> None:
    """Three chunks, two with a header: of 1 and 9 tokens, with 3 and 1 neighbors; `x` is capped in both."""
    got = _checked(
        chunk=[0, 2], entities=[["Gamma"], ["Acme", "Beta"]], neighbor_triples=[[], ["a —b→ c"]],
        neighbor_node_ids=[["a", "b", "c"], ["a"]], capped_node_ids=[["x", "y"], ["x"]],
    )  # fmt: skip
    assert facts(got, 3) == {
        "chunks": 3, "chunks_enriched": 2, "avg_neighbors_per_chunk": (3 + 1) / 2, "hub_entities_capped": 2,
        "avg_header_tokens": (1 + 9) / 2,
    }  # fmt: skip
    assert facts(got.clear(), 3) == {
        "chunks": 3, "chunks_enriched": 0, "avg_neighbors_per_chunk": 0.0, "hub_entities_capped": 0,
        "avg_header_tokens": 0.0,
    }  # fmt: skip


def test_warnings() -> None:
    assert warnings(Title(), {"chunks": 3, "chunks_enriched": 1}) == []
    assert len(warnings(Title(), {"chunks": 3, "chunks_enriched": 0})) == 1
    (said,) = warnings(Situating(model="m"), {"chunks": 3, "chunks_enriched": 1})
    assert "documents were sent to api.openai.com" in said


def test_money() -> None:
    found = {
        "prompt_tokens": 100,
        "completion_tokens": 10,
        "prompt_tokens_billed": 50,
        "completion_tokens_billed": 5,
    }
    priced = Situating(
        model="m", price_per_million_prompt_tokens=3.0, price_per_million_completion_tokens=15.0
    )
    assert money(found, priced) == {"cost": (100 * 3 + 10 * 15) / 1e6, "cost_billed": (50 * 3 + 5 * 15) / 1e6}
    assert money(found, Situating(model="m", price_per_million_prompt_tokens=3.0)) == {}
    assert money({}, NoEnrichment()) == {}


def test_no_text_is_counted_twice() -> None:
    asked: list[str] = []

    class Counting:
        def offsets(self, text: str) -> Any:
            return words().offsets(text)

        def counts(self, texts: Any) -> Any:
            asked.extend(texts)
            return words().counts(texts)

    tokens = Remembered(Counting())
    assert tokens.counts(["a b", "c", "a b"]).tolist() == [2, 1, 2]
    assert tokens.counts(["c", "d e f"]).tolist() == [1, 3]
    assert asked == ["a b", "c", "d e f"]
    assert tokens.counts([]).tolist() == []
    assert tokens.offsets("a b").tolist() == [[0, 1], [2, 3]]
