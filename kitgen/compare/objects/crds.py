"""Compare CRDs: versions by name, schemas by what they allow, and no wording."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kitgen.compare.objects.difference import ABSENT, Found, ObjectPlace, PlacedDifference
from kitgen.compare.objects.values import NESTED, compare_values, is_same_scalar, walk_differences
from kitgen.text.values import value_at
from kitgen.text.yaml import JsonObject

WORDING = "description"
SETS = ("required", "enum")
VALUES = ("default", "example")
FIELDS = ("properties", "patternProperties")
Below = tuple[Found, Found, ObjectPlace, bool]


def compare_crd_specs(left: JsonObject, right: JsonObject, spot: ObjectPlace) -> Iterator[PlacedDifference]:
    """Yield the differences between the specs of two CRDs."""
    rest = [{key: value for key, value in spec.items() if key != "versions"} for spec in (left, right)]
    yield from compare_values(rest[0], rest[1], spot)
    at, mine, other = spot.below("versions"), _versions_by_name(left), _versions_by_name(right)
    if mine is None or other is None:
        yield from compare_values(left.get("versions", ABSENT), right.get("versions", ABSENT), at)
        return
    for name in sorted(mine.keys() | other.keys()):
        (index, a), (_, b) = mine.get(name, (-1, ABSENT)), other.get(name, (-1, ABSENT))
        here = at.item(index, name)
        if isinstance(a, dict) and isinstance(b, dict):
            yield from _compare_version(a, b, here)
        else:
            yield PlacedDifference(here, a, b)


def _versions_by_name(spec: JsonObject) -> dict[str, tuple[int, Any]] | None:
    """Return the versions by name, each with its index; None if that is not what they are."""
    items = spec.get("versions", [])
    if not isinstance(items, list) or not all(isinstance(value_at(item, "name"), str) for item in items):
        return None
    return {item["name"]: (index, item) for index, item in enumerate(items)}


def _compare_version(left: JsonObject, right: JsonObject, spot: ObjectPlace) -> Iterator[PlacedDifference]:
    for key in sorted(left.keys() | right.keys()):
        sides = (left.get(key, ABSENT), right.get(key, ABSENT), spot.below(key))
        worded = key in ("schema", "additionalPrinterColumns")
        yield from walk_differences(_compare_level, *sides, False) if worded else compare_values(*sides)


def _compare_level(
    left: Found, right: Found, spot: ObjectPlace, fields: bool
) -> Iterator[PlacedDifference | Below]:
    """Yield what is different about two schemas, or two maps of fields, and what is to be looked at below."""
    if isinstance(left, dict) and isinstance(right, dict):
        left, right = (side if fields else _normalize_schema(side) for side in (left, right))
        for key in sorted(left.keys() | right.keys()):
            a, b = left.get(key, ABSENT), right.get(key, ABSENT)
            if key in VALUES and not fields:
                yield from compare_values(a, b, spot.below(key))
            elif a is not b and (isinstance(a, NESTED) or not is_same_scalar(a, b)):
                yield a, b, spot.below(key), not fields and key in FIELDS
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for index, (a, b) in enumerate(zip(left, right, strict=True)):
            yield a, b, spot.item(index, str(index)), False
    elif not is_same_scalar(left, right):
        yield PlacedDifference(spot, left, right)


def _normalize_schema(schema: JsonObject) -> JsonObject:
    """Return a schema without its wording, and with its sets in one order."""
    return {
        key: sorted(value, key=str) if key in SETS and isinstance(value, list) else value
        for key, value in schema.items()
        if key != WORDING or not isinstance(value, str)
    }
