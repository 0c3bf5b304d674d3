"""XQuAD: 48 Wikipedia articles, 240 paragraphs and 1,190 questions, the same in every language."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from runner.dataset import _read as read
from runner.dataset.contract import locate
from runner.dataset.squad import Squad


class Xquad(Squad):
    """Whole articles with answer spans by default; `squad` says which fields give MTEB's XQuADRetrieval."""

    name: Literal["xquad"] = "xquad"  # type: ignore[assignment]
    path: str = "xquad"
    """The folder of the files `xquad.<language>.json`."""
    language: Literal["en", "de", "es", "ru", "zh"] = "en"

    def sources(self) -> list[Path]:
        """The file of the language."""
        return [read.one_of(read.is_folder(locate(self.path)), [f"xquad.{self.language}.json"])]
