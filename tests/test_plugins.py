"""Plugins: a component from outside is found, run and recorded; what is wrong with one is said."""

from __future__ import annotations

import os
from pathlib import Path

import helpers
import polars as pl
import pytest
from command import Line
from plugged import HALVES, PLAIN, YAML, plugged, process, refused, runs, written

from runner import pipeline, plugins, registry
from runner.errors import ComponentError, RequestError

CUT = {
    ("birds", 0, 39),
    ("birds", 39, 78),
    ("metals", 0, 26),
    ("metals", 26, 60),
    ("trees", 0, 12),
    ("trees", 12, 25),
}
"""Halves of the tiny documents: `magpie` is word 7 of 12, `titanium` 5 of 8, `willow` 3 of 4."""


def _chunks(at: Path, key: str) -> set[tuple[str, int, int]]:
    frame = pl.read_parquet(at / "outputs" / "store" / "chunks" / key / "chunks.parquet")
    return set(frame.select("doc_id", "start", "end").iter_rows())


@pytest.fixture
def at(tmp_path: Path) -> Path:
    helpers.tiny(tmp_path / "data")
    written(tmp_path / "mine", {"strategy/halves.yaml": YAML})
    return tmp_path


def test_a_strategy_from_a_folder(at: Path) -> None:
    """From outside: its chunks, its origin in the record, and another key for another byte of its file."""
    mine = written(at / "mine", {"strategy/halves.py": HALVES})
    done = process(at, "strategy=halves", RUNNER_PLUGINS="mine")
    assert done.returncode == 0, done.stderr
    ((first, meta),) = runs(at).items()
    assert _chunks(at, meta["keys"]["chunks"]) == CUT
    assert list(meta["identities"]["plugins"]) == ["strategy.halves"]
    origin = meta["identities"]["plugins"]["strategy.halves"]
    assert origin == {
        "digest": plugins.keys.file_digest(mine / "strategy" / "halves.py"),
        "file": "halves.py",
    }
    assert str(at) not in (at / "outputs" / "runs" / first / "run.json").read_text("utf-8")

    written(mine, {"strategy/halves.py": HALVES.replace("a document", "A document")})
    assert process(at, "strategy=halves", RUNNER_PLUGINS="mine").returncode == 0
    (second,) = set(runs(at)) - {first}
    assert runs(at)[second]["keys"]["chunks"] != meta["keys"]["chunks"]
    assert _chunks(at, runs(at)[second]["keys"]["chunks"]) == CUT

    written(mine, {"strategy/halves.py": HALVES})
    assert "1 found finished" in process(at, "strategy=halves", RUNNER_PLUGINS="mine").stdout

    refused = process(at, "strategy=halves")
    assert refused.returncode == 2
    assert "strategy: there is no 'halves'" in refused.stderr
    assert not list(mine.rglob("__pycache__")), "nothing is written beside a person's files"


def test_a_strategy_from_an_installed_package(at: Path) -> None:
    """An entry point names the module; the digest is of the whole package, whose helpers decide too."""
    body = HALVES.replace("self.share", "(self.share - LESS)")
    body = body.replace("\n\nclass", "from cutters._less import LESS\n\n\nclass")
    less = {"cutters/__init__.py": "", "cutters/_less.py": "LESS = 0.0\n"}
    site = written(at / "site", {"cutters/halves.py": body, **less})
    info = site / "my_cutters-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-cutters\nVersion: 1.2\n", "utf-8")
    (info / "entry_points.txt").write_text("[runner.strategy]\nhalves = cutters.halves\n", "utf-8")
    done = process(at, "strategy=halves", PYTHONPATH=str(site))
    assert done.returncode == 0, done.stderr
    ((first, meta),) = runs(at).items()
    assert _chunks(at, meta["keys"]["chunks"]) == CUT
    origin = meta["identities"]["plugins"]["strategy.halves"]
    assert (origin["distribution"], origin["module"]) == ("my-cutters 1.2", "cutters.halves")

    written(site, {"cutters/_less.py": "LESS = 0.25\n"})
    assert process(at, "strategy=halves", PYTHONPATH=str(site)).returncode == 0
    (second,) = set(runs(at)) - {first}
    chunks = _chunks(at, runs(at)[second]["keys"]["chunks"])
    assert {c for c in chunks if c[0] == "trees"} == {("trees", 0, 6), ("trees", 6, 25)}  # `birch`, 2nd of 4


