"""The pages for people are true: errors.md quotes the sources, the examples work, links lead on."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import helpers
import polars as pl
import pytest
from house.source import ROOT, RUNNER, TESTS, python_files, tree
from plugged import process, runs, written

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
    made = set(examples())
    named = set(re.findall(r"`((?:runner|tests|conf|docs)/[\w./-]+)`", text)) - made
    assert [n for n in sorted(named) if not (ROOT / n).exists()] == []
    table = re.findall(r"^\| L\d [^|]*\|([^|]*)\|", text, re.MULTILINE)
    files = {n.rstrip("/") for row in table for n in re.findall(r"`([\w/]+)`", row)}
    assert [n for n in sorted(files) if not ((RUNNER / n).exists() or (RUNNER / f"{n}.py").exists())] == []


SHOWN = {"strategy", "fusion", "reranker", "embedding", "enrichment", "metrics"}
"""The groups that CONTRIBUTING.md has an example of."""


def examples() -> dict[str, str]:
    """The files that CONTRIBUTING.md shows whole, by path."""
    return dict(EXAMPLE.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8")))


def chosen() -> dict[str, str]:
    """The example of each group, by name."""
    paths = [Path(p) for p in examples() if p.endswith(".py")]
    return {p.parent.name: p.stem for p in paths if p.parent.name in SHOWN}


def test_an_example_of_every_kind_has_under_30_lines() -> None:
    made = examples()
    assert set(chosen()) == SHOWN
    for group, name in chosen().items():
        assert made[f"mine/{group}/{name}.py"].count("\n") < 30
        assert f"name: {name}\n" in made[f"mine/{group}/{name}.yaml"]


@pytest.fixture
def at(tmp_path: Path) -> Path:
    """A folder with the tiny data set, and in `mine` the examples of CONTRIBUTING.md."""
    helpers.tiny(tmp_path / "data")
    return written(tmp_path, examples())


def test_the_examples_work(at: Path) -> None:
    """All in one run, as plugins.

    Trigrams of q1 (`finch magpie`): birds#0000 has fin, inc, nch, `ch `, birds#0001 mag, agp, gpi, pie. First
    hits: q1 birds (gold), q2 metals (gold), q3 birds (no trigram anywhere; gold trees), q5 metals#0001 with 7
    trigrams before birds#0000 with 6 (gold birds).
    """
    done = process(at, *(f"{g}={n}" for g, n in chosen().items()), RUNNER_PLUGINS="mine")
    assert done.returncode == 0, done.stdout + done.stderr
    ((key, meta),) = runs(at).items()
    assert set(meta["identities"]["plugins"]) == {f"{g}.{n}" for g, n in chosen().items()}
    assert [m["mean"] for m in meta["measures"]] == [(1 + 1 + 0 + 0) / 4, (1 + 1 + 0 + 1) / 4]
    stages = {s["stage"]: s for s in meta["stages"]}
    assert stages["fusion"]["formula"] == "max(1/rank)/v1"
    assert stages["enrichment"]["chunks_enriched"] == 3  # the second halves
    found = pl.read_parquet(at / "outputs" / "runs" / key / "candidates.parquet")
    first = found.filter(pl.col("query_id") == "q1").sort("final_rank", nulls_last=True).head(2)
    assert first.select("chunk_id", "rerank_score").rows() == [("birds#0000", 4.0), ("birds#0001", 4.0)]


def test_the_test_of_an_example_passes(at: Path) -> None:
    assert "1 passed" in _pytest(at, "mine")


@pytest.mark.slow
def test_the_contract_suites_accept_the_examples(at: Path) -> None:
    """They find a plugin in the registry, as anything else; fusions are called by their formula there."""
    names = " or ".join([*chosen().values(), "max"])
    assert " passed" in _pytest(at, str(TESTS / "contracts"), "-k", names)


def _pytest(at: Path, *words: str) -> str:
    place = {**os.environ, "RUNNER_PLUGINS": str(at / "mine")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
        cwd=at, env=place, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
