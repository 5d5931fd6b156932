"""Infer the types that config.yaml has to declare from the values of a configuration."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from kitgen.kit.config_type import DURATION, UNITS, check_config_value, parse_duration
from kitgen.render.section_changes import is_identical_value
from kitgen.text.patterns import compile_late
from kitgen.text.values import group_pairs
from kitgen.text.yaml import Json, JsonObject

FIELD = compile_late(r"[A-Za-z][A-Za-z0-9]*$")
"""What fields of Go's types are called; other keys are a map's own."""
SELECTOR = {"matchLabels", "matchExpressions"}
FREE: JsonObject = {"type": "object", "free": True}
SCALARS: dict[type, str] = {bool: "boolean", int: "integer", float: "number", str: "string"}


def infer_type(value: Json) -> JsonObject | None:
    """Return a type that takes a value; None if there is none, as for null."""
    if isinstance(value, dict):
        return _infer_object_type(value)
    if isinstance(value, list):
        found = merge_types([infer_type(each) for each in value])
        return {"type": "array", "items": found} if found is not None else {"type": "array"}
    if isinstance(value, str) and value != "0" and DURATION.fullmatch(value):
        return {"type": "duration"}
    return {"type": SCALARS[type(value)]} if type(value) in SCALARS else None


def _infer_object_type(value: JsonObject) -> JsonObject:
    if not value or {*value} <= SELECTOR:
        return FREE
    below = {key: infer_type(each) for key, each in value.items()}
    if all(FIELD.fullmatch(key) for key in value):
        fields = {key: each for key, each in below.items() if each is not None}
        return {"type": "object", "properties": fields} if len(fields) == len(value) else FREE
    common = merge_types(list(below.values()))
    return {"type": "object", "additionalProperties": common} if common is not None else FREE


def merge_types(types: list[JsonObject | None]) -> JsonObject | None:
    """Return the one type that several values have; None if they have not."""
    return reduce(_merge_two_types, types) if types else None


def _merge_two_types(one: JsonObject | None, other: JsonObject | None) -> JsonObject | None:
    if one is None or other is None:
        return None
    if is_identical_value(one, other):
        return one
    if (kinds := {one["type"], other["type"]}) == {"integer", "number"}:
        return {"type": "number"}
    if kinds == {"string", "duration"}:
        return {"type": "string"}
    if kinds == {"array"}:
        items = merge_types([each["items"] for each in (one, other) if "items" in each])
        return {"type": "array", "items": items} if items is not None else None
    if kinds != {"object"}:
        return None
    first, second = (each.get("properties", {}) for each in (one, other))
    if not first or not second:
        return FREE
    both = {
        key: merge_types([each[key] for each in (first, second) if key in each]) for key in (*first, *second)
    }
    return FREE if None in both.values() else {"type": "object", "properties": both}


def merge_config_types(shown: Sequence[JsonObject]) -> JsonObject:
    """Return what config.yaml has to say for the documents of all trees; the first goes before the others."""
    made = {key: value for each in reversed(shown) for key, value in each.items()}
    types = group_pairs(field for each in shown for field in each.get("fields", {}).items())
    fields = {name: merge_types([*found]) or found[0] for name, found in types.items()}
    return {**made, "fields": {**made["fields"], **fields}} if fields else made


def infer_missing_type(field: JsonObject | None, value: Json) -> JsonObject | None:
    """Return what has to be declared besides a field, or instead of it, to take a value; None if nothing."""
    if field is None:
        return infer_type(value)
    if field["type"] != "object" or not isinstance(value, dict) or field.get("free"):
        counted = field["type"] == "nanoseconds"
        if (type(value) is int or not counted) and not any(
            check_config_value(field, format_duration(value) if counted else value)
        ):
            return None
        late = field["type"] == "duration" and type(value) is int and value >= 0
        return {"type": "nanoseconds"} if late else infer_type(value)
    known, other = field.get("properties", {}), field.get("additionalProperties")
    more = {}
    for key, each in value.items():
        if key not in known and other is not None:
            if infer_missing_type(other, each) is not None:
                return infer_type(value)
        elif (found := infer_missing_type(known.get(key), each)) is not None:
            more[key] = found
    return {"type": "object", "properties": more} if more else None


def format_duration(number: int) -> str:
    """Write nanoseconds as a duration, in as few words as Go does."""
    if number <= 0:
        return "0s" if number == 0 else str(number)
    pieces = []
    for unit in ("h", "m", "s", "ms", "us", "ns"):
        count, number = divmod(number, UNITS[unit])
        pieces.append(f"{count}{unit}" if count else "")
    return "".join(pieces)


def extend_type(field: JsonObject, more: JsonObject | None) -> JsonObject:
    """Return a field with what was learnt of it."""
    if more is None or more.get("type") != "object" or "properties" not in more or field.get("free"):
        return more or field
    if field.get("type") != "object":
        return more
    known = field.get("properties", {})
    own = {key: extend_type(known.get(key, {}), each) for key, each in more["properties"].items()}
    return {**field, "properties": {**known, **own}}


def to_spec_value(field: JsonObject, value: Json, older: Json = None) -> Json:
    """Return how a spec says a value of a document: nanoseconds as durations, in older words."""
    if field.get("type") == "nanoseconds" and type(value) is int:
        text = older if isinstance(older, str) and DURATION.fullmatch(older) else ""
        return text if text and parse_duration(text) == value else format_duration(value)
    if isinstance(value, list) and "items" in field:
        return [to_spec_value(field["items"], each) for each in value]
    if isinstance(value, dict) and not field.get("free"):
        known, other = field.get("properties", {}), field.get("additionalProperties", {})
        before = older if isinstance(older, dict) else {}
        return {
            key: to_spec_value(known.get(key, other), each, before.get(key)) for key, each in value.items()
        }
    return value
