"""Tell whether a schema is structural, as the API server demands of a CRD.

One node is looked at a time, so that a finding points at the line that is to blame.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.crds.schema.rules import CRD_NOT_STRUCTURAL
from kitgen.findings import Path, Problem, near
from kitgen.yamlio import Json, JsonObject

TYPES = ("object", "array", "string", "integer", "number", "boolean")
SCALARS = ("string", "integer", "number", "boolean")
SIMPLE = frozenset({"type", "format", "description", "default"})
JUNCTORS = ("allOf", "anyOf", "oneOf")
VALUE_KEYWORDS = frozenset(
    {
        "enum", "exclusiveMaximum", "exclusiveMinimum", "format", "maxItems", "maxLength", "maxProperties",
        "maximum", "minItems", "minLength", "minProperties", "minimum", "multipleOf", "not", "pattern",
        "required", "uniqueItems", *JUNCTORS,
    }
)  # fmt: skip
KEYWORDS = VALUE_KEYWORDS | {
    "additionalProperties", "default", "description", "example", "externalDocs", "items", "nullable",
    "properties", "title", "type", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations",
}  # fmt: skip
FORBIDDEN = frozenset(
    {
        "$ref", "$schema", "additionalItems", "definitions", "dependencies", "deprecated", "discriminator",
        "id", "patternProperties", "readOnly", "writeOnly", "xml",
    }
)  # fmt: skip
# Inside allOf, anyOf, oneOf and not, only values may be judged.
NESTED = VALUE_KEYWORDS | {"items", "properties", "additionalProperties", "x-kubernetes-validations"}
# Extensions of others, which the API server drops.
FOREIGN = re.compile(r"x-(?!kubernetes-)")
COUNTS = ("maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties")
LISTS = ("required", "enum", "x-kubernetes-list-map-keys", "x-kubernetes-validations", *JUNCTORS)
FLAGS = (
    "nullable", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string",
    "x-kubernetes-preserve-unknown-fields",
)  # fmt: skip


def check(node: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with one schema; the schemas below it are not looked at."""
    if SIMPLE.issuperset(node) and node.get("type") in SCALARS:
        return  # most schemas are no more than a type
    yield from _keywords(node)
    type_ = node.get("type")
    flexible = node.get("x-kubernetes-int-or-string") is True
    open_ = node.get("x-kubernetes-preserve-unknown-fields") is True
    if type_ is None and not flexible and not open_:
        yield CRD_NOT_STRUCTURAL(
            "found no type, expected one of " + ", ".join(TYPES), (), "add type, or $type to name one"
        )
    elif type_ is not None and type_ not in TYPES:
        yield CRD_NOT_STRUCTURAL(f"found the type {type_!r}, expected one of " + ", ".join(TYPES), ("type",))
    elif type_ is not None and flexible:
        yield CRD_NOT_STRUCTURAL(
            "found a type beside x-kubernetes-int-or-string, expected none", ("type",), "remove type"
        )
    yield from _containers(node, type_)
    yield from _extensions(node, type_)
    yield from _junctors(node)


def _keywords(node: JsonObject) -> Iterator[Problem]:
    for keyword, value in node.items():
        if keyword in FORBIDDEN:
            yield CRD_NOT_STRUCTURAL(f"found {keyword}, which a CRD must not have", (keyword,))
        elif keyword not in KEYWORDS and not FOREIGN.match(keyword):
            yield CRD_NOT_STRUCTURAL(
                f"found the unknown keyword {keyword!r}", (keyword,), near(keyword, sorted(KEYWORDS))
            )
        elif keyword in LISTS and not isinstance(value, list):
            yield CRD_NOT_STRUCTURAL(f"found no list in {keyword}, expected one", (keyword,))
        elif keyword in FLAGS and not isinstance(value, bool):
            yield CRD_NOT_STRUCTURAL(f"found {keyword} that is neither true nor false", (keyword,))
        elif keyword in COUNTS and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
            yield CRD_NOT_STRUCTURAL(f"found {keyword} that is no whole number from 0 on", (keyword,))
    if node.get("uniqueItems") is True:
        yield CRD_NOT_STRUCTURAL(
            "found uniqueItems, which a CRD must not have",
            ("uniqueItems",),
            "use x-kubernetes-list-type: set",
        )


def _containers(node: JsonObject, type_: Json) -> Iterator[Problem]:
    """Check what holds others; `items` or `properties` beside another type mean nothing, and are taken."""
    if node.get("properties") and node.get("additionalProperties", True) is not True:
        yield CRD_NOT_STRUCTURAL(
            "found properties and additionalProperties, expected one of them", ("additionalProperties",)
        )
    if node.get("additionalProperties") is False:
        yield CRD_NOT_STRUCTURAL(
            "found additionalProperties: false, which a CRD must not have", ("additionalProperties",)
        )
    if type_ == "array" and not isinstance(node.get("items"), dict):
        yield CRD_NOT_STRUCTURAL("found a list without items, expected a schema of its items")


