"""The packaged data set: a small guide to retrieval experiments, with questions, gold quotes and a graph."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from runner.dataset.native import Native


class Guide(Native):
    """The folder `guide` beside this module: it comes with the package and needs no data root."""

    name: Literal["guide"] = "guide"  # type: ignore[assignment]
    path: Literal["guide"] = "guide"
    """Fixed: the packaged folder."""

    def folder(self) -> Path:
        """The packaged folder."""
        return Path(__file__).parent / self.path
