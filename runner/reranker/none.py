"""`none`: no reranker; the fused order is final and no column is written."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from runner.config import Component
from runner.errors import ComponentError
from runner.reranker.contract import Scorer


class NoReranker(Component):
    """Off."""

    off: ClassVar[bool] = True
    cached: ClassVar[bool] = False
    pool: ClassVar[int] = 0
    on_error: ClassVar[Literal["raise", "fallback"]] = "raise"
    name: Literal["none"] = "none"

    def identity(self) -> dict[str, Any]:
        """Nothing decides anything."""
        return {}

    def load(self, threads: int, device: str) -> Scorer:
        """Never asked; raises ComponentError."""
        raise ComponentError("reranker none scores nothing")
