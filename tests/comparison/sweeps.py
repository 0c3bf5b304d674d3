"""A sweep over the tiny data set, as the command line runs it."""

from __future__ import annotations

from pathlib import Path

from runner import named
from runner.cli import main
from runner.runs import Experiment


def swept(at: Path) -> Experiment:
    """Two windows over the data in `at/data`, recorded in `at/out`."""
    words = ["dataset=native", f"dataset.path={at / 'data'}", "strategy.size=4", "tokenizer=words"]
    words += ["retrieval=bm25", "metrics=span", "metrics.measures=[SpanR@3,SpanR@3+]", "top_k=3"]
    words += [f"runtime.outputs={at / 'out'}", f"runtime.reports={at / 'reports'}", "tracking=off"]
    assert main(["-m", *words, "neighbor_next=0,1"]) == 0
    (key,) = named.experiment_keys(at / "out")
    return Experiment(at / "out", key)
