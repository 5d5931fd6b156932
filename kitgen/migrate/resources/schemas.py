"""Schemas of CRDs, as far as they decide which fields a server keeps and which it sets itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from kitgen.findings import Path, Problem, near, problem
from kitgen.text.wording import cut
from kitgen.text.yaml import Json, JsonObject

KEEPS = "x-kubernetes-preserve-unknown-fields"
EMBEDDED = "x-kubernetes-embedded-resource"
GIVEN = ("apiVersion", "kind", "metadata")
"""What every object has; whatever its schema says, they are not for it to drop."""
OPEN: JsonObject = {KEEPS: True}


class MoveSchemas(Struct, frozen=True):
    """The schema of a kind before and after a move; None where no CRD is known."""

    before: JsonObject | None = None
    after: JsonObject | None = None


def is_known(schema: JsonObject | None, path: Path) -> bool:
    """Return whether a server keeps what stands at a path; without a schema, that it does."""
    return schema is None or schema_at(schema, path) is not None


def schema_at(schema: JsonObject, path: Path) -> JsonObject | None:
    """Return the schema of a field; None if there is none, so that a server drops it."""
    found: JsonObject | None = schema
    for number, step in enumerate(path):
        if found is None or found is OPEN:
            break
        found = _below(found, step, is_object=number == 0)
    return found


def _below(schema: JsonObject, step: object, *, is_object: bool) -> JsonObject | None:
    if isinstance(step, int):
        items = schema.get("items")
        return items if isinstance(items, dict) else OPEN
    if step in GIVEN and (is_object or schema.get(EMBEDDED)):
        return OPEN
    inner, more = schema.get("properties") or {}, schema.get("additionalProperties")
    if step in inner:
        return inner[step] if isinstance(inner[step], dict) else OPEN
    if isinstance(more, dict):
        return more
    # A field of what is no mapping is of another type, which is for the CRD to tell.
    other = schema.get("type", "object") != "object"
    return OPEN if more or schema.get(KEEPS) or other else None


def unknown(value: Json, schema: JsonObject, path: Path = ()) -> Iterator[Path]:
    """Yield the fields of an object that a server drops, but not those below them."""
    if schema is OPEN or not isinstance(value, dict | list):
        return
    for step, item in value.items() if isinstance(value, dict) else enumerate(value):
        if (found := _below(schema, step, is_object=not path)) is None:
            yield (*path, step)
        elif isinstance(item, dict | list):
            yield from unknown(item, found, (*path, step))


def is_default(value: Json, schema: JsonObject | None) -> bool:
    """Return whether a value is what a server takes by itself, or a mapping of nothing but such values."""
    if schema is None:
        return False
    if "default" in schema and same(value, schema["default"]):
        return True
    inner = schema.get("properties") or {}
    return (
        isinstance(value, dict)
        and bool(value)
        and all(item is None or is_default(item, inner.get(key)) for key, item in value.items())
    )


def same(one: Json, other: Json) -> bool:
    """Return whether two values are the same to a server, to which true is no number, and 0.0 is 0."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(item, other[key]) for key, item in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


def unkept(path: Path, schema: JsonObject) -> Problem:
    """Return that a field is left out, because no server with the old schema would have kept it."""
    name = str(path[-1])
    others = (schema_at(schema, path[:-1]) or {}).get("properties") or {}
    hint = near(name, list(others)) or "neither the old CRD nor the new one has it, so no API server kept it"
    return problem("migration-unkept", f"found the unknown field {cut(name)}, which is left out", path, hint)


def without(value: Json, paths: Iterable[Path]) -> Json:
    """Return a value without the fields at some paths; what was given stays as it is."""
    below: dict[object, list[Path]] = {}
    for path in paths:
        below.setdefault(path[0], []).append(path[1:])
    if not below:
        return value
    if isinstance(value, list):
        return [without(item, below.get(index, ())) for index, item in enumerate(value)]
    return {
        key: without(item, below.get(key, ())) for key, item in value.items() if () not in below.get(key, ())
    }