def _extensions(node: JsonObject, type_: Json) -> Iterator[Problem]:
    kind = node.get("x-kubernetes-list-type")
    keys = node.get("x-kubernetes-list-map-keys")
    if kind is not None and (kind not in ("atomic", "set", "map") or type_ != "array"):
        yield CRD_NOT_STRUCTURAL(
            "found a list type that does not fit, expected atomic, set or map on a list",
            ("x-kubernetes-list-type",),
        )
    if (kind == "map") != bool(keys):
        yield CRD_NOT_STRUCTURAL(
            "found only one of list type map and its keys, expected both",
            ("x-kubernetes-list-type" if kind == "map" else "x-kubernetes-list-map-keys",),
            "add x-kubernetes-list-map-keys" if kind == "map" else "add x-kubernetes-list-type: map",
        )
    elif kind == "map" and isinstance(node.get("items"), dict) and isinstance(keys, list):
        yield from _map_keys(node["items"], keys)
    map_type = node.get("x-kubernetes-map-type")
    if map_type is not None and (map_type not in ("atomic", "granular") or type_ != "object"):
        yield CRD_NOT_STRUCTURAL(
            "found a map type that does not fit, expected atomic or granular on an object",
            ("x-kubernetes-map-type",),
        )
    if node.get("x-kubernetes-embedded-resource") is True and type_ != "object":
        yield CRD_NOT_STRUCTURAL(
            "found an embedded resource that is no object", ("x-kubernetes-embedded-resource",)
        )
    if node.get("x-kubernetes-preserve-unknown-fields") is False:
        yield CRD_NOT_STRUCTURAL(
            "found x-kubernetes-preserve-unknown-fields: false, expected true or nothing",
            ("x-kubernetes-preserve-unknown-fields",),
        )
    for index, rule in enumerate(node.get("x-kubernetes-validations") or ()):
        if not isinstance(rule, dict) or not isinstance(rule.get("rule"), str):
            yield CRD_NOT_STRUCTURAL("found a validation without rule", ("x-kubernetes-validations", index))


def _map_keys(items: JsonObject, keys: list[Json]) -> Iterator[Problem]:
    properties = items.get("properties") or {}
    for index, key in enumerate(keys):
        field = properties.get(key)
        if not isinstance(field, dict):
            yield CRD_NOT_STRUCTURAL(
                f"found the key {key!r}, which the items lack",
                ("x-kubernetes-list-map-keys", index),
                near(str(key), list(properties)),
            )
        elif key not in (items.get("required") or ()) and "default" not in field:
            yield CRD_NOT_STRUCTURAL(
                f"found the key {key!r} that is neither required nor has a default",
                ("x-kubernetes-list-map-keys", index),
            )


def _junctors(node: JsonObject) -> Iterator[Problem]:
    flexible = node.get("x-kubernetes-int-or-string") is True
    for keyword in (*JUNCTORS, "not"):
        if keyword not in node:
            continue
        value = node[keyword]
        parts = (
            [((keyword,), value)]
            if keyword == "not"
            else [((keyword, i), part) for i, part in enumerate(value)]
        )
        for path, part in parts:
            yield from _nested(part, node, path, flexible)


def _nested(part: Json, outer: Json, path: Path, flexible: bool) -> Iterator[Problem]:
    """Check what stands inside allOf, anyOf, oneOf or not: it may judge values, and only known fields."""
    if not isinstance(part, dict):
        yield CRD_NOT_STRUCTURAL("found no schema, expected one", path)
        return
    for keyword in part:
        if keyword not in NESTED and not (keyword == "type" and flexible):
            yield CRD_NOT_STRUCTURAL(
                f"found {keyword} inside {path[0]}, where only values may be judged",
                (*path, keyword),
                "move it out",
            )
    for field, below in (part.get("properties") or {}).items():
        known = (outer.get("properties") or {}).get(field) if isinstance(outer, dict) else None
        if known is None and isinstance(outer, dict) and "properties" in outer:
            yield CRD_NOT_STRUCTURAL(
                f"found the field {field!r} inside {path[0]} only", (*path, "properties", field)
            )
        yield from _nested(below, known or {}, (*path, "properties", field), _flexible(known))
    if "items" in part:
        known = outer.get("items") if isinstance(outer, dict) else None
        yield from _nested(part["items"], known or {}, (*path, "items"), _flexible(known))
    for keyword in JUNCTORS:
        for index, below in enumerate(part.get(keyword) or ()):
            yield from _nested(below, outer, (*path, keyword, index), flexible)
    if "not" in part:
        yield from _nested(part["not"], outer, (*path, "not"), flexible)


def _flexible(schema: Json) -> bool:
    return isinstance(schema, dict) and schema.get("x-kubernetes-int-or-string") is True
