"""The published JSON Schema is generated from the records, so that a change of shape is seen here."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from house.source import ROOT

from runner.inspector.json_form import schema
from runner.inspector.query_records import QueryView

PUBLISHED = ROOT / "docs" / "inspector.schema.json"


def test_the_published_schema_is_that_of_the_records() -> None:
    """To publish a change of shape, write `json.dumps(schema(), indent=1)` and a line break to the file."""
    assert PUBLISHED.read_text("utf-8") == json.dumps(schema(), indent=1) + "\n"


def test_every_view_is_in_it_and_every_field_is_named() -> None:
    made = schema()
    names = {ref["$ref"].rpartition("/")[2] for ref in made["oneOf"]}
    assert names == {"ChunksView", "QueryView", "NeighborsView", "DiffView"}
    query: dict[str, Any] = made["$defs"]["QueryView"]
    assert set(query["properties"]) == {f.name for f in dataclasses.fields(QueryView)}
    assert set(query["required"]) == set(query["properties"])