@pytest.mark.slow
def test_workers_of_a_launcher_see_the_plugins(at: Path) -> None:
    written(at / "mine", {"strategy/halves.py": HALVES})
    words = ("-m", "hydra/launcher=joblib", "hydra.launcher.n_jobs=2", "strategy=halves")
    done = process(at, *words, "strategy.share=0.5,0.25", RUNNER_PLUGINS=str(at / "mine"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 cells run" in done.stdout


def test_names_are_known_without_a_look_inside(tmp_path: Path) -> None:
    mine = written(
        tmp_path, {f"{n}.py": "class (" for n in ("strategy/broken", "strategy/_helper", "notes/x")}
    )
    with plugged(mine, mine):  # twice the same is once
        assert "broken" in registry.names("strategy")
        assert "_helper" not in registry.names("strategy")
        assert set(registry.names("strategy")) - {"broken"} == set(registry.built_in("strategy"))
        assert registry.names("notes") == ()


PREFIX = "from typing import Literal\nfrom runner.config import Component\n"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("x = (\n", r"SyntaxError: '\(' was never closed \(bad.py, line 1\)"),
        ("\n\nx = 1 / 0\n", r"bad.py, line 3: cannot be loaded: ZeroDivisionError: division by zero"),
        ("from . import _other\n", "bad.py, line 1: cannot be loaded: ImportError: attempted relative"),
        ("import sys\nsys.exit(0)\n", "bad.py, line 2: cannot be loaded: SystemExit: 0"),
        (PREFIX, "bad.py must define exactly one Component, it defines 0"),
        (PREFIX + "class A(Component): ...\nclass B(Component): ...\n", "one Component, it defines 2"),
        (PREFIX + "class A(Component): ...\n", r'bad.py: A must say `name: Literal\["bad"\] = "bad"`'),
        (PREFIX + 'class A(Component):\n    name: Literal["b"] = "b"\n', r'say `name: Literal\["bad"\]'),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_plugin_is_said_by_its_file(body: str, said: str, tmp_path: Path) -> None:
    with (
        plugged(written(tmp_path, {"strategy/bad.py": body})),
        pytest.raises(RequestError, match=said) as caught,
    ):
        registry.component_class("strategy", "bad")
    assert str(tmp_path / "strategy" / "bad.py") in str(caught.value)


def test_a_plugin_that_lacks_what_its_contract_asks_for(line: Line) -> None:
    body = PREFIX + 'class A(Component):\n    name: Literal["bad"] = "bad"\n    windows: bool = False\n'
    mine = written(
        line.at / "mine", {"strategy/bad.py": body, "strategy/bad.yaml": "name: bad\nwindows: false\n"}
    )
    lacks = r"bad.py does not fulfil Strategy: it lacks lossy, reads_vectors, pieces"
    with plugged(mine):
        with pytest.raises(ComponentError, match=lacks):
            pipeline.parts(helpers.config(line.at / "data", strategy={"name": "bad"}))
        said = line(*PLAIN, "dataset.path=data", "-m", "strategy=bad,document", "--config-dir", "mine")
    assert said.code == 1
    assert [c["status"] for c in line.cells()] == ["failed", "finished"]  # alone


def test_help_and_suggestions_know_plugins(line: Line) -> None:
    mine = written(line.at / "mine", {"strategy/halves.py": HALVES})
    with plugged(mine):
        assert " halves " in line("--help").out
        assert "did you mean 'halves'?" in refused(line, "strategy=halvs")
        said = refused(line, "strategy=halves")
        assert "halves.py has no YAML; write strategy/halves.yaml" in said
        written(mine, {"strategy/halves.yaml": YAML})
        assert "did you mean 'share'?" in refused(
            line, "strategy=halves", "strategy.shar=1", "--config-dir", "mine"
        )
    assert " halves " not in line("--help").out


def test_a_run_whose_plugin_is_not_here_cannot_be_verified_and_says_so(line: Line) -> None:
    mine = written(line.at / "mine", {"strategy/halves.py": HALVES, "strategy/halves.yaml": YAML})
    with plugged(mine):
        said = line(*PLAIN, "dataset.path=data", "strategy=halves", "--config-dir", "mine")
        assert said.code == 0, said.err
        assert line("verify", "latest").code == 0
    said = line("verify", "latest")
    assert said.code == 2
    assert "used the plugin strategy.halves (digest " in said.err
    assert "file halves.py), which is not here" in said.err


def test_no_older_bytecode_is_run(tmp_path: Path) -> None:
    """Python tells files apart by size and whole second; the digest is of the bytes that are run."""
    mine = written(tmp_path, {"strategy/halves.py": HALVES})
    shares = []
    for share in ("0.5", "0.4"):
        written(mine, {"strategy/halves.py": HALVES.replace("0.5", share)})
        os.utime(mine / "strategy" / "halves.py", (1, 1))
        with plugged(mine):
            shares.append(registry.component_class("strategy", "halves").model_fields["share"].default)
    assert shares == [0.5, 0.4]
