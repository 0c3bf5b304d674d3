"""Importing and asking for help load nothing heavy, and each heavy library lives in one place."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from house.source import RUNNER, modules, outside_imports, python_files, shown, tree

HEAVY = ["hydra", "mlflow", "omegaconf", "polars", "sentence_transformers", "torch", "transformers"]
HOMES = {
    "hydra": ("compose.py",),
    "omegaconf": ("compose.py",),
    "mlflow": ("tracking",),
    "jinja2": ("report/",),
    "rich": ("inspector/forms.py",),
    "ir_measures": ("metrics/",),
    "bm25s": ("retrieval/",),
    "Stemmer": ("retrieval/",),
    "usearch": ("retrieval/",),
    "torch": ("embedding/", "reranker/", "late_interaction.py"),
    "transformers": ("embedding/", "reranker/", "late_interaction.py"),
    "sentence_transformers": ("embedding/", "reranker/", "late_interaction.py"),
    "huggingface_hub": ("model_files.py",),
    "onnxruntime": ("embedding/", "reranker/"),
    "tokenizers": ("tokenizer/", "embedding/", "reranker/"),
    "chonkie": ("strategy/library.py",),
    "langchain_text_splitters": ("strategy/library.py",),
    "semantic_text_splitter": ("strategy/library.py",),
    "spacy": ("kg/_spacy.py",),
    "pyarrow": ("export/",),
}
"""Where a library may be imported: beginnings of paths under runner/."""

LATE = {"mlflow", "torch", "transformers", "sentence_transformers", "huggingface_hub", "bm25s", "rich",
        "Stemmer", "usearch", "onnxruntime", "spacy", "chonkie", "langchain_text_splitters",
        "semantic_text_splitter", "pyarrow"}  # fmt: skip
"""Imported inside the function that uses them, so that a run that does not need them never pays for them."""


@pytest.mark.parametrize(
    "code",
    [
        "import runner",
        "from runner.cli import main; main(['--help'])",
        "from runner.cli import main; main(['ls'])",
    ],
)
def test_nothing_heavy_is_loaded(code: str, tmp_path: Path) -> None:
    allowed = {"polars"} if "ls" in code else set()
    script = (
        f"import sys, json\n{code}\nprint(json.dumps(sorted({{m.partition('.')[0] for m in sys.modules}})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert not loaded & set(HEAVY) - allowed


def test_help_appears_at_once(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """Measured and shown, not asserted: a loaded machine would make it fail for nothing."""
    before, start = os.times(), time.perf_counter()
    command = [sys.executable, "-m", "runner", "--help"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    after, wall = os.times(), time.perf_counter() - start
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    record_property("help_cpu_seconds", round(cpu, 3))
    print(f"help: {cpu:.2f} s of CPU, {wall:.2f} s on the wall")  # noqa: T201 - shown with pytest -s
    assert "neighbor_prev" in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("library", HOMES)
def test_a_library_has_one_home(library: str) -> None:
    for path in python_files(RUNNER):
        if library in outside_imports(path):
            place = path.relative_to(RUNNER).as_posix()
            assert place.startswith(HOMES[library]), f"{shown(path)} imports {library}: {HOMES[library]} only"


def test_heavy_libraries_are_imported_late() -> None:
    for path in python_files(RUNNER):
        early = LATE & outside_imports(path, top_level_only=True)
        assert not early, f"{shown(path)} imports {early} when it is imported: do it where it is used"


def test_only_the_command_line_prints() -> None:
    for name, path in modules(RUNNER).items():
        calls = [n for n in ast.walk(tree(path)) if isinstance(n, ast.Call)]
        prints = [c.lineno for c in calls if isinstance(c.func, ast.Name) and c.func.id == "print"]
        assert not prints or name == "runner.cli", f"{shown(path)}:{prints[0]} prints: log it, or raise"
