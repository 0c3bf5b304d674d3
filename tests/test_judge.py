"""The judge: one table of all families, means over all judged queries, counts and notes."""

from __future__ import annotations

from dataclasses import replace
from math import log2, sqrt

import polars as pl
import pytest
from metrics.cases import case, documents

from runner.errors import ComponentError, DataError
from runner.judge import judge
from runner.metrics.contract import Judged, table
from runner.metrics.span import Span

CHUNKS = [("a", 0, 10, 4), ("a", 10, 20, 6), ("b", 0, 10, 5)]


def _spans() -> Judged:
    """q0 finds half its gold, q1 finds nothing, q2 has no positive judgment, q3 finds a hole, then all."""
    gold = [(0, "a", 5, 15, 1), (1, "b", 0, 5, 1), (2, "a", 0, 5, 0), (3, "b", 2, 4, 1)]
    return case(CHUNKS, {0: [0], 2: [0, 1], 3: [1, 2]}, gold, 4, (0, 1), top_k=2)


def test_values_of_all_families_in_the_order_asked() -> None:
    got = judge(["nDCG@10", "SpanR@5+", "ChromaP", "SpanR@5"], _spans())
    assert got.values.rows() == [
        (0, "nDCG@10", pytest.approx(1 / (1 + 1 / log2(3)))),
        (0, "SpanR@5+", 10 / 10),
        (0, "ChromaP", 5 / 10),
        (0, "SpanR@5", 5 / 10),
        *((1, m, 0.0) for m in ("nDCG@10", "SpanR@5+", "ChromaP", "SpanR@5")),
        (3, "nDCG@10", pytest.approx(1 / log2(3))),
        (3, "SpanR@5+", 1.0),
        (3, "ChromaP", 2 / 20),
        (3, "SpanR@5", 1.0),
    ]
    assert got.values.schema == {"query": pl.UInt32, "measure": pl.String, "value": pl.Float64}


def test_means_are_over_all_judged_queries_and_stds_are_of_the_population() -> None:
    got = judge(["SpanR@5", "Tokens@5"], _spans())
    mean = (0.5 + 0 + 1) / 3
    std = sqrt(((0.5 - mean) ** 2 + mean**2 + (1 - mean) ** 2) / 3)
    assert got.summary[0] == {"measure": "SpanR@5", "mean": mean, "std": pytest.approx(std), "n": 3}
    assert (got.summary[1]["mean"], got.summary[1]["n"]) == ((4 + 0 + 11) / 3, 3)


def test_a44_mean_is_half_with_n_two() -> None:
    got = judge(["nDCG@10", "R@10", "RR@10", "AP@10"], documents({0: "a"}, {0: {"a": 1}, 1: {"b": 1}}, 2))
    assert [(s["mean"], s["n"]) for s in got.summary] == [(0.5, 2)] * 4


def test_counts() -> None:
    got = judge(["SpanR@5"], _spans())
    assert (got.n_queries, got.excluded, got.unanswered) == (3, 1, 1)
    assert (got.hits, got.holes, got.repeats) == (3, 1, 0)  # q0: a0; q3: a1 (a hole), b0
    assert got.unit == "chunk"


def test_documents_collapse_and_repeats_are_counted() -> None:
    gold = [(0, "a", None, None, 1), (1, "a", None, None, 1), (1, "b", None, None, 0)]
    got = judge(["RR@10", "Tokens@5"], case(CHUNKS, {0: [2, 1, 0], 1: [1, 0, 2]}, gold, 2))
    assert got.unit == "document (MaxP)"
    assert [s["mean"] for s in got.summary] == [(1 / 2 + 1) / 2, 15.0]
    assert (got.hits, got.holes, got.repeats) == (6, 1, 2)  # b is a hole for q0 and judged 0 for q1
    assert got.notes == [
        "rank measures: the unit is the document (MaxP), each at its best chunk's rank; "
        "2 further hits on the same document left out"
    ]


def test_what_needs_spans_is_left_out_with_a_note_for_documents() -> None:
    got = judge(["SpanR@5", "RR@10", "ChromaR"], documents({0: "a"}, {0: {"a": 1}}, 1))
    assert [s["measure"] for s in got.summary] == ["RR@10"]
    assert got.values["measure"].to_list() == ["RR@10"]
    assert "SpanR@5 needs span judgments; the data set has document judgments: left out" in got.notes
    assert "ChromaR needs span judgments; the data set has document judgments: left out" in got.notes


def test_nothing_applies() -> None:
    got = judge(["SpanR@5"], documents({0: "a"}, {0: {"a": 1}}, 1))
    assert (got.values.height, got.summary, len(got.notes)) == (0, [], 1)


def test_a_cutoff_deeper_than_the_run_is_noted() -> None:
    got = judge(["nDCG@10", "SpanR@2", "SpanR@3+", "AP", "SpanR@1500t"], _spans())
    assert got.notes[:2] == ["nDCG@10 sees at most top_k = 2 hits", "SpanR@3+ sees at most top_k = 2 hits"]
    assert got.notes[2:] == [
        "rank measures: the unit is the chunk, relevant where it shares text with a gold span; "
        "compare within one chunking only"
    ]
    assert judge(["SpanR@3"], replace(_spans(), top_k=None)).notes == []


def test_no_query_is_judged() -> None:
    for gold in ([], [(0, "a", 0, 5, 0)]):
        got = judge(["SpanR@5", "nDCG@10", "ChromaPΩ"], case(CHUNKS, {0: [0]}, gold, 2))
        assert (got.values.height, got.summary, got.n_queries, got.excluded) == (0, [], 0, 2)
        assert (got.hits, got.holes) == (0, 0)
        assert got.notes[0] == "no query has a positive judgment: there is nothing to measure"


def test_mixed_judgments_are_refused() -> None:
    mixed = case(CHUNKS, {0: [0]}, [(0, "a", 0, 5, 1), (0, "b", None, None, 1)], 1)
    with pytest.raises(DataError, match="some are spans and some whole documents"):
        judge(["SpanR@5"], mixed)


def test_an_unknown_measure_is_refused() -> None:
    with pytest.raises(ValueError, match="no family of measures knows 'Nope@5'"):
        judge(["Nope@5"], _spans())


@pytest.mark.parametrize("broken", ["a query is missing", "a query is twice", "NaN", "null"])
def test_a_family_that_breaks_its_contract_is_named(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def values(self: Span, measures: list, judged: Judged) -> pl.DataFrame:
        frame = table(judged, {m.text: pl.Series([0.0] * judged.n_queries).to_numpy() for m in measures})
        return {
            "a query is missing": frame.head(2),
            "a query is twice": pl.concat([frame.head(2), frame.head(1)]),
            "NaN": frame.with_columns(value=pl.lit(float("nan"))),
            "null": frame.with_columns(value=pl.lit(None, pl.Float64)),
        }[broken]

    monkeypatch.setattr(Span, "values", values)
    with pytest.raises(ComponentError, match=r"metrics\.span: expected one finite value for each of 3"):
        judge(["SpanR@5"], _spans())
