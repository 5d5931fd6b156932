"""Schemas of CRDs, as far as they decide which fields a server keeps and which it sets itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kitgen.crd.structural import KEEPS
from kitgen.crd.validate.metadata import check_embedded_object
from kitgen.crd.validate.rules import FIELD_UNKNOWN
from kitgen.crd.validate.walk import GIVEN
from kitgen.findings import MAX_ERRORS, Path, Problem, make_problem, suggest_word
from kitgen.kit.model.migration import format_field_steps
from kitgen.migrate.walks import COLLECTIONS
from kitgen.text.values import map_at
from kitgen.text.wording import TYPES, join_words, quote_text
from kitgen.text.yaml import Json, JsonObject

ITEM = "[]"
EMBEDDED = "x-kubernetes-embedded-resource"
OPEN = (KEEPS, EMBEDDED)
EITHER = "x-kubernetes-int-or-string"
USUAL = frozenset({"annotations", "creationTimestamp", "finalizers", "labels", "name", "namespace"})
"""Metadata below which no field has to be known."""
LISTED = 8
"""How many known fields a hint names."""


class SchemaLookup(NamedTuple):
    """What a schema has at a field, or why it has nothing there."""

    schema: Json = None
    """None where anything goes."""
    expected: str = ""
    """What is expected instead; empty if the field can be there."""
    hint: str = ""
    missing: bool = False
    """Whether it is a name that the schema does not have."""


def find_field(schema: Json, steps: tuple[str, ...]) -> SchemaLookup:
    """Find a field in a schema, step by step."""
    for at, step in enumerate(steps):
        if not isinstance(schema, dict) or not (kind := type_of(schema)):
            return SchemaLookup()
        if wrong := _find_step_error(kind, steps, at):
            return wrong
        if step == ITEM:
            schema = schema.get("items")
        elif step in (known := fields_of(schema)):
            schema = known[step]
        elif isinstance(more := schema.get("additionalProperties"), dict):
            schema = more
        elif more is True or any(schema.get(each) is True for each in OPEN):
            return SchemaLookup()
        else:
            some = join_words([*known], last="and", most=LISTED) if known else "none"
            hint = suggest_word(step, [*known]) or f"{format_field_steps(steps[:at]) or 'it'} has {some}"
            return SchemaLookup(expected="a field", hint=hint, missing=True)
    return SchemaLookup(schema)


def type_of(schema: JsonObject) -> str:
    """Return the type that a schema requires; empty if it takes any."""
    if isinstance(said := schema.get("type"), str):
        return said
    if schema.get(EITHER) is True:
        return EITHER
    if "items" in schema:
        return "array"
    return "object" if {"properties", "additionalProperties"} & schema.keys() else ""


def describe_type(kind: str) -> str:
    """Describe a type in plain words."""
    return TYPES.get(kind, "a number or a string")


def fields_of(schema: Json) -> JsonObject:
    """Return the fields that a schema names."""
    return map_at(schema, "properties")


def _find_step_error(kind: str, steps: tuple[str, ...], at: int) -> SchemaLookup | None:
    """Return that a step leads into what is no list or mapping, or is not the way into it."""
    here, step, rest = format_field_steps(steps[:at]), steps[at], steps[at + 1 :]
    why = f"because {here} is {describe_type(kind)}"
    if step == ITEM and kind != "array":
        return SchemaLookup(expected=f"{format_field_steps((*steps[:at], *rest))}, {why}")
    if step != ITEM and kind == "array":
        return SchemaLookup(expected=f"{format_field_steps((*steps[:at], ITEM, *steps[at:]))}, {why}")
    if step != ITEM and kind != "object":
        return SchemaLookup(expected=f"{here} alone, {why}")
    return None


def find_unknown_fields(body: JsonObject, schema: Json) -> list[Path]:
    """Return the fields of an object that a server drops, but not those below them; without a schema none."""
    found = _list_unknown_fields(body, schema, (), whole=True) if isinstance(schema, dict) else []
    return found[: MAX_ERRORS + 1]


def _list_unknown_fields(
    value: Json, schema: JsonObject, path: Path, *, whole: bool = False, keeps: bool = False
) -> list[Path]:
    """Return unknown fields of a mapping or a list; what is not of the type of its schema has none."""
    is_list = isinstance(value, list)
    if schema.get(EITHER) or schema.get("type") not in (None, "array" if is_list else "object"):
        return []
    keeps = keeps or bool(schema.get(KEEPS))
    if is_list:
        if not isinstance(items := schema.get("items"), dict):
            return []
        return [
            each
            for at, item in enumerate(value)
            if isinstance(item, COLLECTIONS)
            for each in _list_unknown_fields(item, items, (*path, at), keeps=keeps)
        ]
    is_embedded = bool(schema.get(EMBEDDED))
    given = GIVEN if whole or is_embedded else ()
    known, others = schema.get("properties") or {}, schema.get("additionalProperties")
    found: list[Path] = []
    for key, item in value.items():
        child = known.get(key, others)
        if given and key == "metadata":
            continue  # it has no schema here
        if isinstance(child, dict):
            found += _list_unknown_fields(item, child, (*path, key)) if isinstance(item, COLLECTIONS) else ()
        elif child is True:
            found += _list_fields(item, (*path, key))
        elif not keeps and key not in given:
            found.append((*path, key))
    told = is_embedded and not USUAL.issuperset(map_at(value, "metadata"))
    wrong = check_embedded_object(value) if told else ()
    return [*found, *((*path, *each.path) for each in wrong if each.rule is FIELD_UNKNOWN)]


def _list_fields(value: Json, path: Path) -> list[Path]:
    """Return the fields of a mapping, or of those in a list."""
    if isinstance(value, dict):
        return [(*path, key) for key in value]
    some = enumerate(value if isinstance(value, list) else ())
    return [each for at, item in some for each in _list_fields(item, (*path, at))]


def is_below(path: Path, fields: Iterable[Path]) -> bool:
    """Return whether a path is one of some fields, or leads below one."""
    return any(path[: len(each)] == each for each in fields)


def is_default_value(value: Json, schema: Json) -> bool:
    """Return whether a value is what a server takes by itself, or a mapping of nothing but such values."""
    if not isinstance(schema, dict):
        return False
    if "default" in schema and is_same_value(value, schema["default"]):
        return True
    inner = fields_of(schema)
    return (
        isinstance(value, dict)
        and bool(value)
        and all(item is None or is_default_value(item, inner.get(key)) for key, item in value.items())
    )


def is_same_value(one: Json, other: Json) -> bool:
    """Return whether two values are the same to a server, to which true is no number, and 0.0 is 0."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            is_same_value(item, other[key]) for key, item in one.items()
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same_value, one, other))
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


def schema_at(schema: Json, path: Path) -> Json:
    """Return the schema of a value in an object; None where anything goes, or nothing."""
    return find_field(schema, tuple(step if isinstance(step, str) else ITEM for step in path)).schema


def report_unknown_field(path: Path, schema: Json) -> Problem:
    """Return that a field is left out, because no server with the old schema would have kept it."""
    name = str(path[-1])
    others = fields_of(schema_at(schema, path[:-1]))
    hint = (
        suggest_word(name, list(others))
        or "neither the old CRD nor the new one has it, so no API server kept it"
    )
    return make_problem(
        "migration-unkept", f"found the unknown field {quote_text(name)}, which is left out", path, hint
    )


def remove_fields(value: Json, paths: Iterable[Path]) -> Json:
    """Return a value without the fields at some paths; what was given stays as it is."""
    below: dict[object, list[Path]] = {}
    for path in paths:
        below.setdefault(path[0], []).append(path[1:])
    if not below:
        return value
    if isinstance(value, list):
        return [remove_fields(item, below.get(index, ())) for index, item in enumerate(value)]
    return {
        key: remove_fields(item, below.get(key, ()))
        for key, item in value.items()
        if () not in below.get(key, ())
    }
