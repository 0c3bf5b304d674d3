"""`kg_header`: the entities of a chunk and their best relations in the knowledge graph, within a budget."""

from __future__ import annotations

from typing import ClassVar, Literal

import polars as pl

from runner.enrichment import _kg
from runner.enrichment.contract import Material


class KgHeader(_kg.GraphHeader):
    """`Acme, Beta | Acme —owns→ Gamma; Beta —in→ Delta`; see `_kg.header` for order, caps and budget."""

    needs: ClassVar[str] = "an entity of the graph, both sure enough (enrichment.min_entity_confidence)"
    name: Literal["kg_header"] = "kg_header"

    def headers(self, material: Material) -> pl.DataFrame:
        """See `Enrichment`."""
        return _kg.header(material, self.caps())
