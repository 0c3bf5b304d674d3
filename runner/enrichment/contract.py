"""What an enrichment provider gets (chunks, documents, a graph) and gives: headers of some of the chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import polars as pl

from runner.config import Component
from runner.kg.contract import Graph
from runner.tokenizer.contract import Tokens


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered, and what the service counted for it."""

    text: str
    model: str
    """As the service calls itself."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    """Tokens sent and answered, as the service bills them; 0 where it does not say."""


@runtime_checkable
class Answers(Protocol):
    """What a model answered before, by key; kept for good, so that nothing is asked twice."""

    def known(self, keys: Sequence[str]) -> Mapping[str, Answer]:
        """The answers there are for `keys`."""
        ...

    def keep(self, answers: Mapping[str, Answer]) -> None:
        """Keep these answers, just given, at once."""
        ...


@dataclass(frozen=True, slots=True)
class Material:
    """What a provider may read."""

    documents: pl.DataFrame
    """Columns of `records.Document`."""
    chunks: pl.DataFrame
    """`chunk` (row number from 0), then the columns of `records.Chunk` that the strategy gives."""
    texts: Sequence[str]
    """The text of every chunk, by row number."""
    tokens: Tokens
    """The run's tokenizer: budgets are counted in its tokens."""
    graph: Graph | None = None
    """There for a provider that `reads_graph`."""
    situating: pl.DataFrame | None = None
    """Situating texts that the data set brings, columns of `records.SituatingText`; None: it brings none."""
    answers: Answers | None = None
    """There for a provider that `asks` a model."""


class Enrichment(Component):
    """A component of the group `enrichment`; `none` is off: no header, no file, no other byte changes."""

    off: ClassVar[bool] = False
    reads_graph: ClassVar[bool] = False
    """It needs the knowledge graph that the choice of `kg` gives."""
    reads_situating: ClassVar[bool] = False
    """It needs the situating texts that the data set brings."""
    asks: ClassVar[bool] = False
    """It asks a model of a service, perhaps for money; what it says is not deterministic."""
    needs: ClassVar[str] = "anything to say"
    """What a chunk must have to get a header, for the warning where no chunk has it."""

    def identity(self) -> dict[str, Any]:
        """What decides a header beside the fields and the material, as JSON; in the key."""
        return {}

    def prices(self) -> tuple[float | None, float | None]:
        """Money for a million tokens asked, and answered, by one that `asks`; None: not known."""
        return None, None

    def notes(self) -> list[str]:
        """What a reader of the results must know of this choice."""
        return []

    def headers(self, material: Material) -> pl.DataFrame:
        """One row per chunk that gets a header: `chunk` (row number), and columns of `records.ContextHeader`.

        Columns may be left out; lists are lists. `capped_node_ids`, beside them, lists the entities of the
        chunk of which not all relations fitted. Deterministic, whatever the order of any rows.
        """
        raise NotImplementedError


def line(columns: Sequence[str]) -> pl.Expr:
    """The one line that a header becomes: `sentence | entity, entity | triple; triple`.

    What is empty, or no column of the frame, is left out with its separator; line breaks and control
    characters become blanks.
    """
    parts = {
        "situating_sentence": pl.col("situating_sentence"),
        "entities": pl.col("entities").list.join(", "),
        "neighbor_triples": pl.col("neighbor_triples").list.join("; "),
    }
    said = [pl.when(p.str.len_bytes() > 0).then(p) for column, p in parts.items() if column in columns]
    joined = pl.concat_str([pl.lit(None, pl.String), *said], separator=" | ", ignore_nulls=True)
    return joined.str.replace_all(r"[\p{Cc}\p{Zl}\p{Zp}\s]+", " ").str.strip_chars()
