"""`entities_only`: the entities of `kg_header` without their relations, to tell the two apart."""

from __future__ import annotations

from typing import ClassVar, Literal

import polars as pl
from pydantic import Field

from runner.enrichment import _kg
from runner.enrichment.contract import Enrichment, Material


class EntitiesOnly(Enrichment):
    """`Acme, Beta`: what a chunk says already, said once more."""

    reads_graph: ClassVar[bool] = True
    needs: ClassVar[str] = "an entity of the graph, both sure enough (enrichment.min_entity_confidence)"
    name: Literal["entities_only"] = "entities_only"
    min_entity_confidence: float = Field(0.5, ge=0, le=1)
    """Least confidence of a mention, and of the node it names."""
    max_header_tokens: int | None = Field(64, gt=0)
    """Tokens of a header, in the run's tokenizer; null: no limit."""

    def headers(self, material: Material) -> pl.DataFrame:
        """See `Enrichment`."""
        caps = _kg.Caps(self.min_entity_confidence, 1.0, 0, 0, self.max_header_tokens)
        return _kg.header(material, caps, triples=False)
