"""Tables of the keys of a spec, made from its JSON Schema."""

from __future__ import annotations

import json

from docs.output_schemas import DOCUMENTS, output_schema
from kitgen.findings import parse_pointer
from kitgen.kube.manifest import existing_value
from kitgen.text import schema_check as schemafiles
from kitgen.text.yaml import JsonObject

NAMES = {"object": "map", "array": "list", "string": "text", "boolean": "true or false"}


def key_table(argument: str) -> str:
    """Return the keys of a schema or of a part of it, such as `target /$defs/settings`."""
    name, _, pointer = argument.partition(" ")
    folder, _, output = name.rpartition("/")
    schema = output_schema(output) if folder and output in DOCUMENTS else schemafiles.read_schema(name)
    part = _followed(existing_value(schema, parse_pointer(pointer)), schema)
    rows = ["| key | value | meaning |", "|---|---|---|"]
    for key, given in part["properties"].items():
        meaning = _meaning(_followed(given, schema), required=key in part.get("required", ()))
        rows.append(f"| `{key}` | {_kind(given, schema)} | {meaning} |".replace("  |", " |"))
    return "\n".join([*rows, ""])


def _followed(given: JsonObject, schema: JsonObject) -> JsonObject:
    """Return a schema with the definition that it refers to."""
    if "$ref" not in given:
        return given
    name, _, place = given["$ref"].partition("#")
    return {
        **existing_value(schemafiles.read_schema(name) if name else schema, parse_pointer(place)),
        **given,
    }


def _meaning(given: JsonObject, *, required: bool) -> str:
    said = given.get("description", "").replace("|", r"\|").replace("<", "&lt;")
    notes = ["required"] if required else []
    if "default" in given:
        notes.append(f"default `{_plain(given['default'])}`")
    return " ".join(filter(None, (said, f"({', '.join(notes)})" if notes else "")))


def _kind(given: JsonObject, schema: JsonObject) -> str:
    """Say in a word or two what a value may be."""
    given = _followed(given, schema)
    if "enum" in given or "const" in given:
        values = given["enum"] if "enum" in given else [given["const"]]
        return " or ".join(f"`{_plain(value)}`" for value in values)
    for word in ("anyOf", "oneOf"):
        if word in given and "type" not in given:
            return " or ".join(dict.fromkeys(_kind(each, schema) for each in given[word]))
    types: str | list[str] = given.get("type", "anything")
    if isinstance(types, list):
        return " or ".join(NAMES.get(each, each) for each in types)
    if types == "array":
        return f"list of {_kind(given['items'], schema)}" if "items" in given else "list"
    values = given.get("additionalProperties")
    if isinstance(values, dict) and "properties" not in given:
        return f"map to {_kind(values, schema)}"
    return NAMES.get(types, types)


def _plain(value: object) -> str:
    return json.dumps(value) if isinstance(value, bool | None) else str(value)
