"""The pages for people are true: errors.md quotes the sources, the worked example works, links lead on."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import helpers
import pytest
from command import FAST
from house.source import CONF, ROOT, RUNNER, python_files, tree

from runner import errors

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "docs" / "errors.md"]
ERRORS = (ROOT / "docs" / "errors.md").read_text("utf-8")
HOLE = "…"
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)[^)]*\)")
EXAMPLE = re.compile(r"^`([\w./]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def messages() -> list[str]:
    """What errors.md says is said: the code in the first column of its tables."""
    rows = [line for line in ERRORS.splitlines() if line.startswith("| `")]
    return [re.sub(r"^\| (`+) ?(.*?) ?\1 \|.*", r"\2", row) for row in rows]


def literals() -> list[str]:
    """Every text of the sources, with a hole where a value is put in."""
    out = []
    for path in python_files(RUNNER):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                out.append(re.sub("%[sd]", HOLE, node.value))  # as logging writes a hole
            elif isinstance(node, ast.JoinedStr):
                out.append("".join(v.value if isinstance(v, ast.Constant) else HOLE for v in node.values))
    return out


SAID = literals()


@pytest.mark.parametrize("message", messages())
def test_a_message_of_the_page_is_in_the_sources(message: str) -> None:
    parts = [re.escape(p) for p in message.split(HOLE)]
    pattern = re.compile(".*?".join(parts), re.DOTALL)
    assert len("".join(parts)) >= 8, "too little to find it by"
    assert any(pattern.search(text) for text in SAID), f"nothing in runner/ says: {message}"


def test_the_page_lists_the_exit_codes() -> None:
    said = [int(code) for code in re.findall(r"^\| (\d+) \|", ERRORS, re.MULTILINE)]
    named = [v for n, v in vars(errors).items() if n.startswith("EXIT_")]
    assert said == [*sorted(named), 130]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text("utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_files_that_contributing_names_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    made = {path for path, _ in EXAMPLE.findall(text)}
    named = set(re.findall(r"`((?:runner|tests|conf|docs)/[\w./-]+)`", text)) - made
    assert [n for n in sorted(named) if not (ROOT / n).exists()] == []
    table = re.findall(r"^\| L\d [^|]*\|([^|]*)\|", text, re.MULTILINE)
    files = {n.rstrip("/") for row in table for n in re.findall(r"`([\w/]+)`", row)}
    assert [n for n in sorted(files) if not ((RUNNER / n).exists() or (RUNNER / f"{n}.py").exists())] == []


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the project with the example of CONTRIBUTING.md added to it."""
    for folder in (RUNNER, CONF):
        shutil.copytree(folder, tmp_path / folder.name, ignore=shutil.ignore_patterns("__pycache__"))
    for name, body in EXAMPLE.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8")):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, "utf-8")
    return tmp_path


def test_the_worked_example_works(copy: Path) -> None:
    """One file, one YAML, one test, and no other file changes."""
    assert len(list(copy.glob("*/fusion/*highest*"))) == 3
    helpers.tiny(copy / "data")

    def python(*words: str) -> subprocess.CompletedProcess[str]:
        place = {**os.environ, "PYTHONPATH": str(copy), "PYTHONSAFEPATH": "1"}
        return subprocess.run(
            [sys.executable, *words], cwd=copy, env=place, capture_output=True, text=True, check=False
        )

    tested = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/fusion/test_highest.py")
    assert "1 passed" in tested.stdout, tested.stdout + tested.stderr
    ran = python("-m", "runner", *FAST, "dataset.path=data", "fusion=highest")
    assert ran.returncode == 0, ran.stderr
    assert "max(min_max)/v1" in next(copy.glob("outputs/runs/*/run.json")).read_text("utf-8")
    assert " highest " in python("-m", "runner", "--help").stdout
    assert "did you mean 'highest'?" in python("-m", "runner", "fusion=higest").stderr
