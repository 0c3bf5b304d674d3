"""The badge in its four forms: on, off, muted with its reason, range."""

from __future__ import annotations

from runner.report.badge import Setting, Shown, badges


def fixed(prev: int, following: int) -> Setting:
    return Setting(prev, following, applied=True, strategy="fixed_size")


def muted(prev: int, following: int, strategy: str = "sentence") -> Setting:
    return Setting(prev, following, applied=False, strategy=strategy)


def test_on_and_off() -> None:
    assert badges([fixed(1, 1)]) == [Shown("on", "±1/1", "neighbor_prev 1 · neighbor_next 1", "", 2)]
    assert badges([fixed(0, 0)]) == [Shown("off", "±0/0", "neighbor_prev 0 · neighbor_next 0", "", 0)]


def test_muted_says_why_in_the_tooltip_and_to_readers_of_the_screen() -> None:
    (found,) = badges([muted(1, 2)])
    assert (found.form, found.text, found.most) == ("muted", "±1/2", 0)
    assert found.tooltip == "neighbor_prev 1 · neighbor_next 2 · not applied: fixed_size was not in this run"
    assert found.label == "Neighbors ±1/2, not applied"


def test_one_badge_per_value_up_to_three() -> None:
    found = badges([fixed(1, 1), muted(1, 1), fixed(0, 0), fixed(0, 2), fixed(1, 1)])
    assert [(b.form, b.text) for b in found] == [("off", "±0/0"), ("on", "±0/2"), ("on", "±1/1")]
    assert found[2].tooltip == "neighbor_prev 1 · neighbor_next 1 · not applied to sentence"
    assert badges([fixed(0, 0), muted(0, 0)])[0].tooltip == "neighbor_prev 0 · neighbor_next 0"


def test_from_four_values_on_a_range() -> None:
    grid = [fixed(p, n) for p in (0, 1, 2) for n in (0, 1, 2)]
    (found,) = badges([*grid, muted(2, 2), muted(0, 0, "heading")])
    assert (found.form, found.text, found.most) == ("range", "±0/0 … ±2/2", 4)
    assert found.tooltip == (
        "neighbor_prev 0, 1, 2 · neighbor_next 0, 1, 2 · 9 values; not applied to heading, sentence"
    )
    (all_muted,) = badges([muted(p, 0) for p in range(4)])
    assert (all_muted.form, all_muted.most) == ("muted", 0)
    assert all_muted.tooltip.endswith("4 values; not applied: fixed_size was not in these runs")
    assert badges([]) == []
