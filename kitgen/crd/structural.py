"""Validate that a schema is structural, as the API server requires, and that its default fits it.

One node is checked at a time, so that a finding points at its line. Rules that several modules of this
package report stand here too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from kitgen.findings import Path, Problem, Severity, format_pointer, get_rule, make_problem, suggest_word
from kitgen.kube.schema_paths import JUNCTORS
from kitgen.text.patterns import compile_late
from kitgen.text.values import group_pairs, list_at, value_at
from kitgen.text.wording import describe_value
from kitgen.text.yaml import Json, JsonObject

KEEPS = "x-kubernetes-preserve-unknown-fields"
PLAIN = {"boolean": bool, "integer": int, "string": str}
SMALL = 2**31
"""Integers up to this one fit any format."""
UNBOUNDED = frozenset({"default", "description", "type"})
"""Keywords that say no more of a value than its type."""


def find_default_fault(schema: JsonObject) -> str:
    """Return what is wrong with the default of a schema, or an empty string."""
    from kitgen.crd.definition import is_valid_schema
    from kitgen.crd.validate.rules import Effort, EffortExceededError
    from kitgen.crd.validate.walk import Walk

    value = schema["default"]
    if _is_usual_default(schema, value):
        return ""
    walk = Walk(Effort(), evaluate=False)
    if is_valid_schema(schema):
        with suppress(EffortExceededError):
            walk.walk_value(schema, value, ())
    wrong = next((each for each in walk.problems if each.rule.severity is Severity.ERROR), None)
    place = f" at {format_pointer(wrong.path)}" if wrong and wrong.path else ""
    return f"{wrong.message}{place}" if wrong else ""


def _is_usual_default(schema: JsonObject, value: Json) -> bool:
    """Return whether a default surely fits, as most do: by its type, and perhaps its format or an enum."""
    if type(value) is not PLAIN.get(str(schema.get("type"))):
        return False
    said = schema.keys() - UNBOUNDED
    if isinstance(value, int):
        return said <= {"format"} and abs(value) < SMALL
    return not said or (said == {"enum"} and isinstance(schema["enum"], list) and value in schema["enum"])


CRD_NOT_STRUCTURAL = get_rule("crd-not-structural")
CRD_PART_UNKNOWN = get_rule("crd-part-unknown")
CRD_EXCEPTION = get_rule("crd-exception")

TYPES = ("object", "array", "string", "integer", "number", "boolean")
SCALARS = ("string", "integer", "number", "boolean")
SIMPLE = frozenset({"type", "format", "description", "default"})
PLAIN_SCALAR = SIMPLE - {"default"}
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
    "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type", KEEPS,
    "x-kubernetes-validations",
}  # fmt: skip
FORBIDDEN = frozenset(
    {
        "$ref", "$schema", "additionalItems", "definitions", "dependencies", "deprecated", "discriminator",
        "id", "patternProperties", "readOnly", "writeOnly", "xml",
    }
)  # fmt: skip
# Inside allOf, anyOf, oneOf and not, only values may be judged.
NESTED = VALUE_KEYWORDS | {"items", "properties"}
# Extensions of others, which the API server drops.
FOREIGN = compile_late(r"x-(?!kubernetes-)")
COUNTS = ("maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties")
LIST_TYPE, MAP_KEYS = "x-kubernetes-list-type", "x-kubernetes-list-map-keys"
MAP_TYPE = "x-kubernetes-map-type"
LISTS = ("required", "enum", MAP_KEYS, "x-kubernetes-validations", *JUNCTORS)
USUAL_OBJECT = frozenset({"additionalProperties", "description", "properties", "required", "type", MAP_TYPE})
USUAL_LIST = frozenset({"description", "items", "type", LIST_TYPE})
FLAGS = ("nullable", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string", KEEPS)
EITHER = [{"type": "integer"}, {"type": "string"}]
"""What may stand in anyOf of a value that is a number or a text, or in that of the first of its allOf."""
WRONG = CRD_NOT_STRUCTURAL
KEYWORD_FAULTS: tuple[tuple[Iterable[str], Callable[[Json], bool], str, str], ...] = (
    (FORBIDDEN, lambda _: True, "found {}, which a CRD must not have", ""),
    (LISTS, lambda value: not isinstance(value, list), "found no list in {}, expected one", ""),
    (FLAGS, lambda value: not isinstance(value, bool), "found {} that is neither true nor false", ""),
    (
        COUNTS,
        lambda value: not isinstance(value, int) or isinstance(value, bool) or value < 0,
        "found {} that is no whole number from 0 on",
        "",
    ),
    (
        ("uniqueItems",),
        lambda value: value is True,
        "found {}, which a CRD must not have",
        "use x-kubernetes-list-type: set",
    ),
    (
        ("additionalProperties",),
        lambda value: value is False,
        "found {}: false, which a CRD must not have",
        "",
    ),
    ((KEEPS,), lambda value: value is False, "found {}: false, expected true or nothing", ""),
)
"""Keywords, when their value is wrong, the message about that, and a hint."""
FAULTS_BY_KEYWORD = group_pairs((keyword, fault) for fault in KEYWORD_FAULTS for keyword in fault[0])


def check(node: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with one schema and its default; the schemas below it are not looked at."""
    if is_trivially_valid(node):
        return
    yield from _check_keywords(node)
    yield from _check_type(node)
    yield from _check_extensions(node)
    yield from _check_map_keys(node)
    yield from (
        WRONG("found a validation without rule", ("x-kubernetes-validations", index))
        for index, validation in enumerate(node.get("x-kubernetes-validations") or ())
        if not isinstance(value_at(validation, "rule"), str)
    )
    for path, part in _list_logical_schemas(_drop_int_or_string(node)):
        yield from _check_logical_schema(part, node, path)
    if "default" in node and (wrong := find_default_fault(node)):
        yield make_problem("crd-default", f"the default breaks its own schema: {wrong}", ("default",))


