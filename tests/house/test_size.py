"""A file has one idea: its first line says it, and it has at most 250 lines."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from house.source import RUNNER, TESTS, python_files, shown, tree

CEILING = 250
FILES = python_files(RUNNER, TESTS)


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_a_file_is_short_and_says_what_it_is(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert len(lines) <= CEILING, f"{shown(path)} has {len(lines)} lines: cut it in two ideas"
    said = ast.get_docstring(tree(path))
    assert said, f"{shown(path)} has no docstring"
    assert lines[0].startswith('"""'), f"{shown(path)}: the docstring is not its first line"
    first = said.splitlines()[0]
    assert first.endswith((".", ":")) or "`" in first, (
        f"{shown(path)}: the first line is no sentence: {first}"
    )
