"""Validate allOf, anyOf, oneOf and not, which constrain values but declare no fields."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.crd.validate.rules import FIELD_MISSING, FIELD_VALUE, MANY, Effort
from kitgen.crd.validate.values import (
    NUMBER_OVERFLOW,
    PATTERN_UNCHECKED,
    check_keywords,
    check_null,
    check_type,
    report_missing_field,
)
from kitgen.findings import Path, Problem
from kitgen.text.secrets import is_secret_step
from kitgen.text.wording import join_words, quote_text
from kitgen.text.yaml import Json, JsonObject

ALTERNATIVES = frozenset({"allOf", "anyOf", "oneOf", "not"})
TAKEN = (PATTERN_UNCHECKED, NUMBER_OVERFLOW)
"""What the API server takes all the same."""


def check_alternatives(
    schema: JsonObject, value: Json, path: Path, *, reveal: bool, effort: Effort
) -> Iterator[Problem]:
    """Yield what is wrong with a value by the schemas that it must match besides."""
    for part in schema.get("allOf") or ():
        yield from check_constraints(part, value, path, reveal=reveal, effort=effort)
    if (parts := schema.get("anyOf")) and all(
        any(check_constraints(part, value, path, effort=effort)) for part in parts
    ):
        yield _report_no_match(parts, value, "anyOf").prefix_path(*path)
    if parts := schema.get("oneOf"):
        if not (
            fitting := [
                part for part in parts if not any(check_constraints(part, value, path, effort=effort))
            ]
        ):
            yield _report_no_match(parts, value, "oneOf").prefix_path(*path)
        elif len(fitting) > 1:
            keys = _list_required_fields(fitting)
            expected = (
                f"only one of {join_words(keys)}" if keys else f"a match of only one of {len(parts)} forms"
            )
            yield FIELD_VALUE(f"found more than one form, expected {expected} (oneOf)", path)
    if (part := schema.get("not")) is not None and not any(
        check_constraints(part, value, path, effort=effort)
    ):
        keys = _list_required_fields([part])
        text = join_words(keys, last="and") if keys else "what it must not be"
        yield FIELD_VALUE(f"found {text}, expected something else (not)", path)


def _report_no_match(parts: list[Json], value: Json, word: str) -> Problem:
    """Report that a value fits no alternative; where each only requires one field, name those."""
    if isinstance(value, dict) and all(
        isinstance(part, dict) and [*part] == ["required"] and len(part["required"]) == 1 for part in parts
    ):
        return FIELD_MISSING(
            f"found none of {join_words(_list_required_fields(parts))}, expected one of them"
        )
    return FIELD_VALUE(f"found a match of none of {len(parts)} forms, expected one ({word})")


def _list_required_fields(parts: list[Json]) -> list[str]:
    named = [key for part in parts if isinstance(part, dict) for key in part.get("required") or ()]
    return [quote_text(str(key)) for key in dict.fromkeys(named)]


def check_constraints(
    schema: Json, value: Json, path: Path, *, effort: Effort, reveal: bool = False
) -> Iterator[Problem]:
    """Yield the faults of a value by a schema that only limits values; it is shown if it may be revealed."""
    effort.take(2)
    if not isinstance(schema, dict):
        return
    if value is None:
        yield from (fault.prefix_path(*path) for fault in check_null(schema))
        return
    if fault := check_type(schema, value, reveal=reveal):
        yield fault.prefix_path(*path)
        return
    found = check_keywords(schema, value, reveal=reveal, effort=effort)
    yield from (each.prefix_path(*path) for each in found if each.rule not in TAKEN)
    if isinstance(value, dict):
        required = schema.get("required") or ()
        effort.take(len(required) // MANY)
        yield from (report_missing_field(key).prefix_path(*path) for key in required if key not in value)
        properties, extra = schema.get("properties") or {}, schema.get("additionalProperties")
        for key, item in value.items():
            if isinstance(part := properties.get(key, extra), dict):
                shows = reveal and not is_secret_step(value, key)
                yield from check_constraints(part, item, (*path, key), reveal=shows, effort=effort)
    elif isinstance(value, list) and isinstance(items := schema.get("items"), dict):
        for index, item in enumerate(value):
            shows = reveal and not is_secret_step(value, index)
            yield from check_constraints(items, item, (*path, index), reveal=shows, effort=effort)
    yield from check_alternatives(schema, value, path, reveal=reveal, effort=effort)
