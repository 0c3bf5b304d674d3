"""`heading`: sections, their paths, what is no heading, and where a long section is cut."""

from __future__ import annotations

import time

import pytest
from tokenizer import toys

from runner.strategy.contract import Source, Tools
from runner.strategy.heading import Heading

TOOLS = Tools(toys.words())


def _cut(text: str, size: int = 900) -> list[tuple[str, int, int]]:
    return [(p.heading or "", p.start, p.end) for p in Heading(size=size).pieces(Source("d", text), TOOLS)]


def _texts(text: str, size: int) -> list[str]:
    return [text[s:e] for _, s, e in _cut(text, size)]


def test_a07_crlf_is_not_in_a_path() -> None:
    text = "line1\r\nline2\r\n# H\r\ntext"
    assert _cut(text) == [("", 0, 14), ("H", 14, 23)]
    assert text[19:23] == "text"


def test_a11_a_hash_in_a_fence_is_no_heading() -> None:
    assert _cut("# A\n```\n# not a heading\n```\n## B\nx") == [("A", 0, 28), ("A > B", 28, 34)]


def test_a12_what_stands_before_the_first_heading_is_kept() -> None:
    assert _cut("intro line\n\n# A\nbody") == [("", 0, 12), ("A", 12, 20)]
    assert _cut("no headings at all") == [("", 0, 18)]


@pytest.mark.parametrize(
    "code",
    [
        "~~~\n# x\n~~~\n",
        "````\n```\n# x\n```\n````\n",
        "   ```sh\n# x\n   ```\n",
        "- item\n\n      ```\n# x\n      ```\n",
        "1. ```\n  # x\n   ```\n",
        "```\n# x\n",
        "~~~ `info`\n# x\n~~~\n",
        "    # x\n",
        "\t# x\n",
        "<!--\n# x\n\n# y -->\n",
        "<pre>\n\n# x\n</pre>\n",
        "#x is no heading\n",
        "####### x\n",
        "> # x\n",
        "- item\nlazy\n---\n",
        "> quote\n---\n",
        "| a |\n---\n",
        "***\n---\n",
    ],
)
def test_what_is_no_heading(code: str) -> None:
    text = "# A\n\n" + code
    assert _cut(text) == [("A", 0, len(text))]


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("## B ##\n", "B"),
        ("  ##   B\t\n", "B"),
        ("## C#\n", "C#"),
        ("## `# x`\n", "`# x`"),
        ("B\n---\n", "B"),
        ("two\r\n lines\r\n--\r\n", "two lines"),
        ("B\n-\n", "B"),
    ],
)
def test_what_is_a_heading_of_the_second_level(head: str, title: str) -> None:
    text = f"A\n===\nx\n\n{head}y"
    assert _cut(text) == [("A", 0, 9), (f"A > {title}", 9, len(text))]


def test_front_matter_is_no_heading_and_stays() -> None:
    text = "---\ntitle: T\n---\n# A\nx"
    assert _cut(text) == [("", 0, 17), ("A", 17, len(text))]


def test_paths_forget_what_is_not_above() -> None:
    text = "# A\na\n### B\nb\n## C\nc\n# D\nd\n"
    assert [p for p, *_ in _cut(text)] == ["A", "A > B", "A > C", "D"]


def test_a_bare_heading_opens_the_section_below_it() -> None:
    assert _cut("# A\n\n## B\nx\n## C\n") == [("A > B", 0, 12), ("A > C", 12, 17)]
    assert [p for p, *_ in _cut("# A\n# B\nx")] == ["A", "B"]


def test_a_long_section_is_cut_between_blocks() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    items = "- one\n- two\n\n  more of two\n- three\n\n"
    code = "```\nx\n\ny\n```\n\n"
    text = "# A\n\nSome words here.\n\n" + table + items + code + "The end."
    want = ["# A\n\nSome words here.\n\n", table, items, code + "The end."]
    assert _texts(text, 42) == want


def test_a_block_that_does_not_fit_is_cut_at_lines_or_sentences() -> None:
    rows = "".join(f"| {i} | x |\n" for i in range(6))
    assert _texts(rows, 20) == [rows[i : i + 20] for i in range(0, 60, 20)]
    assert _texts("One two. Three four. Five six seven eight nine.", 21) == [
        "One two. Three four. ", "Five six seven eight ", "nine.",
    ]  # fmt: skip
    assert _texts("x" * 10, 4) == ["xx", "xxx", "xx", "xxx"]


def test_pieces_tile_and_keep_to_the_size() -> None:
    for text in toys.nasty_texts(seed=3):
        for size in (1, 5, 40):
            found = _cut(text, size)
            kept = "".join(text[s:e] for _, s, e in found)
            assert "".join(kept.split()) == "".join(text.split())
            assert all(e - s <= size for _, s, e in found)


@pytest.mark.parametrize("line", ["- ```\n", "```\n~~~\n", "# a\n", "- a\n\n", "<!--\n", "a\n-\n", "a\n"])
def test_no_rule_takes_long(line: str) -> None:
    started = time.perf_counter()
    _cut(line * 20_000)
    assert time.perf_counter() - started < 10  # 0.3 s where it was written
