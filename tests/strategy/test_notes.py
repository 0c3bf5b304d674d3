"""`notes`: rows, their types, numbers and paths, and what is a row and what is not."""

from __future__ import annotations

import pytest
from tokenizer import toys

from runner.strategy.contract import Source, Tools
from runner.strategy.notes import Notes

TOOLS = Tools(toys.words())
NOTE = """---
title: Coffee
---
# Coffee

How to brew it.

## Observations
- [method] Pour over gives clarity #brewing (own trials)
- [tip] Grind right before
  brewing, not earlier

More prose here.

## Relations
- relates_to [[Tea]]
- part_of [[Morning]] (daily)
- [[Water]]
"""


def _rows(text: str, **settings: object) -> list[tuple[int | None, str | None, str | None, str]]:
    found = Notes.model_validate(settings).pieces(Source("n", text), TOOLS)
    return [(p.row, p.row_type, p.heading, text[p.start : p.end]) for p in found]


def test_a_note_becomes_rows() -> None:
    assert _rows(NOTE) == [
        (0, "entity", "", "---\ntitle: Coffee\n---\n"),
        (0, "entity", "Coffee", "# Coffee\n\nHow to brew it.\n\n"),
        (1, "observation", "Coffee > Observations",
         "## Observations\n- [method] Pour over gives clarity #brewing (own trials)\n"),
        (2, "observation", "Coffee > Observations",
         "- [tip] Grind right before\n  brewing, not earlier\n\n"),
        (0, "entity", "Coffee > Observations", "More prose here.\n\n"),
        (3, "relation", "Coffee > Relations", "## Relations\n- relates_to [[Tea]]\n"),
        (4, "relation", "Coffee > Relations", "- part_of [[Morning]] (daily)\n"),
        (5, "relation", "Coffee > Relations", "- [[Water]]\n"),
    ]  # fmt: skip


def test_the_rows_of_a_note_tile_it() -> None:
    assert "".join(t for *_, t in _rows(NOTE)) == NOTE


def test_the_entity_may_hold_the_whole_note() -> None:
    found = _rows(NOTE, entity="whole")
    prose = [t for row, *_, t in found if row == 0]
    assert "".join(prose) == NOTE
    assert [(row, kind) for row, kind, *_ in found if row] == [
        (1, "observation"), (2, "observation"), (3, "relation"), (4, "relation"), (5, "relation"),
    ]  # fmt: skip
    # A note of one row is one piece, and that row.
    assert _rows("- [a] b", entity="whole") == [(1, "observation", "", "- [a] b")]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("- [fact] x", "observation"),
        ("* [long category] x #a #b (c)", "observation"),
        ("  - [fact] nested", "observation"),
        ("- [fact] about [[A]]", "observation"),
        ("- depends on [[A B]]", "relation"),
        ("- [[A]] (why)", "relation"),
        ("- [ ] to do", "entity"),
        ("- [x] done", "entity"),
        ("- [-] left", "entity"),
        ("- [text](link)", "entity"),
        ("- [fact]", "entity"),
        ("- plain", "entity"),
        ("- see [[A]] and then more", "entity"),
        ("text [[A]]", "entity"),
        ("[fact] x", "entity"),
        ("    ```\n- [fact] x\n    ```", "entity"),
        ("```\n- [fact] x\n```", "entity"),
    ],
)
def test_what_is_a_row(line: str, kind: str) -> None:
    assert {k for _, k, _, _ in _rows(line)} == {kind}


def test_equal_rows_have_their_own_places_and_numbers() -> None:
    assert [(r, t) for r, _, _, t in _rows("- [a] b\r\n- [a] b\r\n")] == [
        (1, "- [a] b\r\n"), (2, "- [a] b\r\n"),
    ]  # fmt: skip


def test_long_prose_and_long_rows_are_cut() -> None:
    prose = "One two three. " * 10
    text = f"# H\n{prose}\n- [a] {prose}"
    found = _rows(text, size=60)
    assert all(len(t) <= 60 for *_, t in found)
    assert {r for r, k, _, _ in found if k == "observation"} == {1}
    assert "".join(t for *_, t in found) == text
