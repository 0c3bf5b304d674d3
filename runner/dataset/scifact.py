"""SciFact in BEIR form, test split: 5,183 abstracts, 300 claims, 339 document judgments."""

from __future__ import annotations

from typing import Literal

from runner.dataset.beir import Beir


class Scifact(Beir):
    """Its figures are published widely, so it is the yardstick for retrieval here."""

    name: Literal["scifact"] = "scifact"  # type: ignore[assignment]
    path: str = "scifact/beir"
