"""`triples_only`: the relations of `kg_header` without the entities before them, to tell the two apart."""

from __future__ import annotations

from typing import ClassVar, Literal

import polars as pl

from runner.enrichment import _kg
from runner.enrichment.contract import Material


class TriplesOnly(_kg.GraphHeader):
    """`Acme —owns→ Gamma; Beta —in→ Delta`: the whole budget is theirs."""

    needs: ClassVar[str] = "an entity with relations (enrichment.min_entity_confidence, min_edge_confidence)"
    name: Literal["triples_only"] = "triples_only"

    def headers(self, material: Material) -> pl.DataFrame:
        """See `Enrichment`."""
        return _kg.header(material, self.caps(), entities=False)
