"""`given`: the chunks that the data set brings along, as they are."""

from __future__ import annotations

from typing import ClassVar, Literal

from runner.config import Component
from runner.strategy.contract import Piece, Source, Tools


class Given(Component):
    """For data sets with ready-made chunks; what none of them covers is not searched.

    A document without chunks has no piece and is listed as such; where none has any, the run fails.
    """

    version: ClassVar[int] = 1
    windows: ClassVar[bool] = False
    lossy: ClassVar[bool] = True
    reads_vectors: ClassVar[bool] = False
    name: Literal["given"] = "given"

    def pieces(self, source: Source, tools: Tools) -> list[Piece]:
        """See `Strategy`."""
        return [Piece(start, end) for start, end in source.given]
