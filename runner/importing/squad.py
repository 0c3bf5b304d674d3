"""Kind `squad`: one SQuAD-form file, read as `dataset=squad` does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from runner.dataset.contract import OnBad
from runner.importing.loaded import Loaded, through


@dataclass(frozen=True, slots=True)
class SquadFile:
    """A `.json` or `.json.gz` file."""

    source: Path
    layout: Literal["articles", "paragraphs"] = "articles"
    gold: Literal["spans", "documents"] = "spans"
    unique_questions: bool = False
    on_bad: OnBad = "error"

    def load(self) -> Loaded:
        """Read and check everything."""
        return through(
            "squad",
            self.source.absolute(),
            layout=self.layout,
            gold=self.gold,
            unique_questions=self.unique_questions,
            on_bad=self.on_bad,
        )
