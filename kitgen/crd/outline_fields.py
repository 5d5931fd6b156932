"""Write a schema as one line per field, with Kubernetes' own types folded to their names."""

from __future__ import annotations

import json
from collections.abc import Iterator

from kitgen.crd import generators
from kitgen.crd.types import type_name
from kitgen.kube import schema_paths
from kitgen.text.patterns import compile_late
from kitgen.text.secrets import redact_value
from kitgen.text.values import map_at
from kitgen.text.yaml import Json, JsonObject

PROSE = frozenset({"description", "title", "example", "externalDocs", "$schema", "id"})
# What the type, the place of a line or the lines below it already say.
SHOWN = PROSE | {"type", "properties", "items", "additionalProperties", "required"}
SHOWN |= {f"x-kubernetes-{name}" for name in ("int-or-string", "validations", "list-map-keys")}
SHORT = {
    "minimum": "min",
    "maximum": "max",
    "exclusiveMinimum": "exclusive-min",
    "exclusiveMaximum": "exclusive-max",
    "minLength": "min-length",
    "maxLength": "max-length",
    "minItems": "min-items",
    "maxItems": "max-items",
    "minProperties": "min-properties",
    "maxProperties": "max-properties",
    "multipleOf": "multiple-of",
    "uniqueItems": "unique-items",
    "x-kubernetes-preserve-unknown-fields": "keeps-unknown-fields",
    "x-kubernetes-embedded-resource": "embedded-resource",
    "x-kubernetes-list-type": "list",
    "x-kubernetes-map-type": "map",
}
INT_OR_STRING = generators.WHOLE[generators.INT_OR_STRING]["anyOf"]
QUANTITY = generators.WHOLE[generators.QUANTITY]["pattern"]
TYPED = (("anyOf", INT_OR_STRING), ("pattern", QUANTITY))
"""What the type already says of a value that is a number or a text."""
GIVEN = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}}
PLAIN_NAME = compile_late(r"[A-Za-z_$][A-Za-z0-9_$-]*$")


def to_compact_json(value: Json) -> str:
    """Write a value on one line, the same way each time."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def join_field_path(path: str, name: str) -> str:
    """Return the path of a field below another one."""
    return f"{path}.{name}" if PLAIN_NAME.match(name) else f"{path}[{json.dumps(name)}]"


def format_type(schema: Json) -> str:
    """Return the type of a field as a reader would say it."""
    if not isinstance(schema, dict):
        return "any"
    if name := type_name(schema):
        return name
    if schema.get("x-kubernetes-int-or-string"):
        return "quantity" if schema.get("pattern") == QUANTITY else "int-or-string"
    if (kind := schema.get("type")) == "array":
        return f"[]{format_type(schema.get('items'))}"
    values = schema.get("additionalProperties")
    if kind == "object" and isinstance(values, dict):
        return f"map[string]{format_type(values)}"
    if kind == "object" and values is True:
        return "map[string]any"
    return str(kind or "any")


def format_constant(value: Json) -> str:
    """Write a default or a choice of a field, without what fields in it or its text say is secret."""
    return to_compact_json(redact_value(value))


def format_constraints(schema: JsonObject) -> Iterator[str]:
    """Yield every constraint of a schema that its type does not say, in a fixed order."""
    if schema.get("nullable"):
        yield "nullable"
    if "default" in schema:
        yield f"default={format_constant(schema['default'])}"
    if "format" in schema:
        yield f"format={schema['format']}"
    if isinstance(enum := schema.get("enum"), list):
        yield "enum=" + "|".join(format_constant(value) for value in enum)
    for key in sorted(schema.keys() - SHOWN - {"nullable", "default", "format", "enum"}):
        value = schema[key]
        typed = schema.get("x-kubernetes-int-or-string") and (key, value) in TYPED
        if value is False or typed:
            continue
        name = SHORT.get(key, key)
        yield (
            name
            if value is True
            else f"{name}="
            f"{value if isinstance(value, str) and PLAIN_NAME.match(value) else to_compact_json(value)}"
        )
        if key == "x-kubernetes-list-type" and (keys := schema.get("x-kubernetes-list-map-keys")):
            yield "keys=" + ",".join(str(item) for item in keys)
    if rules := schema.get("x-kubernetes-validations"):
        yield f"cel={len(rules)}"
    known = schema.get("properties") or {}
    if hidden := sorted(str(name) for name in schema.get("required") or () if name not in known):
        yield "requires=" + ",".join(hidden)


def render_field_lines(schema: JsonObject, path: str = "", *, required: bool = False) -> Iterator[str]:
    """Yield the line of a field and those of everything below it.

    The root has no line of its own unless it says more than that it is an object.
    """
    notes = [] if type_name(schema) else list(format_constraints(schema))
    if path and (notes or not path.endswith(("[]", "{}"))):
        yield " ".join([path, format_type(schema), *(["required"] if required else []), *notes])
    elif notes:
        yield " ".join([".", format_type(schema), *notes])
    if type_name(schema):
        return
    for rule in schema.get("x-kubernetes-validations") or ():
        yield f"{path or '.'} rule {to_compact_json(rule)}"
    for name, child in sorted((schema.get("properties") or {}).items()):
        # Every kind has some fields at its root, of which there is nothing to say.
        given = {key: value for key, value in map_at(child).items() if key not in PROSE} == GIVEN.get(name)
        if isinstance(child, dict) and not (path == "" and given):
            yield from render_field_lines(
                child, join_field_path(path, name), required=name in (schema.get("required") or ())
            )
    for keyword, sign in schema_paths.SIGNS.items():
        if isinstance(below := schema.get(keyword), dict):
            yield from render_field_lines(below, f"{path}{sign}")
