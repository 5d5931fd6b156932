"""Compare CRDs: versions by name, schemas by what they allow, and no wording."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kitgen.compare.objects.difference import (
    ABSENT,
    Found,
    ObjectPlace,
    PlaceBelow,
    PlacedDifference,
    format_step,
)
from kitgen.compare.objects.values import NESTED, compare_values, is_same_scalar
from kitgen.text.values import value_at
from kitgen.text.yaml import JsonObject, SharedMapping

WORDING = "description"
SETS = ("required", "enum")
VALUES = ("default", "example")
FIELDS = ("properties", "patternProperties")
ROOT = ObjectPlace(plain=True)
SchemaDifference = tuple[PlaceBelow, Found, Found, bool]
"""A place in a schema, what the two sides have there, and whether that is another order alone."""


def compare_crd_specs(
    left: JsonObject, right: JsonObject, spot: ObjectPlace, schemas: SchemaComparison
) -> Iterator[PlacedDifference]:
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
            yield from schemas.compare_version(a, b, here)
        else:
            yield PlacedDifference(here, a, b)


def _versions_by_name(spec: JsonObject) -> dict[str, tuple[int, Any]] | None:
    """Return the versions by name, each with its index; None if that is not what they are."""
    items = spec.get("versions", [])
    if not isinstance(items, list) or not all(isinstance(value_at(item, "name"), str) for item in items):
        return None
    return {item["name"]: (index, item) for index, item in enumerate(items)}


class SchemaComparison:
    """Finds what schemas differ in; for two types that stand in many places, only once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], tuple[Found, Found, list[SchemaDifference]]] = {}

    def compare_version(
        self, left: JsonObject, right: JsonObject, spot: ObjectPlace
    ) -> Iterator[PlacedDifference]:
        """Yield the differences between two versions of a CRD."""
        for key in sorted(left.keys() | right.keys()):
            a, b, here = left.get(key, ABSENT), right.get(key, ABSENT), spot.below(key)
            if key in ("schema", "additionalPrinterColumns"):
                found = self._compare_level(a, b, PlaceBelow(here.path, here.words), False)
                yield from (PlacedDifference(ROOT, x, y, order, False, at) for at, x, y, order in found)
            else:
                yield from compare_values(a, b, here)

    def _compare_below(
        self, left: Found, right: Found, at: PlaceBelow, fields: bool
    ) -> Iterator[SchemaDifference]:
        if not (type(left) is type(right) is SharedMapping):
            return self._compare_level(left, right, at, fields)
        # Holding on to the two keeps their ids from being given away.
        if (key := (id(left), id(right))) not in self._known:
            self._known[key] = left, right, [*self._compare_level(left, right, PlaceBelow(), False)]
        return ((at.join(below), a, b, order) for below, a, b, order in self._known[key][-1])

    def _compare_level(
        self, left: Found, right: Found, at: PlaceBelow, fields: bool
    ) -> Iterator[SchemaDifference]:
        """Yield what is different about two schemas, or two maps of fields, and below them."""
        if isinstance(left, dict) and isinstance(right, dict):
            left, right = (side if fields else _normalize_schema(side) for side in (left, right))
            for key in sorted(left.keys() | right.keys()):
                a, b = left.get(key, ABSENT), right.get(key, ABSENT)
                if a is b:
                    continue
                if key in VALUES and not fields:
                    for each in compare_values(a, b, ROOT.below(key)):
                        below = PlaceBelow(each.spot.path, each.spot.words)
                        yield at.join(below), each.left, each.right, each.order
                elif isinstance(a, NESTED):
                    inner = PlaceBelow((*at.steps, key), at.words + format_step(key))
                    yield from self._compare_below(a, b, inner, not fields and key in FIELDS)
                elif not is_same_scalar(a, b):
                    yield PlaceBelow((*at.steps, key), at.words + format_step(key)), a, b, False
        elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
            for index, (a, b) in enumerate(zip(left, right, strict=True)):
                inner = PlaceBelow((*at.steps, index), f"{at.words}[{index}]")
                yield from self._compare_below(a, b, inner, False)
        elif not is_same_scalar(left, right):
            yield at, left, right, False


def _normalize_schema(schema: JsonObject) -> JsonObject:
    """Return a schema without its wording, and with its sets in one order."""
    return {
        key: sorted(value, key=str) if key in SETS and isinstance(value, list) else value
        for key, value in schema.items()
        if key != WORDING or not isinstance(value, str)
    }
