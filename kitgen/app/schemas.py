"""What `kitgen schema` does: find one of the JSON Schemas that kitgen ships."""

from __future__ import annotations

from msgspec import Struct

from kitgen.findings import near
from kitgen.findings.errors import UsageError
from kitgen.text import schema_check
from kitgen.text.yaml import JsonObject


class SchemaRequest(Struct, frozen=True, kw_only=True):
    """Which schema to find; the names alone when it is None."""

    name: str | None = None


class ShippedSchemas(Struct, frozen=True, kw_only=True):
    """The names of all schemas, and the one that was asked for."""

    names: tuple[str, ...]
    schema: JsonObject | None


def find_schema(request: SchemaRequest) -> ShippedSchemas:
    """Return a schema; a name that none has is wrong usage."""
    name, names = request.name, schema_check.names()
    if name is not None and name not in names:
        raise UsageError(
            f"no schema {name!r}", hint=near(name, list(names)) or f"known are {', '.join(names)}"
        )
    return ShippedSchemas(names=names, schema=None if name is None else schema_check.schema(name))
