"""What a family of measures gets (rankings, contexts, gold) and gives (a value per query and measure)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import field_validator

from runner import registry
from runner.config import LARGEST, Component
from runner.order import Ranking


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure by name: `SpanR@5`, `SpanR@5+` (expanded context), `SpanR@1500t` (token budget)."""

    text: str
    name: str
    cutoff: int | None = None
    """The first so many hits; None: all."""
    budget: int | None = None
    """Context tokens, filled in rank order; None: no budget."""
    expanded: bool = False
    """Over the context with neighbors, not over the hits alone."""


_GRAMMAR = re.compile(r"([^\W\d_]\w*(?:\([^)]*\))?)(?:@([1-9]\d*)(t?)(\+?))?")


def parse_measure(text: str) -> Measure:
    """The measure that `text` names. Raises ValueError when it is not of the grammar."""
    found = _GRAMMAR.fullmatch(text)
    if not found:
        raise ValueError(f"'{text}' is no measure: write NAME, NAME@5, NAME@5+ or NAME@1500t")
    name, number, tokens, plus = found.groups()
    value = int(number) if number else None
    if value and value > LARGEST:
        raise ValueError(f"'{text}': {value} is above {LARGEST}")
    if tokens and plus:
        raise ValueError(f"'{text}': a token budget is over the expanded context already, leave the + out")
    return Measure(text, name, None if tokens else value, value if tokens else None, bool(plus or tokens))


@dataclass(frozen=True, slots=True)
class Judged:
    """What there is to judge, as frames. `query` and `chunk` are row numbers of `queries` and `chunks`."""

    n_queries: int
    ranking: Ranking
    """Hits in score order: `query, chunk, rank`."""
    expansion: pl.DataFrame
    """`query, hit_rank, offset, chunk, role`: the window of every hit, the hit itself at offset 0."""
    chunks: pl.DataFrame
    """`doc_id, start, end, tokens` (and more), one row per chunk, in document order."""
    judgments: pl.DataFrame
    """`query, doc_id, start, end, grade`; no start and end: of the whole document. grade >= 1: relevant."""
    doc_ids: Sequence[str]
    """All documents of the corpus."""
    top_k: int | None = None
    """How many hits the run kept; a measure with a deeper cutoff sees no more than these. None: not cut."""
    texts: Callable[[], Mapping[str, str]] = dict
    """The text of every document by id; read only where a measure asks for it."""

    @property
    def spans(self) -> bool:
        """Whether the judgments are of spans, not of whole documents."""
        return self.judgments["start"].null_count() < self.judgments.height

    def judged_queries(self) -> npt.NDArray[np.int64]:
        """The queries with a positive judgment, ascending: those and no others are in every mean."""
        relevant = self.judgments.filter(pl.col("grade") >= 1)
        return relevant["query"].unique().sort().cast(pl.Int64).to_numpy()


@runtime_checkable
class Family(Protocol):
    """A component of the group `metrics`: a family of measures that are computed together."""

    name: str
    version: ClassVar[int]

    def accepts(self, measure: Measure) -> bool:
        """Whether this family computes `measure`."""
        ...

    def needs_spans(self, measure: Measure) -> bool:
        """Whether `measure` (an accepted one) does not apply to judgments of whole documents."""
        ...

    def values(self, measures: Sequence[Measure], judged: Judged) -> pl.DataFrame:
        """`query, measure, value`: one row per judged query and measure, `table` makes it from arrays.

        A query without hits scores 0; a query without a positive judgment has no row.
        """
        ...


def table(judged: Judged, values: Mapping[str, npt.NDArray[np.float64]]) -> pl.DataFrame:
    """What `Family.values` gives, from one array of shape (n_queries,) per measure's text."""
    queries = judged.judged_queries()
    rows = pl.Series("query", queries, judged.judgments.schema["query"])
    some = [
        pl.DataFrame({"query": rows, "measure": pl.repeat(text, len(rows), dtype=pl.String, eager=True),
                      "value": value[queries]})
        for text, value in values.items()
    ]  # fmt: skip
    return pl.concat(some)


class Metrics(Component):
    """The choice of the group: which measures a run computes."""

    name: str
    measures: list[str]

    @field_validator("measures")
    @classmethod
    def _known(cls, value: list[str]) -> list[str]:
        if not value:
            raise ValueError("name at least one measure, for instance nDCG@10")
        if len(set(value)) != len(value):
            raise ValueError("a measure is named twice")
        for text in value:
            family_of(parse_measure(text))
        return value


def families(names: Sequence[str]) -> list[Family]:
    """The families of these names."""
    made = [registry.component_class("metrics", n)(name=n) for n in names]
    return [registry.as_contract(m, Family) for m in made]


def family_of(measure: Measure) -> Family:
    """The family that computes `measure`.

    Those built in are asked first: no plugin changes what `nDCG@10` means, and none that is broken spoils it.

    Raises:
        ValueError: none does, or two plugins do.
    """
    own, known = registry.built_in("metrics"), registry.names("metrics")
    for names in (own, [n for n in known if n not in own]):
        found = [f for f in families(names) if f.accepts(measure)]
        if len(found) > 1:
            both = " and ".join(f.name for f in found)
            raise ValueError(f"'{measure.text}': two families of measures compute it, {both}")
        if found:
            return found[0]
    raise ValueError(f"no family of measures knows '{measure.text}'")


GROUP = Metrics
