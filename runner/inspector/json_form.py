"""The JSON form: the records through pydantic, and the schema that is published of them."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from runner.inspector.chunk_records import ChunksView
from runner.inspector.query_records import DiffView, QueryView
from runner.inspector.records import NeighborsView

View = ChunksView | QueryView | NeighborsView | DiffView


@cache
def adapter() -> TypeAdapter[View]:
    """Any view, told apart by `view`."""
    return TypeAdapter(Annotated[View, Field(discriminator="view")])


def value(view: View) -> Any:
    """A view as a JSON value."""
    return adapter().dump_python(view, mode="json")


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of all views."""
    made = adapter().json_schema(mode="serialization")
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "runner inspect --json"}
    return head | made
