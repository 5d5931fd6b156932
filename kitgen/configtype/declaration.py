"""Hold a config.yaml against itself: every attribute, default and rule must be able to do something."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from msgspec.structs import replace

from kitgen.configtype.values import DURATIONS, wrong_values
from kitgen.findings import MAX_ERRORS, Chapter, Path, Problem, Rule, near
from kitgen.schema.patterns import matcher
from kitgen.schema.rules import REFERENCE_MISSING
from kitgen.schema.secrets import is_secretive
from kitgen.yamlio import Json, JsonObject

CONFIG_DECLARATION = Rule(
    id="config-declaration",
    chapter=Chapter.CONFIG,
    checks="Attributes, defaults, choices and patterns fit their field; rules compare like with like.",
    fix="Correct config.yaml.",
)

NUMBERS = ("integer", "number")
MEANT_FOR: dict[str, tuple[str, ...]] = {
    "pattern": ("string",),
    "minimum": (*NUMBERS, *DURATIONS),
    "maximum": (*NUMBERS, *DURATIONS),
    "above": (*NUMBERS, *DURATIONS),
    "required": ("object",),
    "properties": ("object",),
    "additionalProperties": ("object",),
    "free": ("object",),
    "items": ("array",),
    "askedBy": ("string", "integer"),
}
"""Attribute → the types of fields that it says something of."""
FORMATS = {"int32": "integer", "image": "string"}
COMPARED = (NUMBERS, DURATIONS)
"""Types whose values can be compared with one another."""


def wrong_declaration(kind: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with the fields and rules of a config.yaml."""
    wrong = (problem for name, field in kind["fields"].items() for problem in _field(field, ("fields", name)))
    found = list(islice(wrong, MAX_ERRORS + 1))
    yield from found
    if not found:
        for index, rule in enumerate(kind.get("rules", ())):
            yield from _rule(kind, rule, ("rules", index))


def field_at(kind: JsonObject, path: str) -> JsonObject | None:
    """Return the field that a path with dots leads to."""
    field: JsonObject = {"properties": kind["fields"]}
    for step in path.split("."):
        found = field.get("properties", {}).get(step) or field.get("additionalProperties")
        if found is None:
            return None
        field = found
    return field


def _field(field: JsonObject, path: Path) -> Iterator[Problem]:
    yield from _attributes(field, path)
    inner: list[tuple[Path, JsonObject]]
    inner = [(("properties", name), each) for name, each in field.get("properties", {}).items()]
    inner += [((key,), field[key]) for key in ("additionalProperties", "items") if key in field]
    for steps, each in inner:
        yield from _field(each, (*path, *steps))


def _attributes(field: JsonObject, path: Path) -> Iterator[Problem]:
    """Yield what is wrong with a field by itself; values are held to it only if nothing is."""
    found = list(_misplaced(field))
    reveal = not is_secretive(path)
    yield from (problem.below(*path) for problem in found or _own_values(field, reveal=reveal))


def _misplaced(field: JsonObject) -> Iterator[Problem]:
    """Yield the attributes of a field that say nothing of it, or contradict each other."""
    kind = field["type"]
    for key in field:
        types = (FORMATS[field[key]],) if key == "format" else MEANT_FOR.get(key, (kind,))
        if kind not in types:
            message = f"found {key} of a field of type {kind}, where it says nothing"
            yield CONFIG_DECLARATION(message, (key,), "remove it")
    if field.get("free"):
        for key in ("properties", "additionalProperties", "required"):
            if key in field:
                message = f"found {key} of a field that takes any content"
                yield CONFIG_DECLARATION(message, (key,), "remove it, or free")
    elif "additionalProperties" not in field:
        known = list(field.get("properties", {}))
        for index, name in enumerate(field.get("required", ())):
            if name not in known:
                message = f"found no field {name!r} to require"
                yield CONFIG_DECLARATION(message, ("required", index), near(name, known))
    if "pattern" in field and matcher(field["pattern"]) is None:
        message = "found a pattern that cannot be read, expected one that Go reads"
        yield CONFIG_DECLARATION(message, ("pattern",), "such as ^[a-z]+$; there is no looking ahead or back")
    if {"minimum", "maximum"} <= field.keys() and field["minimum"] > field["maximum"]:
        message = f"found {field['maximum']}, expected at least the minimum {field['minimum']}"
        yield CONFIG_DECLARATION(message, ("maximum",))


def _own_values(field: JsonObject, *, reveal: bool) -> Iterator[Problem]:
    """Yield what is wrong with the default and the choices, which are values of the field too."""
    given: list[tuple[Path, JsonObject, Json]]
    given = [(("default",), field, field["default"])] if "default" in field else []
    bare = {key: value for key, value in field.items() if key != "enum"}
    given += [(("enum", index), bare, value) for index, value in enumerate(field.get("enum", ()))]
    found = (each for at, kind, value in given for each in wrong_values(kind, value, at, reveal=reveal))
    return (replace(each, rule=CONFIG_DECLARATION) for each in found)


def _rule(kind: JsonObject, rule: JsonObject, path: Path) -> Iterator[Problem]:
    fields = {key: field_at(kind, rule[key]) for key in ("field", "atMost")}
    known = sorted(_paths(kind["fields"], ""))
    for key, field in fields.items():
        if field is None:
            hint = near(rule[key], known) or "write its path with dots"
            yield REFERENCE_MISSING(f"found no field {rule[key]!r}", (*path, key), hint)
    types = [field["type"] for field in fields.values() if field is not None]
    if len(types) == 2 and not any(set(types) <= set(each) for each in COMPARED):
        message = f"found {types[0]} and {types[1]}, expected two numbers or two durations to compare"
        yield CONFIG_DECLARATION(message, path)


def _paths(fields: Json, above: str) -> Iterator[str]:
    for name, field in fields.items():
        yield above + name
        yield from _paths(field.get("properties", {}), f"{above}{name}.")
