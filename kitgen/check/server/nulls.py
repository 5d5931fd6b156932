"""Nulls in lists and maps: a server reads each as the zero value of its type, such as an empty text."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from kitgen.crd.types import short_name
from kitgen.kube.definitions import definition
from kitgen.text.yaml import Json, JsonObject

ZEROS: dict[str, Json] = {"string": "", "integer": 0, "number": 0, "boolean": False}
AMOUNTS = ("resource.Quantity", "intstr.IntOrString")
OPEN = "openAPIV3Schema"
"""A schema of others, whose nulls are not told here."""


class NullableField(NamedTuple):
    """What of a definition may hold nulls: the definition of its items if they have one, or their zero."""

    name: str = ""
    zero: Json = None
    many: bool = False


def without_nulls(body: JsonObject, name: str, minor: int) -> JsonObject:
    """Return an object of a definition with zero values in the place of nulls in lists and maps."""
    return _read(body, name, minor) if _has_null(body) else body


def _has_null(body: Json) -> bool:
    todo: list[Json] = [body]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            todo += [item for key, item in value.items() if key != OPEN]
        elif isinstance(value, list):
            todo += value
        elif value is None:
            return True
    return False


def _read(value: JsonObject, name: str, minor: int) -> JsonObject:
    known = _fields(name, minor)
    return {key: _field(item, known[key], minor) if key in known else item for key, item in value.items()}


def _field(value: Json, field: NullableField, minor: int) -> Json:
    if isinstance(value, list):
        return [_item(item, field, minor) for item in value]
    if field.many and isinstance(value, dict):
        return {key: _item(item, field, minor) for key, item in value.items()}
    return _item(value, field, minor) if value is not None else None


def _item(value: Json, field: NullableField, minor: int) -> Json:
    if value is None:
        return field.zero
    return _read(value, field.name, minor) if field.name and isinstance(value, dict) else value


@cache
def _fields(name: str, minor: int) -> dict[str, NullableField]:
    found = definition(name, minor).get("properties", {})
    return {key: field for key, schema in found.items() if (field := _of(schema, minor)) and key != OPEN}


def _of(schema: JsonObject, minor: int) -> NullableField | None:
    inner = schema.get("items") or schema.get("additionalProperties")
    many = isinstance(inner, dict)
    name = referred(inner if isinstance(inner, dict) else schema)
    if name and "properties" in definition(name, minor):
        return NullableField(name=name, many=many)
    if not isinstance(inner, dict):
        return None
    if name:
        return NullableField(zero=0, many=True) if short_name(name) in AMOUNTS else None
    kinds = inner.get("type")
    kind = next((each for each in kinds if each != "null"), "") if isinstance(kinds, list) else kinds
    return NullableField(zero=ZEROS[kind], many=True) if kind in ZEROS else None


def referred(schema: JsonObject) -> str:
    """Return the definition that a schema refers to, perhaps beside null."""
    for each in (schema, *schema.get("oneOf", ()), *schema.get("anyOf", ()), *schema.get("allOf", ())):
        if isinstance(each, dict) and "$ref" in each:
            return str(each["$ref"]).rpartition("/")[2]
    return ""