def is_scalar(node: JsonObject) -> bool:
    """Return whether a schema is nothing but the type of a plain value, as most are."""
    return PLAIN_SCALAR.issuperset(node) and node.get("type") in SCALARS


def is_trivially_valid(node: JsonObject) -> bool:
    """Return whether a schema is as most are, with nothing in it that could be wrong."""
    if (kind := node.get("type")) in SCALARS:
        return SIMPLE.issuperset(node) and ("default" not in node or _is_usual_default(node, node["default"]))
    if kind == "object":
        return (
            USUAL_OBJECT.issuperset(node)
            and isinstance(node.get("required", []), list)
            and node.get(MAP_TYPE) in (None, "atomic", "granular")
            and ("properties" not in node or "additionalProperties" not in node)
            and isinstance(node.get("additionalProperties", {}), dict)
        )
    return (
        kind == "array"
        and USUAL_LIST.issuperset(node)
        and isinstance(node.get("items"), dict)
        and node.get(LIST_TYPE) in (None, "atomic", "set")
    )


def _check_keywords(node: JsonObject) -> Iterator[Problem]:
    for keyword, value in node.items():
        if keyword not in KEYWORDS and keyword not in FORBIDDEN and not FOREIGN.match(keyword):
            yield WRONG(
                f"found the unknown keyword {keyword!r}", (keyword,), suggest_word(keyword, sorted(KEYWORDS))
            )
        for _, is_wrong, message, hint in FAULTS_BY_KEYWORD.get(keyword, ()):
            if is_wrong(value):
                yield WRONG(message.format(keyword), (keyword,), hint)


def _check_type(node: JsonObject) -> Iterator[Problem]:
    """Check the type and what holds others; `items` or `properties` beside another type mean nothing."""
    type_, flexible, types = node.get("type"), _is_int_or_string(node), ", ".join(TYPES)
    if type_ is None and not flexible and node.get(KEEPS) is not True:
        yield WRONG(f"found no type, expected one of {types}", (), "add type, or $type to name one")
    if type_ is not None and type_ not in TYPES:
        yield WRONG(f"found the type {describe_value(type_)}, expected one of {types}", ("type",))
    if type_ in TYPES and flexible:
        message = "found a type beside x-kubernetes-int-or-string, expected none"
        yield WRONG(message, ("type",), "remove type")
    if node.get("properties") and node.get("additionalProperties", True) is not True:
        message = "found properties and additionalProperties, expected one of them"
        yield WRONG(message, ("additionalProperties",))
    if type_ == "array" and not isinstance(node.get("items"), dict):
        yield WRONG("found a list without items, expected a schema of its items")


