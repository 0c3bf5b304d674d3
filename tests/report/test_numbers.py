"""Number formats: each kind has one form, and page script and Python write the same digits."""

from __future__ import annotations

import json
import random

import pytest
from report.javascript import evaluate

from runner.report import numbers

NBSP = "\u00a0"
HARD = [0.0, -0.0, 0.0005, 0.00049, -0.0004, 0.0625, 0.1875, -0.3125, 0.5, 1.5, 2.5, 0.05, 1234.5, 1235.5,
        1e6, -1307.6, 999.9996, 0.9995, 1e-9, 0.25, 0.125, 0.375, 66.25, 66.75]  # fmt: skip
"""Exact halves among them: Python rounds those to even, a browser's toFixed up."""


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0123, 3, "+0.012"),
        (-0.014, 3, "−0.014"),
        (0.0, 3, "0.000"),
        (0.0004, 3, "0.000"),
        (-0.0004, 3, "0.000"),
        (1307.6, 0, "+1,308"),
        (-0.2, 0, "0"),
    ],
)
def test_a_difference_has_its_sign_unless_it_is_zero(value: float, digits: int, text: str) -> None:
    assert numbers.signed(value, digits) == text


def test_a_difference_has_the_digits_of_its_measure() -> None:
    assert numbers.difference("SpanR@5+", 0.11) == "+0.110"
    assert numbers.difference("Tokens@5+", 1308.2) == "+1,308"
    assert numbers.difference("Tokens@5+", -4.25) == "−4.2"
    assert numbers.difference("Yield@5+", 0.00034) == "+0.0003"


def test_intervals_shares_and_points() -> None:
    assert numbers.interval(-0.014, 0.039) == "−0.014 to +0.039"
    assert numbers.interval(0.0001, 0.039) == "0.000 to +0.039"
    assert numbers.share(0.7919) == "79.2%"
    assert [numbers.points(v) for v in (0.11, -0.0568, 0.0004)] == ["+11.0", "−5.7", "0.0"]
    assert numbers.points_interval(-0.0144, 0.0391) == "−1.4 to +3.9"
    assert [numbers.level(v) for v in (0.95, 0.9875, 1 - 0.05 / 3, 0.999, 0.99975)] == [
        "95%",
        "98.8%",
        "98.3%",
        "99.9%",
        "99.98%",
    ]


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (1 / 65536, f"<{NBSP}0.001"),
        (0.00099, f"<{NBSP}0.001"),
        (0.001, f"={NBSP}0.001"),
        (0.0341, f"={NBSP}0.034"),
        (0.0996, f"={NBSP}0.100"),
        (0.1, f"={NBSP}0.10"),
        (0.512, f"={NBSP}0.51"),
        (1.0, f"={NBSP}1.00"),
    ],
)
def test_p_is_never_zero(p: float, text: str) -> None:
    assert numbers.p_value(p) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (6, "about 6"),
        (37, "about 37"),
        (100, "about 100"),
        (2893, "about 2,900"),
        (995, "about 1,000"),
        (70107, "about 70,000"),
        (None, "–"),
    ],
)
def test_questions_needed_have_two_digits(number: int | None, text: str) -> None:
    assert numbers.about(number) == text


def test_times() -> None:
    assert [numbers.milliseconds(v) for v in (14.2, 99.94, 142.4, 9999.0, 12_400.0)] == [
        "14.2",
        "99.9",
        "142",
        "9,999",
        "12.4 s",
    ]


def test_an_interval_has_the_digits_of_its_estimate() -> None:
    assert numbers.ends("Tokens@5", 205.1, 152.742, 262.483) == "+153 to +262"
    assert numbers.ends("Tokens@5", 20.5, 9.96, 31.0) == "+10.0 to +31.0"
    assert numbers.ends("Yield@5+", 0.0003, 0.00001, 0.00062) == "0.0000 to +0.0006"
    assert numbers.ends("SpanR@5", 0.012, -0.0144, 0.0391) == "\u22120.014 to +0.039"
    assert numbers.ends("SpanR@5", 0.012, None, None) == "\u2013"


def test_the_script_writes_the_same_numbers() -> None:
    rng = random.Random(6)
    values = [
        *HARD,
        *(rng.uniform(-2, 2) for _ in range(200)),
        *(rng.uniform(-5000, 5000) for _ in range(100)),
    ]
    digits = [0, 1, 2, 3, 4]
    told = json.dumps(values)
    assert evaluate(f"{told}.map(v => {digits}.map(d => signed(v, d)))") == [
        [numbers.signed(v, d) for d in digits] for v in values
    ]
    small = [v for v in values if abs(v) < 999]
    assert evaluate(f"{json.dumps(small)}.map(v => plain(v, 3))") == [
        numbers.measured("RR", v) for v in small
    ]
    ps = [1 / 65536, 0.00099, 0.001, 0.0341, 0.0996, 0.1, 0.125, 0.512, 1.0]
    assert evaluate(f"{json.dumps(ps)}.map(pValue)") == [numbers.p_value(p) for p in ps]
    counts = [*range(1, 130), 995, 1005, 1045, 1050, 1150, 2893, 70107, 9_949_999, 9_950_000, 10_000_000]
    assert evaluate(f"{json.dumps(counts)}.map(about)") == [numbers.about(n) for n in counts]
    assert evaluate("[about(null), interval(-0.014, 0.039, 3)]") == ["–", "−0.014 to +0.039"]
