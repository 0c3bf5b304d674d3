"""Set-ups: the distinct runs of an experiment, each with the cells that are it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runner.errors import StoreError
from runner.report import numbers
from runner.runs import Experiment, Run


@dataclass(frozen=True, slots=True)
class Setup:
    """A run and the cells that are it."""

    run: Run
    nums: tuple[int, ...]
    overrides: tuple[str, ...]
    """Of its first cell, as the table shows them."""
    texts: bool
    """Whether the store still has the texts of its chunks and its gold."""

    @property
    def label(self) -> str:
        """`cell 0`, or `cells 3, 4 and 5`."""
        return numbers.cells(self.nums)

    @property
    def expansion(self) -> tuple[int, int, bool]:
        """Chunks added before and after each hit, and whether the knobs apply at all."""
        badge = self.run.badge
        return badge.prev, badge.following, badge.applied

    @property
    def data(self) -> str:
        """The key of its data set: questions are compared within one."""
        return str(self.run.meta["keys"]["corpus"])

    @property
    def chunking(self) -> str:
        """The key of its chunks: a chunk id means a text within one."""
        return str(self.run.meta["keys"]["chunks"])


def shown(overrides: Sequence[str], axes: Mapping[str, object]) -> tuple[str, ...]:
    """The overrides that tell cells apart; all of them when no axis was declared."""
    return tuple(o for o in overrides if o.partition("=")[0] in axes) or tuple(overrides)


def setups(experiment: Experiment, *, texts: bool = True) -> tuple[list[Setup], dict[int, str]]:
    """The set-ups in the order of their first cells, and why a recorded run could not be read, by cell.

    Without `texts` nobody looks whether the store still has those of the chunks and the gold.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for cell in experiment.cells:
        if cell["run"] is not None:
            found.setdefault(cell["run"], []).append(cell)
    out: list[Setup] = []
    lost: dict[int, str] = {}
    for key, cells in found.items():
        nums = tuple(c["num"] for c in cells)
        try:
            run = Run(experiment.outputs, key)
        except StoreError:
            lost |= dict.fromkeys(nums, "its run folder is gone or damaged; the same sweep computes it again")
            continue
        overrides = shown(cells[0]["overrides"], experiment.body["axes"])
        out.append(Setup(run, nums, overrides, texts and _has_texts(run)))
    return out, lost


def _has_texts(run: Run) -> bool:
    try:
        return run.chunks.height >= 0 and run.judgments.height >= 0
    except StoreError:
        return False
