"""What plugins cannot do: run because a config says so, take the name or the measure of another component."""

from __future__ import annotations

from pathlib import Path

import helpers
import pytest
from command import Line
from plugged import HALVES, PLAIN, plugged, refused, written

from runner import registry
from runner.errors import RequestError

EVIL = "from pathlib import Path\nPath('ran').touch()\n"


@pytest.mark.parametrize(
    "words",
    [
        ["strategy.name=evil"],
        ["strategy.name=mine/strategy/evil.py"],
        ["strategy.name=../../mine/strategy/evil"],
        ["strategy=mine/strategy/evil"],
        ["+strategy._target_=evil.Evil"],
        ["+strategy._target_=runpy.run_path"],
        ["+strategy.plugins=mine"],
        ["+runtime.plugins=mine"],
        ["+plugins=mine"],
        ["+RUNNER_PLUGINS=mine"],
        ["+hydra.job.env_set.RUNNER_PLUGINS=mine", "strategy.name=evil"],
        ["strategy=evil", "--config-dir", "mine"],
        ["strategy=target", "--config-dir", "mine"],
        ["+experiment=evil", "--config-dir", "mine"],
        ["hydra.searchpath=[file://mine]", "strategy=evil"],
    ],
    ids=" ".join,
)
def test_no_config_runs_code(words: list[str], line: Line) -> None:
    """A file of settings that somebody shared lies beside their code, and reaches none of it."""
    shared = _shared(line)
    assert refused(line, *words).startswith("error: ")
    assert line.runs() == []
    assert not (line.at / "ran").exists()
    with plugged(shared):  # what a person names in the environment does run
        line(*PLAIN, "dataset.path=data", "strategy=evil", "--config-dir", "mine")
    assert (line.at / "ran").exists()


def _shared(line: Line) -> Path:
    experiment = "# @package _global_\n# x\ndefaults:\n  - override /strategy: evil\n"
    experiment += "hydra: {job: {env_set: {RUNNER_PLUGINS: mine}}}\n"
    target = "name: sentence\n_target_: evil.Evil\n"
    written(line.at, {"evil.py": EVIL})
    return written(line.at / "mine", {"strategy/evil.py": EVIL, "strategy/evil.yaml": "name: evil\n",
        "strategy/target.yaml": target, "experiment/evil.yaml": experiment})  # fmt: skip


def test_a_plugin_shadows_nothing(tmp_path: Path) -> None:
    first = written(tmp_path / "a", {"strategy/sentence.py": HALVES, "fusion/mine.py": ""})
    second = written(tmp_path / "b", {"fusion/mine.py": ""})
    with plugged(first):
        with pytest.raises(
            RequestError, match=r"'sentence' is both runner/strategy/sentence.py and .*a/strategy"
        ):
            registry.names("strategy")
        assert "mine" in registry.names("fusion")
    with (
        plugged(first, second),
        pytest.raises(RequestError, match=r"a/fusion/mine.py and .*b/fusion/mine.py"),
    ):
        registry.names("fusion")


def test_a_folder_must_be_one_of_plugins(tmp_path: Path) -> None:
    (tmp_path / "strategies").mkdir()
    with (
        plugged(tmp_path),
        pytest.raises(RequestError, match=r"holds no folder of a group .*reranker.*strategy"),
    ):
        registry.names("strategy")
    with plugged(tmp_path / "no"), pytest.raises(RequestError, match=r"RUNNER_PLUGINS: '.*/no' is no folder"):
        registry.names("fusion")


MEASURE = """from typing import Literal
import numpy as np
from runner.config import Component
from runner.metrics.contract import table

class Mine(Component):
    name: Literal["NAME"] = "NAME"
    def accepts(self, measure): return True
    def needs_spans(self, measure): return False
    def values(self, measures, judged):
        return table(judged, {m.text: np.ones(judged.n_queries) for m in measures})
"""


def test_a_plugin_measures_only_what_nobody_here_does(tmp_path: Path) -> None:
    data = helpers.tiny(tmp_path / "data")
    asked = {"metrics": {"name": "a", "measures": ["nDCG@3", "Own@3"]}}
    mine = written(tmp_path / "mine", {"metrics/a.py": MEASURE.replace("NAME", "a")})
    with plugged(mine):
        run = helpers.done(data, tmp_path / "out", **asked)
    found = {m["measure"]: m["mean"] for m in run.meta["measures"]}
    assert found["Own@3"] == 1
    assert found["nDCG@3"] < 1  # a built-in family is asked first: q3 is in no document
    assert set(run.meta["identities"]["plugins"]) == {"metrics.a"}
    written(mine, {"metrics/b.py": MEASURE.replace("NAME", "b"), "metrics/c.py": "x = ("})
    with plugged(mine):
        assert helpers.config(data)  # what is not asked for cannot spoil a run
        with pytest.raises(RequestError, match=r"c.py: cannot be loaded"):
            helpers.config(data, **asked)
    (mine / "metrics" / "c.py").unlink()
    with (
        plugged(mine),
        pytest.raises(RequestError, match="'Own@3': two families of measures compute it, a and b"),
    ):
        helpers.config(data, **asked)
    with pytest.raises(RequestError, match="no family of measures knows 'Own@3'"):
        helpers.config(data, **asked)
