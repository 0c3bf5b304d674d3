"""The pieces of a page: inert text, marks, cuts, numbers and columns."""

from __future__ import annotations

import pytest

from runner.report import glossary, numbers, prose


def test_hidden_characters_are_chips() -> None:
    def chip(code: str) -> str:
        return f'<span class="cp">U+{code}</span>'

    text = prose.data("a\u202eb\x00\ud800")
    assert str(text) == f"<bdi>a{chip('202E')}b{chip('0000')}{chip('D800')}</bdi>"
    assert str(prose.data("a\nb")) == f"<bdi>a{chip('000A')}b</bdi>"
    assert str(prose.passage("a\r\n\tb", [])) == "<bdi>a\n\tb</bdi>"


def test_a_long_text_is_cut_with_its_marks_and_the_rest_is_counted() -> None:
    assert str(prose.passage("0123456789", [(2, 4), (8, 10)], 9)) == (
        '<bdi>01<mark>23</mark>4567<mark>8</mark></bdi><span class="cut">[… 1 more characters]</span>'
    )
    assert "[… 998,000 more characters]" in prose.data("x" * 1_000_000)


def test_an_excerpt_is_taken_around_the_gold() -> None:
    text = "word " * 100
    found = prose.excerpt(text, [(300, 304)], 100)
    assert found.startswith("[…] <bdi>word")
    assert "<mark>word</mark>" in found
    assert found.endswith(" […]")
    assert str(prose.excerpt("short", [(0, 5)], 100)) == "<bdi><mark>short</mark></bdi>"


def test_spans_are_merged_and_cut_to_a_chunk() -> None:
    assert prose.union([(5, 7), (0, 2), (2, 3)]) == [(0, 3), (5, 7)]
    assert prose.inside([(0, 3), (5, 7)], 2, 6) == [(0, 1), (3, 4)]


@pytest.mark.parametrize(
    ("measure", "value", "text"),
    [
        ("nDCG@10", 0.7919, "0.792"),
        ("nDCG@10", -0.0001, "0.000"),
        ("SpanR@5", -0.25, "−0.250"),
        ("Yield@5+", 0.00034, "0.0003"),
        ("Tokens@5", 2291.4, "2,291"),
        ("Tokens@5", 38.54, "38.5"),
        ("Tokens@5", 0.0, "0"),
    ],
)
def test_a_measure_has_one_form(measure: str, value: float, text: str) -> None:
    assert numbers.measured(measure, value) == text


def test_other_numbers_have_one_form() -> None:
    assert [numbers.score(s) for s in (1.1167, 0.03279, -4.5)] == ["1.117", "0.0328", "−4.500"]
    assert [numbers.duration(s) for s in (9e-6, 0.0142, 0.142, 12.4, 200)] == [
        "< 0.1 ms",
        "14.2 ms",
        "142 ms",
        "12.4 s",
        "3 min 20 s",
    ]
    assert numbers.day("2026-11-30T10:00:00+00:00") == "30 Nov 2026"
    assert [numbers.cells(n) for n in ([0], [3, 4, 5])] == ["cell 0", "cells 3, 4 and 5"]


def test_columns_stand_in_groups_tokens_first() -> None:
    names = ["SpanR@5", "SpanP@5", "SpanR@5+", "nDCG@10", "SpanR@1500t", "Tokens@5+"]
    groups = [[c.measure for c in g.columns] for g in glossary.grouped(names)]
    assert groups == [["Tokens@5+"], ["SpanR@5", "SpanR@5+", "SpanR@1500t"], ["SpanP@5"], ["nDCG@10"]]
    assert glossary.telling(names) == "SpanR@5+"
    assert glossary.telling(["nDCG@10", "RR@10"]) == "nDCG@10"
    assert glossary.telling([]) is None
    assert glossary.telling(["Tokens@5", "nDCG@10"]) == "nDCG@10"
    span = ["SpanR@5", "SpanR@5+", "SpanR@1500t", "Tokens@5", "Tokens@5+", "SpanP@5", "SpanP@5+", "nDCG@10"]
    assert [c.measure for c in glossary.five(span)] == [
        "SpanR@5", "SpanR@5+", "SpanP@5+", "Tokens@5+", "nDCG@10"
    ]  # fmt: skip
    assert [c.measure for c in glossary.five(["nDCG@10", "RR@10"])] == ["nDCG@10", "RR@10"]
    assert glossary.column("SpanP@5+").shown(0.0812) == "8.1%"
    assert glossary.column("Tokens@5+").shown(1466.6) == "1,467"
    assert glossary.column("nDCG@10").shown(0.6354) == "0.635"
    says = glossary.column("SpanR@1500t").says
    assert says == "share of the gold text that is in the context filled in rank order up to 1,500 tokens"
    assert glossary.column("Odd(rel=2)@3").says == "as ir-measures defines it, on the first 3 hits"