def _check_extensions(node: JsonObject) -> Iterator[Problem]:
    """Check what Kubernetes says beyond OpenAPI of a list, a map and an embedded resource."""
    type_, kind, map_type = node.get("type"), node.get(LIST_TYPE), node.get(MAP_TYPE)
    if kind is not None and (kind not in ("atomic", "set", "map") or type_ != "array"):
        message = "found a list type that does not fit, expected atomic, set or map on a list"
        yield WRONG(message, (LIST_TYPE,))
    if map_type is not None and (map_type not in ("atomic", "granular") or type_ != "object"):
        message = "found a map type that does not fit, expected atomic or granular on an object"
        yield WRONG(message, (MAP_TYPE,))
    if node.get("x-kubernetes-embedded-resource") is True and type_ != "object":
        yield WRONG("found an embedded resource that is no object", ("x-kubernetes-embedded-resource",))
    if (kind == "map") != bool(node.get(MAP_KEYS)):
        there, lacking = (LIST_TYPE, MAP_KEYS) if kind == "map" else (MAP_KEYS, f"{LIST_TYPE}: map")
        message = "found only one of list type map and its keys, expected both"
        yield WRONG(message, (there,), f"add {lacking}")


def _check_map_keys(node: JsonObject) -> Iterator[Problem]:
    """Check that items have the keys of a list that is a map."""
    items = node.get("items")
    if node.get(LIST_TYPE) != "map" or not isinstance(items, dict):
        return
    properties = items.get("properties") or {}
    for index, key in enumerate(list_at(node, MAP_KEYS)):
        field, at = properties.get(key), (MAP_KEYS, index)
        if not isinstance(field, dict):
            yield WRONG(
                f"found the key {key!r}, which the items lack", at, suggest_word(str(key), list(properties))
            )
        elif key not in (items.get("required") or ()) and "default" not in field:
            yield WRONG(f"found the key {key!r} that is neither required nor has a default", at)


def _drop_int_or_string(node: JsonObject) -> JsonObject:
    """Return a schema without the types that only a number or a text may name."""
    if _is_int_or_string(node) and node.get("anyOf") == EITHER:
        return {key: value for key, value in node.items() if key != "anyOf"}
    if _is_int_or_string(node) and value_at(node, "allOf", 0, "anyOf") == EITHER:
        first, *rest = node["allOf"]
        return {**node, "allOf": [{key: value for key, value in first.items() if key != "anyOf"}, *rest]}
    return node


def _list_logical_schemas(node: JsonObject) -> Iterator[tuple[Path, Json]]:
    """Yield what stands in allOf, anyOf, oneOf and not, and where."""
    for keyword in JUNCTORS:
        yield from (((keyword, index), part) for index, part in enumerate(list_at(node, keyword)))
    if "not" in node:
        yield ("not",), node["not"]


def _check_logical_schema(part: Json, outer: Json, path: Path) -> Iterator[Problem]:
    """Check what stands inside allOf, anyOf, oneOf or not: it may judge values, and only known fields."""
    if not isinstance(part, dict):
        yield WRONG("found no schema, expected one", path)
        return
    for keyword in (each for each in part if each not in NESTED):
        message = f"found {keyword} inside {path[0]}, where only values may be judged"
        yield WRONG(message, (*path, keyword), "move it out")
    fields, judged = value_at(outer, "properties"), part.get("properties") or {}
    if "metadata" in judged:
        yield WRONG(
            f"found metadata inside {path[0]}, of which only the structure may say something",
            (*path, "properties", "metadata"),
        )
    for field, below in judged.items():
        at = (*path, "properties", field)
        if fields is not None and field not in fields:
            yield WRONG(f"found the field {field!r} inside {path[0]} only", at)
        yield from _check_logical_schema(below, (fields or {}).get(field), at)
    if "items" in part:
        yield from _check_logical_schema(part["items"], value_at(outer, "items"), (*path, "items"))
    for steps, below in _list_logical_schemas(part):
        yield from _check_logical_schema(below, outer, (*path, *steps))


def _is_int_or_string(schema: Json) -> bool:
    return isinstance(schema, dict) and schema.get("x-kubernetes-int-or-string") is True
