"""The gate against expected packs: verdicts by tolerance, cells by config, missing cells fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from house.source import CONF

from runner import gate
from runner.errors import RequestError

PACKS = gate.packs(CONF / "expected")


class Recorded:
    """As much of a run as the gate reads."""

    def __init__(self, key: str, config: dict[str, Any], mean: float) -> None:
        self.key = self.short = key
        self.config = config
        self.measures = [{"measure": "nDCG@10", "mean": mean, "std": 0.5, "n": 3}]
        self.meta = {"seconds": {"retrieval": 1.5, "measures": 0.5}, "chunking": {"chunks": 7}}


def _checked(line: dict[str, Any], *runs: Recorded) -> gate.Checked:
    pack = gate.Pack.model_validate({"experiment": "e", "lines": [{"source": "s", **line}]})
    (found,) = gate.check_pack(pack, runs)  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize(
    ("mean", "verdict"),
    [
        (0.5, "OK"),
        (0.51, "OK"),
        (0.49, "OK"),
        (0.511, "close"),
        (0.52, "close"),
        (0.521, "FAIL"),
        (0.4, "FAIL"),
    ],
)
def test_within_the_tolerance_within_twice_of_it_or_neither(mean: float, verdict: str) -> None:
    found = _checked({"measure": "nDCG@10", "expected": 0.5, "tolerance": 0.01}, Recorded("r", {}, mean))
    assert (found.verdict, found.run, found.seconds) == (verdict, "r", 2.0)
    assert found.difference == mean - 0.5


def test_a_cell_is_told_by_its_config() -> None:
    runs = [Recorded("a", {"strategy": {"size": 1}}, 0.1), Recorded("b", {"strategy": {"size": 2}}, 0.2)]
    line = {"measure": "nDCG@10", "expected": 0.2, "tolerance": 0, "cell": {"strategy.size": 2}}
    assert (_checked(line, *runs).run, _checked(line, *runs).verdict) == ("b", "OK")
    missing = _checked({**line, "cell": {"strategy.size": 3}}, *runs)
    assert (missing.run, missing.found, missing.verdict) == (None, None, "FAIL")
    with pytest.raises(RequestError, match=r"means several runs \(a, b\)"):
        _checked({**line, "cell": {}}, *runs)


def test_chunks_and_measures_a_run_does_not_have() -> None:
    run = Recorded("r", {}, 0.1)
    assert _checked({"measure": "chunks", "expected": 7, "tolerance": 0}, run).verdict == "OK"
    assert _checked({"measure": "R@5", "expected": 0.1, "tolerance": 1}, run).verdict == "FAIL"


@pytest.mark.parametrize("name", PACKS)
def test_a_pack_is_of_an_experiment_there_is(name: str) -> None:
    pack = gate.load_pack(name, CONF / "expected")
    assert (CONF / "experiment" / f"{pack.experiment}.yaml").is_file()
    assert all(line.source for line in pack.lines)


def test_a_pack_there_is_not_and_one_that_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="did you mean 'scifact_bm25'"):
        gate.load_pack("scifact_bm2", CONF / "expected")
    (tmp_path / "p.yaml").write_text(yaml.safe_dump({"experiment": "e", "lines": [{"measur": "x"}]}), "utf-8")
    with pytest.raises(RequestError, match="measur: no such option"):
        gate.load_pack("p", tmp_path)
