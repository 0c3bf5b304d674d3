"""Text: shares that are shown add up."""

from __future__ import annotations

import random

import pytest

from runner.text import thousandths


@pytest.mark.parametrize(
    ("counts", "shares"),
    [
        ([1, 1, 1], [334, 333, 333]),  # 333.3 each: one thousandth is left over, for the first
        ([1, 2, 4], [143, 286, 571]),  # 142.86, 285.71, 571.43: the two largest remainders are rounded up
        ([0, 5], [0, 1000]),
        ([0, 0], [0, 0]),
        ([], []),
    ],
)
def test_thousandths_by_hand(counts: list[int], shares: list[int]) -> None:
    assert thousandths(counts) == shares


def test_thousandths_add_up_and_are_off_by_less_than_one() -> None:
    draw = random.Random(5)
    for _ in range(500):
        counts = [draw.randrange(draw.choice([1, 3, 2000])) for _ in range(draw.randint(1, 12))]
        shares, n = thousandths(counts), sum(counts)
        assert sum(shares) == (1000 if n else 0)
        assert all(abs(s * n - 1000 * c) < max(n, 1) for s, c in zip(shares, counts, strict=True))
