"""What may not stand in the sources: paths of one machine, loose ends, assert statements for users."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from house.source import CONF, ROOT, RUNNER, TESTS, python_files, shown, tree

SUFFIXES = {".py", ".yaml", ".yml", ".md", ".toml", ".html", ".j2", ".css", ".js", ".jsonl"}
FOLDERS = [RUNNER, CONF, TESTS, ROOT / "docs"]
TEXTS = sorted(
    p
    for p in [*ROOT.glob("*.md"), ROOT / "pyproject.toml", *(q for d in FOLDERS for q in d.rglob("*"))]
    if p.suffix in SUFFIXES and p.is_file() and p != Path(__file__)
)
MACHINE = re.compile(
    r"(?<![\w.$~}])/(?:home|root|Users|work|opt|mnt)/\w|[A-Z]:\\\\?Users\\|\bgit@|\blocalhost:\d"
)
LOOSE = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b|^(?:<<<<<<<|>>>>>>>)", re.MULTILINE)


@pytest.mark.parametrize("pattern", [MACHINE, LOOSE], ids=["machine paths", "loose ends"])
def test_no_text_holds(pattern: re.Pattern[str]) -> None:
    found = []
    for path in TEXTS:
        text = path.read_text("utf-8")
        found += [
            f"{shown(path)}:{text[: m.start()].count(chr(10)) + 1}: {m[0]}" for m in pattern.finditer(text)
        ]
    assert not found, "\n".join(found)


def test_no_assert_for_users() -> None:
    """`python -O` drops them, and a person is owed a sentence."""
    found = [
        f"{shown(path)}:{node.lineno}"
        for path in python_files(RUNNER)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Assert)
    ]
    assert not found, f"raise an error of runner/errors.py instead: {', '.join(found)}"


def test_errors_are_ours_or_pythons_for_a_caller() -> None:
    """No `raise Exception(...)`, which nobody can catch by what it means, and no bare `except:`."""
    for path in python_files(RUNNER):
        for node in ast.walk(tree(path)):
            if (
                isinstance(node, ast.Raise)
                and isinstance(node.exc, ast.Call)
                and isinstance(node.exc.func, ast.Name)
            ):
                assert node.exc.func.id not in {"Exception", "BaseException"}, f"{shown(path)}:{node.lineno}"
            if isinstance(node, ast.ExceptHandler):
                assert node.type is not None, f"{shown(path)}:{node.lineno}: bare except"
