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
    pack = gate.Pack.model_validate({"experiment": "e", "about": "a", "lines": [{"source": "s", **line}]})
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


def test_null_is_for_what_a_config_does_not_have() -> None:
    runs = [
        Recorded("b", {"retrieval": {"legs": {"bm25": {"k1": 1.5}}}}, 0.1),
        Recorded("h", {"retrieval": {"legs": {"bm25": {"k1": 1.2}, "vector": {}}}}, 0.2),
        Recorded("v", {"retrieval": {"legs": {"vector": {}}}}, 0.3),
    ]
    line = {"measure": "nDCG@10", "expected": 0.1, "tolerance": 0}
    assert _checked({**line, "cell": {"retrieval.legs.bm25": None}}, *runs).run == "v"
    assert _checked({**line, "cell": {"retrieval.legs.vector": None}}, *runs).run == "b"
    assert _checked({**line, "cell": {"retrieval.legs.bm25.k1": 1.2}}, *runs).run == "h"


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ({}, "the only one"),
        ({"strategy.name": "recursive", "strategy.size": 800}, "strategy=recursive size=800"),
        ({"retrieval.legs.bm25.k1": 1.2, "fusion.weights.vector": 0.5}, "bm25.k1=1.2 weights.vector=0.5"),
        ({"retrieval.legs.bm25": None}, "no bm25"),
    ],
)
def test_a_cell_in_words(cell: dict[str, Any], words: str) -> None:
    line = gate.Line(cell=cell, measure="nDCG@10", expected=0.5, tolerance=0, source="s")
    assert gate.cell(line) == words


def test_a_row_shows_counts_whole_and_figures_to_five_digits() -> None:
    run = Recorded("r", {}, 0.51)
    line = {"measure": "nDCG@10", "expected": 0.5, "tolerance": 0.01, "published": "50.0"}
    figures = ["OK", "the only one", "nDCG@10", "50.0", "0.50000", "0.51000", "+0.01000", "2.0", "s"]
    assert gate.row(_checked(line, run)) == figures
    counted = gate.row(_checked({"measure": "chunks", "expected": 1007, "tolerance": 0}, run))
    assert counted[3:8] == ["–", "1,007", "7", "-1000", "2.0"]
    assert gate.row(_checked(line))[5:8] == ["not run", "–", "–"]


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
    with pytest.raises(RequestError, match="did you mean 'published_beir'"):
        gate.load_pack("published_bier", CONF / "expected")
    (tmp_path / "p.yaml").write_text(
        yaml.safe_dump({"experiment": "e", "about": "a", "lines": [{"measur": "x"}]}), "utf-8"
    )
    with pytest.raises(RequestError, match="measur: no such option"):
        gate.load_pack("p", tmp_path)
