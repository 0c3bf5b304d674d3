"""2WikiMultihopQA in BEIR form: 6,119 passages, 101 questions that need two or four of them, judged so."""

from __future__ import annotations

from typing import Literal

from runner.dataset.beir import Beir


class Twowiki(Beir):
    """It brings no graph; `kg=extract` makes one from its passages."""

    name: Literal["twowiki"] = "twowiki"  # type: ignore[assignment]
    path: str = "twowiki/beir"
